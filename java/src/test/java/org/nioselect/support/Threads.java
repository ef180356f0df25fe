package org.nioselect.support;

import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;

/** Starts the threads that a test plays against each other. */
public final class Threads {
    private static final AtomicInteger STARTED = new AtomicInteger();

    private Threads() {
    }

    /**
     * Starts a daemon thread.
     *
     * @param <T> what it computes
     * @param body what it does
     * @return the running task
     */
    public static <T> Task<T> start(Callable<T> body) {
        return started(new Task<>(body, Threads::platformThread));
    }

    /**
     * Starts a virtual thread, where the running Java has them (21 and later).
     *
     * @param <T> what it computes
     * @param body what it does
     * @return the running task
     */
    public static <T> Task<T> startVirtual(Callable<T> body) {
        return started(new Task<>(body, Threads::virtualThread));
    }

    /**
     * Starts a daemon thread for something without a result.
     *
     * @param body what it does
     * @return the running task
     */
    public static Task<Void> run(Action body) {
        return start(() -> {
            body.run();
            return null;
        });
    }

    private static <T> Task<T> started(Task<T> task) {
        task.thread().start();
        return task;
    }

    private static Thread platformThread(Runnable body) {
        Thread thread = new Thread(body, "test-" + STARTED.incrementAndGet());
        thread.setDaemon(true);
        return thread;
    }

    /** By reflection, as the tests are compiled for Java 17. */
    private static Thread virtualThread(Runnable body) {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (Thread) Class.forName("java.lang.Thread$Builder")
                    .getMethod("unstarted", Runnable.class).invoke(builder, body);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("no virtual threads", e);
        }
    }

    /** Something that may fail. */
    @FunctionalInterface
    public interface Action {
        /**
         * Does it.
         *
         * @throws Exception when it fails
         */
        void run() throws Exception;
    }
}
