package org.nioselect.support;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** A point in time until which a test waits for something before it fails. */
public final class Deadline {
    /** Generous: it is only ever reached by a failing test. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long POLL_NANOS = 1_000_000;

    private final long end;

    private Deadline(Duration wait) {
        end = System.nanoTime() + wait.toNanos();
    }

    /**
     * A deadline some time from now.
     *
     * @param wait the time until then
     * @return the deadline
     */
    public static Deadline in(Duration wait) {
        return new Deadline(wait);
    }

    /**
     * The deadline for anything that a correct program does soon.
     *
     * @return the deadline
     */
    public static Deadline patient() {
        return in(PATIENCE);
    }

    /**
     * Polls until a condition holds; fails the test after the patient deadline.
     *
     * @param what the condition in words
     * @param condition what to wait for
     * @throws Exception what the condition throws
     */
    public static void await(String what, Condition condition) throws Exception {
        Deadline deadline = patient();
        while (!condition.holds()) {
            if (deadline.passed()) {
                throw new AssertionError("waited in vain until " + what);
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /**
     * Whether the time is over.
     *
     * @return true from the deadline on
     */
    public boolean passed() {
        return System.nanoTime() - end >= 0;
    }

    /**
     * The time left, for methods that take a timeout.
     *
     * @return milliseconds, at least 1
     */
    public long millisLeft() {
        return Math.max(1, Duration.ofNanos(end - System.nanoTime()).toMillis());
    }

    /** Something that becomes true. */
    @FunctionalInterface
    public interface Condition {
        /**
         * Looks whether it is true by now.
         *
         * @return true if so
         * @throws Exception when looking fails
         */
        boolean holds() throws Exception;
    }
}
