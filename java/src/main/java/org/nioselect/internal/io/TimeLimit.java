package org.nioselect.internal.io;

/**
 * How long an operation may take, counted from its start.
 */
public final class TimeLimit {
    /** As long as it likes. */
    public static final TimeLimit NONE = new TimeLimit(Lane.FOREVER);

    private final long nanos;
    private final long start;

    private TimeLimit(long nanos) {
        this.nanos = nanos;
        this.start = System.nanoTime();
    }

    /**
     * A limit that starts now.
     *
     * @param nanos how long; negative without a limit
     * @return the limit
     */
    public static TimeLimit of(long nanos) {
        return nanos < 0 ? NONE : new TimeLimit(nanos);
    }

    /**
     * How much time is left.
     *
     * @return the nanoseconds, or {@link Lane#FOREVER}
     */
    public long left() {
        return nanos < 0 ? Lane.FOREVER : Math.max(0, nanos - (System.nanoTime() - start));
    }

    /**
     * Whether the time is over.
     *
     * @return true if nothing is left
     */
    public boolean isOver() {
        return left() == 0;
    }
}
