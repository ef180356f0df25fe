package org.nioselect.internal.io;

import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import org.nioselect.internal.wait.Waiter;

/**
 * One direction of a channel: one operation at a time, and how the one that blocks is woken.
 */
public final class Lane {
    /** A wait without a limit. */
    public static final long FOREVER = -1;

    private final ReentrantLock turn = new ReentrantLock();
    private volatile Waiter waiter;
    private volatile boolean ended;

    /** Waits for its turn. */
    public void lock() {
        turn.lock();
    }

    /** Lets the next one have its turn. */
    public void unlock() {
        turn.unlock();
    }

    /**
     * Waits until the descriptor is ready, the time is over or somebody wakes this lane. It may
     * also return for no reason: the caller tries its system call again.
     *
     * @param descriptor what to wait for, of which the caller is a user
     * @param events of {@link org.nioselect.internal.sys.Descriptors}
     * @param nanos for how long at most; {@link #FOREVER} without a limit
     * @return false if there is no use in trying again: the descriptor is closing or the lane has
     *     {@linkplain #end ended}
     * @throws IOException if the system fails, or refuses to watch the descriptor
     */
    public boolean await(Descriptor descriptor, int events, long nanos) throws IOException {
        Waiter mine = Waiter.forCurrentThread();
        try {
            // Published first and asked afterwards: whoever closes or ends does it the other way
            // round, so that one of both sees the other.
            waiter = mine;
            if (goesOn(descriptor)) {
                mine.await(descriptor.fd(), events, nanos);
            }
        } finally {
            waiter = null;
            mine.release();
        }
        return goesOn(descriptor);
    }

    private boolean goesOn(Descriptor descriptor) {
        return !ended && !descriptor.isClosing();
    }

    /** Wakes the thread that waits, to see what has changed. */
    public void wake() {
        Waiter blocked = waiter;
        if (blocked != null) {
            blocked.wake();
        }
    }

    /** Lets nobody wait any more: the direction is shut down. */
    public void end() {
        ended = true;
        wake();
    }
}
