package org.nioselect.regression;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.nioselect.support.Deadline;

/** Takes all memory for direct buffers that a JVM has, and gives it back. */
final class DirectMemory {
    private static final int LARGEST = 1 << 20;
    private static final int SMALLEST = 1 << 8;
    private static final int STEP = 1 << 4;
    private static final int PLENTY = 1 << 16;

    private static final List<ByteBuffer> TAKEN = new ArrayList<>();

    private DirectMemory() {
    }

    /** Takes what is left, to less than a selector can use. */
    static void exhaust() {
        for (int size = LARGEST; size >= SMALLEST; ) {
            try {
                TAKEN.add(ByteBuffer.allocateDirect(size));
            } catch (OutOfMemoryError e) {
                // Each refusal takes the JDK half a second: it hopes for the collector.
                size /= STEP;
            }
        }
    }

    /** Gives all back, and returns when others can have it. */
    static void free() throws Exception {
        TAKEN.clear();
        Deadline.await("there is direct memory again", DirectMemory::isPlenty);
    }

    private static boolean isPlenty() {
        try {
            return ByteBuffer.allocateDirect(PLENTY).hasRemaining();
        } catch (OutOfMemoryError e) {
            return false;
        }
    }
}
