package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** {@code wakeup()}: sticky, one deep, consumed by one selection. */
class WakeupTest extends SelectorFixture {
    private static final int HAND_OVERS = 5_000;

    @Test
    void wakeupReturnsTheSelector() {
        assertSame(selector, selector.wakeup());
    }

    @Test
    void wakeupEndsABlockedSelect() throws Exception {
        far.register(selector, OP_READ);
        Task<Integer> select = Threads.start(() -> selector.select()).awaitBlockedIn("select");
        selector.wakeup();
        assertEquals(0, select.join());
        assertTrue(selector.selectedKeys().isEmpty());
    }

    @Test
    void wakeupEndsABlockedSelectWithTimeout() throws Exception {
        Task<Integer> select = Threads.start(() -> selector.select(3_600_000));
        select.awaitBlockedIn("select");
        selector.wakeup();
        assertEquals(0, select.join());
    }

    @Test
    void wakeupEndsASelectWithoutAnyChannel() throws Exception {
        Task<Integer> select = Threads.start(() -> selector.select()).awaitBlockedIn("select");
        selector.wakeup();
        assertEquals(0, select.join());
    }

    @Test
    void wakeupBeforeASelectMakesItReturnAtOnce() throws IOException {
        selector.wakeup();
        assertEquals(0, selector.select());
        selector.wakeup();
        assertEquals(0, selector.select(3_600_000));
    }

    @Test
    void oneSelectConsumesIt() throws IOException {
        selector.wakeup();
        assertEquals(0, selector.select());
        assertSleeps(selector, 50);
    }

    @Test
    void manyWakeupsCountAsOne() throws IOException {
        for (int i = 0; i < 10_000; i++) {
            selector.wakeup();
        }
        assertEquals(0, selector.select());
        assertSleeps(selector, 50);
    }

    @Test
    void selectNowConsumesItWithChannelsAndWithout() throws IOException {
        selector.wakeup();
        assertEquals(0, selector.selectNow());
        assertSleeps(selector, 50);

        far.register(selector, OP_READ);
        selector.wakeup();
        assertEquals(0, selector.selectNow());
        assertSleeps(selector, 50);
    }

    @Test
    void aSelectThatFindsReadyKeysConsumesItToo() throws IOException {
        far.register(selector, OP_WRITE).interestOps();
        selector.wakeup();
        assertEquals(1, selector.select());
        far.keyFor(selector).interestOps(0);
        selector.selectedKeys().clear();
        assertSleeps(selector, 50);
    }

    @Test
    void readyKeysAreReportedInSpiteOfIt() throws IOException {
        far.register(selector, OP_WRITE);
        selector.wakeup();
        assertEquals(1, selector.select());
        selector.selectedKeys().clear();
        selector.wakeup();
        assertEquals(1, selector.selectNow());
    }

    @Test
    void noneIsLostBetweenTwoThreads() throws Exception {
        Semaphore returned = new Semaphore(0);
        Task<Void> selecting = Threads.run(() -> {
            for (int i = 0; i < HAND_OVERS; i++) {
                selector.select();
                returned.release();
            }
        });
        for (int i = 0; i < HAND_OVERS; i++) {
            selector.wakeup();
            assertTrue(returned.tryAcquire(30, TimeUnit.SECONDS), "lost wakeup " + i);
        }
        selecting.join();
    }

    @Test
    void interestChangedBeforeItIsSeenByTheWokenThread() throws Exception {
        far.register(selector, 0);
        Task<Integer> selecting = Threads.start(() -> {
            int selected = 0;
            while (selected == 0) {
                selected = selector.select();
            }
            return selected;
        });
        selecting.awaitBlockedIn("select");
        far.keyFor(selector).interestOps(OP_WRITE);
        selector.wakeup();
        assertEquals(1, selecting.join());
    }
}
