package org.nioselect.internal.io;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.util.function.IntConsumer;
import org.nioselect.internal.sys.Descriptors;

/**
 * An open descriptor, and who is using it.
 *
 * <p>Its number must not be closed while a system call or the kernel's set of a selector refers to
 * it: the number can be given to another channel at once. So each operation and each registration
 * is counted as a user, and once the descriptor is closing the last user closes the number.
 */
public final class Descriptor {
    private static final Cleaner CLEANER = Cleaner.create();
    private static final int CLOSING = 1 << 31;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Descriptor.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int fd;
    private volatile int state;

    /**
     * Takes over an open descriptor.
     *
     * @param fd its number
     */
    public Descriptor(int fd) {
        this.fd = fd;
    }

    /**
     * Has the descriptor closed when a channel is dropped without having been closed. Only for
     * datagram channels, as in the JDK: a connection whose channel an application has dropped
     * would end at a time that nobody knows, and there are such that rely on its staying open.
     *
     * @param channel whose descriptor this is
     * @return to be {@linkplain Cleaner.Cleanable#clean cleaned} when the channel is closed, which
     *     {@linkplain #close closes} the descriptor
     */
    public Cleaner.Cleanable closeWhenDropped(Object channel) {
        return CLEANER.register(channel, this::close);
    }

    /**
     * Its number, which is its own only for users.
     *
     * @return the number
     */
    public int fd() {
        return fd;
    }

    /**
     * Becomes a user.
     *
     * @return false if the descriptor is closing or closed
     */
    public boolean enter() {
        for (;;) {
            int seen = state;
            if (seen < 0) {
                return false;
            }
            if (STATE.compareAndSet(this, seen, seen + 1)) {
                return true;
            }
        }
    }

    /** Is a user no more. The last one closes the number, if the descriptor is closing. */
    public void leave() {
        int before = (int) STATE.getAndAdd(this, -1);
        if (before == (CLOSING | 1)) {
            Descriptors.close(fd);
        }
    }

    /**
     * Lets nobody in any more, and closes the number as soon as nobody uses it.
     */
    public void close() {
        int before = (int) STATE.getAndBitwiseOr(this, CLOSING);
        if (before == 0) {
            Descriptors.close(fd);
        }
    }

    /**
     * Does the same, and something else if the number stays open for others who use it.
     *
     * @param whileUsed what to do with the number then
     */
    public void close(IntConsumer whileUsed) {
        if (!enter()) {
            return;
        }
        try {
            int users = (int) STATE.getAndBitwiseOr(this, CLOSING) & ~CLOSING;
            if (users > 1) {
                whileUsed.accept(fd);
            }
        } finally {
            leave();
        }
    }

    /**
     * Whether nobody can become a user any more.
     *
     * @return true from {@link #close} on
     */
    public boolean isClosing() {
        return state < 0;
    }
}
