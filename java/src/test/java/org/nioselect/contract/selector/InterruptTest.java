package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;
import org.nioselect.support.VirtualThreads;

/** Interruption ends a selection, and nothing else. */
class InterruptTest extends SelectorFixture {
    private static final int ROUNDS = 300;

    @AfterEach
    void clearInterrupt() {
        Thread.interrupted();
    }

    @Test
    void anInterruptedThreadDoesNotBlock() throws IOException {
        far.register(selector, OP_READ);
        Thread.currentThread().interrupt();
        assertEquals(0, selector.select());
        assertEquals(0, selector.select(3_600_000));
        assertEquals(0, selector.select(key -> { }));
        assertTrue(Thread.interrupted());
        assertTrue(selector.isOpen());
        assertTrue(far.isOpen());
    }

    @Test
    void anInterruptEndsABlockedSelectWithTheStatusSet() throws Exception {
        assertEndsSelect(Threads.start(() -> {
            assertEquals(0, selector.select());
            return Thread.interrupted();
        }));
    }

    @Test
    void anInterruptEndsABlockedSelectWithTimeoutWithTheStatusSet() throws Exception {
        assertEndsSelect(Threads.start(() -> {
            assertEquals(0, selector.select(3_600_000));
            return Thread.interrupted();
        }));
    }

    @Test
    void anInterruptEndsABlockedSelectWithAnActionWithTheStatusSet() throws Exception {
        assertEndsSelect(Threads.start(() -> {
            assertEquals(0, selector.select(key -> { }));
            return Thread.interrupted();
        }));
    }

    @Test
    void anInterruptEndsTheSelectOfAVirtualThread() throws Exception {
        VirtualThreads.assumeSupported();
        assertEndsSelect(Threads.startVirtual(() -> {
            assertEquals(0, selector.select());
            return Thread.interrupted();
        }));
    }

    @Test
    void aVirtualThreadInterruptedBeforehandDoesNotBlock() throws Exception {
        VirtualThreads.assumeSupported();
        assertTrue(Threads.startVirtual(() -> {
            Thread.currentThread().interrupt();
            assertEquals(0, selector.select());
            return Thread.interrupted();
        }).join());
        assertTrue(selector.isOpen());
    }

    @Test
    void readyKeysAreReportedInSpiteOfIt() throws IOException {
        far.register(selector, OP_WRITE);
        Thread.currentThread().interrupt();
        assertEquals(1, selector.select());
        selector.selectedKeys().clear();
        assertEquals(1, selector.selectNow());
        assertTrue(Thread.interrupted());
    }

    @Test
    void selectNowKeepsTheStatus() throws IOException {
        Thread.currentThread().interrupt();
        assertEquals(0, selector.selectNow());
        assertTrue(Thread.interrupted());
    }

    @Test
    void onceTheStatusIsClearedSelectBlocksAgain() throws IOException {
        Thread.currentThread().interrupt();
        assertEquals(0, selector.select());
        assertTrue(Thread.interrupted());
        selector.selectNow();
        assertSleeps(selector, 50);
    }

    @Test
    void noEventIsLostAfterwards() throws IOException {
        far.register(selector, OP_READ);
        Thread.currentThread().interrupt();
        assertEquals(0, selector.select());
        assertTrue(Thread.interrupted());
        send(near);
        while (selector.select() == 0) {
            assertTrue(selector.isOpen());
        }
        assertEquals(1, drain(far));
    }

    @Test
    void everyOneOfManyInterruptsEndsASelect() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            Task<Boolean> select = Threads.start(() -> {
                selector.select();
                return Thread.interrupted();
            });
            select.interrupt();
            assertTrue(select.join());
            selector.selectNow();
        }
    }

    private void assertEndsSelect(Task<Boolean> select) throws Exception {
        select.awaitBlockedIn("select");
        select.interrupt();
        assertTrue(select.join(), "the interrupt status is lost");
        assertTrue(selector.isOpen());
    }
}
