package org.nioselect.regression;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.nioselect.support.Deadline;

/** Takes all memory for direct buffers that a JVM has, and gives it back. */
final class DirectMemory {
    private static final int LARGEST = 1 << 20;
    private static final int SMALLEST = 16;
    private static final int PLENTY = 1 << 16;

    private static final List<ByteBuffer> TAKEN = new ArrayList<>();

    private DirectMemory() {
    }

    /** Takes what is left, to the last few bytes. */
    static void exhaust() {
        for (int size = LARGEST; size >= SMALLEST; ) {
            try {
                TAKEN.add(ByteBuffer.allocateDirect(size));
            } catch (OutOfMemoryError e) {
                size /= 2;
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
