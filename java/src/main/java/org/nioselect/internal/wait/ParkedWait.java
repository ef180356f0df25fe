package org.nioselect.internal.wait;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/**
 * The wait of a virtual thread: it parks while a {@link Watcher} watches the descriptor.
 */
final class ParkedWait implements Waiter {
    /** Not in the watcher's table. */
    static final int NOWHERE = -1;

    private final Thread thread = Thread.currentThread();
    private int fd;
    private volatile boolean watched;
    private volatile boolean woken;
    private Throwable failure;

    /** Where the watcher keeps it; the watcher's alone. */
    int index = NOWHERE;
    /** Whether the watcher is about to end it; the watcher's alone. */
    boolean isEnding;

    @Override
    public void await(int descriptor, int events, long nanos) throws IOException {
        Watcher watcher = Watcher.of(events);
        fd = descriptor;
        watched = true;
        watcher.note(this);
        park(nanos);
        if (watched) {
            watcher.note(this);
        }
        // Only then can the descriptor be closed. A thread that is interrupted does not park, but
        // the watcher is quick.
        while (watched) {
            LockSupport.park(this);
            Thread.yield();
        }
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
    }

    private void park(long nanos) {
        long start = nanos < 0 ? 0 : System.nanoTime();
        while (watched && !woken) {
            if (nanos < 0) {
                LockSupport.park(this);
            } else {
                long remaining = nanos - (System.nanoTime() - start);
                if (remaining <= 0) {
                    return;
                }
                LockSupport.parkNanos(this, remaining);
            }
        }
    }

    int fd() {
        return fd;
    }

    boolean isWatched() {
        return watched;
    }

    /** To be called by the watcher when it watches no more, with a failure or null. */
    void end(Throwable reason) {
        failure = reason;
        watched = false;
        LockSupport.unpark(thread);
    }

    @Override
    public void wake() {
        woken = true;
        LockSupport.unpark(thread);
    }

    @Override
    public void release() {
        // Nothing is kept.
    }
}
