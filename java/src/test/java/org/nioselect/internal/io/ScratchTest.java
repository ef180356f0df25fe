package org.nioselect.internal.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Native memory that is kept for the next system call. */
class ScratchTest {
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 128, 4096, 4097, 65535, 65536, Scratch.LARGEST - 1,
            Scratch.LARGEST, Scratch.LARGEST + 1})
    void thereIsAsMuchAsWasAskedFor(int size) {
        Scratch scratch = Scratch.take(size);
        assertTrue(scratch.memory().size() >= size);
        assertEquals(scratch.memory().size(), scratch.memory().buffer().remaining());
        scratch.release();
    }

    @Test
    void releasedMemoryIsUsedAgain() {
        Scratch first = Scratch.take(5000);
        first.release();
        Scratch second = Scratch.take(8000);
        assertSame(first, second);
        second.release();
    }

    @Test
    void memoryInUseIsNobodyElses() {
        Scratch first = Scratch.take(100);
        Scratch second = Scratch.take(100);
        assertNotSame(first.memory(), second.memory());
        first.release();
        second.release();
    }

    @Test
    void positionAndLimitOfTheLastUserDoNotMatter() {
        Scratch first = Scratch.take(100);
        first.memory().buffer().position(7).limit(9);
        first.release();
        Scratch second = Scratch.take(100);
        assertEquals(second.memory().size(), second.memory().buffer().remaining());
        second.release();
    }
}
