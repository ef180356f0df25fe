package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** How long the forms of select wait. */
class TimeoutTest extends SelectorFixture {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 5, 10, 25, 50, 100})
    void selectNeverReturnsEarly(long millis) throws IOException {
        far.register(selector, OP_READ);
        for (int i = 0; i < 5; i++) {
            long start = System.nanoTime();
            assertEquals(0, selector.select(millis));
            long elapsed = System.nanoTime() - start;
            assertTrue(elapsed >= TimeUnit.MILLISECONDS.toNanos(millis), elapsed + " ns");
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 10, 50})
    void selectWithAnActionNeverReturnsEarly(long millis) throws IOException {
        far.register(selector, OP_READ);
        long start = System.nanoTime();
        assertEquals(0, selector.select(key -> { }, millis));
        long elapsed = System.nanoTime() - start;
        assertTrue(elapsed >= TimeUnit.MILLISECONDS.toNanos(millis), elapsed + " ns");
    }

    @ParameterizedTest
    @ValueSource(longs = {
        0, Integer.MAX_VALUE, Integer.MAX_VALUE + 1L, 1L << 32, Long.MAX_VALUE / 1_000_000,
        Long.MAX_VALUE - 1, Long.MAX_VALUE,
    })
    void zeroAndHugeTimeoutsWaitForAnEvent(long millis) throws Exception {
        far.register(selector, OP_READ);
        Task<Integer> select = Threads.start(() -> selector.select(millis));
        select.awaitBlockedIn("select");
        send(near);
        assertEquals(1, select.join());
    }

    @Test
    void negativeTimeoutsAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> selector.select(-1));
        assertThrows(IllegalArgumentException.class, () -> selector.select(Long.MIN_VALUE));
        assertThrows(IllegalArgumentException.class, () -> selector.select(key -> { }, -1));
    }

    @Test
    void anEventEndsTheWait() throws Exception {
        far.register(selector, OP_READ);
        Task<Integer> select = Threads.start(() -> selector.select(3_600_000));
        select.awaitBlockedIn("select");
        send(near);
        assertEquals(1, select.join());
    }

    @Test
    void readyKeysAreReturnedWithoutAnyWait() throws IOException {
        far.register(selector, OP_WRITE);
        assertEquals(1, selector.select(3_600_000));
        selector.selectedKeys().clear();
        assertEquals(1, selector.select());
    }

    @Test
    void selectNowDoesNotWait() throws IOException {
        assertEquals(0, selector.selectNow());
        far.register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        assertEquals(0, selector.selectNow(key -> { }));
        send(near);
        assertEquals(1, selector.selectNow());
    }

    @Test
    void aSelectWithoutAnyChannelWaitsToo() throws IOException {
        assertSleeps(selector, 50);
    }
}
