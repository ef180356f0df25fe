package org.nioselect.support;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

/** Virtual threads, reached by reflection, as the tests are compiled for a Java without them. */
public final class VirtualThreads {
    /** The first release in which waiting for a monitor does not pin the carrier. */
    private static final int UNPINNED_MONITORS = 24;

    private VirtualThreads() {
    }

    /** Skips the test on a Java that has no virtual threads. */
    public static void assumeSupported() {
        assumeTrue(Providers.javaRelease() >= 21, "no virtual threads before Java 21");
    }

    /** Skips the test on a Java whose virtual threads pin their carrier while in a monitor. */
    public static void assumeMonitorsDoNotPin() {
        assumeTrue(Providers.javaRelease() >= UNPINNED_MONITORS, "monitors pin before Java 24");
    }

    /**
     * Starts a virtual thread.
     *
     * @param <T> what it computes
     * @param body what it does
     * @return the running thread
     * @throws ReflectiveOperationException on a Java that has none
     */
    public static <T> Virtual<T> start(Callable<T> body) throws ReflectiveOperationException {
        FutureTask<T> outcome = new FutureTask<>(body);
        Thread thread = (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class)
                .invoke(null, outcome);
        return new Virtual<>(thread, outcome);
    }

    /**
     * A started virtual thread.
     *
     * @param <T> what it computes
     * @param thread the thread
     * @param outcome how it ends
     */
    public record Virtual<T>(Thread thread, FutureTask<T> outcome) {
        /**
         * Waits until the thread is parked inside a method.
         *
         * @param method the name of a method on its stack, such as {@code read}
         * @return this thread
         * @throws Exception when it never parks there
         */
        public Virtual<T> awaitParkedIn(String method) throws Exception {
            Deadline.await("the virtual thread parks in " + method,
                    () -> isParkedIn(method) || outcome.isDone());
            if (outcome.isDone()) {
                throw new AssertionError("did not block but ended with " + outcome.get());
            }
            return this;
        }

        private boolean isParkedIn(String method) {
            if (thread.getState() != Thread.State.WAITING) {
                return false;
            }
            for (StackTraceElement frame : thread.getStackTrace()) {
                if (frame.getMethodName().equals(method)) {
                    return true;
                }
            }
            return false;
        }

        /**
         * Waits for the thread's end.
         *
         * @return what its body returned
         * @throws Exception what its body threw, as the cause of an ExecutionException
         */
        public T join() throws Exception {
            return outcome.get(Deadline.patient().millisLeft(), TimeUnit.MILLISECONDS);
        }
    }
}
