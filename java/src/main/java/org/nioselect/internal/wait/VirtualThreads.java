package org.nioselect.internal.wait;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * What is done for virtual threads, on Java versions that have them.
 */
public final class VirtualThreads {
    /** Threads that wait in the kernel for virtual ones: as many as needed, kept for a while. */
    private static final Executor WAITING = new ThreadPoolExecutor(0, Integer.MAX_VALUE,
            60, TimeUnit.SECONDS, new SynchronousQueue<>(),
            task -> daemon("nioselect-select", task));

    private VirtualThreads() {
    }

    /**
     * Has a platform thread make a call that blocks, so that the current, virtual thread need not
     * keep its carrier meanwhile. (It does on Java 21 to 23 if it holds a monitor.) An interrupt
     * does not end the call: that is up to whoever can.
     *
     * @param call the call
     * @return its answer
     * @throws IOException if it fails
     */
    public static int call(BlockingCall call) throws IOException {
        HandedCall handed = new HandedCall(call);
        WAITING.execute(handed);
        return handed.await();
    }

    /** A platform thread that does not keep the process alive, and inherits nothing. */
    static Thread daemon(String name, Runnable task) {
        Thread thread = new Thread(null, task, name, 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(null);
        return thread;
    }
}
