package org.nioselect.internal.wait;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/**
 * The wait of a virtual thread: it parks while a {@link Watcher} watches the descriptor.
 */
final class ParkedWait implements Waiter {
    private final Thread thread = Thread.currentThread();
    private volatile boolean woken;
    private volatile boolean watched;
    private IOException failure;

    /** Not in the watcher's table. */
    static final int NOWHERE = -1;

    /** Where the watcher keeps it; the watcher's alone. */
    int index = NOWHERE;
    private int fd;

    @Override
    public void await(int descriptor, int events, long nanos) throws IOException {
        Watcher watcher = Watcher.of(events);
        fd = descriptor;
        watched = true;
        watcher.watch(this);
        park(nanos);
        if (watched) {
            watcher.forget(this);
        }
        // Only then can the descriptor be closed. An interrupted thread does not park, but the
        // watcher is quick.
        while (watched) {
            LockSupport.park(this);
            Thread.onSpinWait();
        }
        if (failure != null) {
            throw new IOException(failure);
        }
    }

    private void park(long nanos) {
        long deadline = nanos < 0 ? 0 : System.nanoTime() + nanos;
        while (watched && !woken) {
            if (nanos < 0) {
                LockSupport.park(this);
            } else {
                long remaining = deadline - System.nanoTime();
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

    /** To be called by the watcher when it has stopped watching, with a failure or null. */
    void end(IOException reason) {
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
