package org.nioselect.internal.wait;

import java.io.IOException;
import org.nioselect.internal.sys.CurrentThread;

/**
 * How the current thread waits for a descriptor and is woken by another thread.
 *
 * <p>A platform thread waits in the kernel. A virtual thread must not, since it would keep its
 * carrier: it parks, and a thread of the provider's unparks it.
 */
public interface Waiter {
    /**
     * A waiter for the current thread, for one operation.
     *
     * @return the waiter, to be {@linkplain #release released}
     */
    static Waiter forCurrentThread() {
        if (CurrentThread.isVirtual()) {
            return new ParkedWait();
        }
        return BellWait.take();
    }

    /**
     * Waits until the descriptor is ready, the time is over or the waiter is woken: whether before
     * or while it waits. It may also return for no reason. When it returns, nobody watches the
     * descriptor any more.
     *
     * @param fd an open descriptor
     * @param events of {@link org.nioselect.internal.sys.Descriptors}
     * @param nanos for how long at most; negative without a limit
     * @throws IOException if the system fails
     */
    void await(int fd, int events, long nanos) throws IOException;

    /** Ends the wait, from any thread. After the release it does nothing to speak of. */
    void wake();

    /** Nobody waits any more. */
    void release();
}
