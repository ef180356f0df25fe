package org.nioselect.internal.channel;

import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import org.nioselect.internal.io.Lane;

/**
 * What the operations of a channel need of it, which are classes of their own.
 *
 * <p>A blocking operation is bracketed by {@link #beginBlocking} and {@link #endBlocking}, so that
 * to interrupt its thread closes the channel. One that finds the channel closed before must not
 * begin, for then the end would tell of a close in between.
 */
interface BlockingChannel extends Registrable {
    /**
     * Whether nobody has closed the channel.
     *
     * @return whether it is open
     */
    boolean isOpen();

    /**
     * Whether operations wait. It does not change while an operation has its turn.
     *
     * @return the blocking mode
     */
    boolean isBlocking();

    /**
     * Checks that the channel is open.
     *
     * @throws ClosedChannelException if it is closed
     */
    default void ensureOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    /**
     * Checks that the channel is open, and connected if it is a stream socket.
     *
     * @throws ClosedChannelException if it is closed
     */
    default void ensureUsable() throws ClosedChannelException {
        ensureOpen();
    }

    /**
     * Waits until the operation in progress is done. To be called before the mode is changed: the
     * descriptor is non-blocking in either, but an operation relies on it.
     *
     * @param lane the direction of the operation
     * @throws ClosedChannelException if the channel was closed meanwhile
     */
    default void awaitOperation(Lane lane) throws ClosedChannelException {
        lane.lock();
        try {
            ensureOpen();
        } finally {
            lane.unlock();
        }
    }

    /** The start of an operation that may wait. */
    void beginBlocking();

    /**
     * The end of an operation that may have waited.
     *
     * @param completed whether it has done what it was to do
     * @throws AsynchronousCloseException if it has not as the channel was closed, or the thread
     *     was interrupted
     */
    void endBlocking(boolean completed) throws AsynchronousCloseException;

    /**
     * Becomes a user of the descriptor.
     *
     * @return its number
     * @throws ClosedChannelException if it is closing
     */
    default int enter() throws ClosedChannelException {
        if (!descriptor().enter()) {
            throw new ClosedChannelException();
        }
        return descriptor().fd();
    }

    /** Is a user no more. */
    default void leave() {
        descriptor().leave();
    }

    /**
     * An exception for a failed system call: that the call failed as the channel was closed
     * meanwhile, or what the error number says.
     *
     * @param failure an exception for the error number
     * @return what is to be thrown
     */
    default IOException failed(IOException failure) {
        return isOpen() ? failure : new AsynchronousCloseException();
    }
}
