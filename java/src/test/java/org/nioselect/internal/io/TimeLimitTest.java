package org.nioselect.internal.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** How long an operation may still take. */
class TimeLimitTest {
    @Test
    void negativeTimeIsNoLimit() {
        assertSame(TimeLimit.NONE, TimeLimit.of(-1));
        assertSame(TimeLimit.NONE, TimeLimit.of(Long.MIN_VALUE));
        assertEquals(Lane.FOREVER, TimeLimit.NONE.left());
        assertFalse(TimeLimit.NONE.isOver());
    }

    @Test
    void noTimeIsOverAtOnce() {
        assertTrue(TimeLimit.of(0).isOver());
    }

    @Test
    void timeLeftShrinksToZero() {
        TimeLimit limit = TimeLimit.of(1_000_000);
        assertTrue(limit.left() <= 1_000_000);
        while (!limit.isOver()) {
            Thread.onSpinWait();
        }
        assertEquals(0, limit.left());
    }

    @Test
    void longestTimeDoesNotOverflow() {
        TimeLimit limit = TimeLimit.of(Long.MAX_VALUE);
        assertTrue(limit.left() > Long.MAX_VALUE / 2);
        assertFalse(limit.isOver());
    }
}
