package org.nioselect.support;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Measures how much the calling thread allocates on the heap. */
public final class Garbage {
    private static final ThreadMXBean THREADS =
            (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int WARM_UP = 3_000;
    private static final int ROUNDS = 500;
    /** The compiler may move a thread between code versions, which costs a few objects. */
    private static final int ATTEMPTS = 10;

    private Garbage() {
    }

    /**
     * Does something many times and fails if it allocates in the steady state.
     *
     * @param action what must make no garbage
     * @throws Exception what the action throws
     */
    public static void assertNone(Threads.Action action) throws Exception {
        repeat(WARM_UP, action);
        long least = Long.MAX_VALUE;
        for (int i = 0; i < ATTEMPTS && least > 0; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            repeat(ROUNDS, action);
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(0, least, "bytes in " + ROUNDS + " rounds");
    }

    private static void repeat(int rounds, Threads.Action action) throws Exception {
        for (int i = 0; i < rounds; i++) {
            action.run();
        }
    }
}
