package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.nioselect.support.Connections;
import org.nioselect.support.Descriptors;
import org.nioselect.support.Providers;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;
import org.nioselect.support.VirtualThreads;

/** Closing a selector, also while it is in use. */
class CloseTest extends SelectorFixture {
    private static final int RACES = 300;
    /** The JDK's own provider of Java 17 has the defect that JDK-8336339 tells of. */
    private static final int DEFECTIVE = 17;

    @Test
    void aClosedSelectorCannotSelect() throws IOException {
        assertTrue(selector.isOpen());
        selector.close();
        assertFalse(selector.isOpen());
        closed(() -> selector.select());
        closed(() -> selector.select(0));
        closed(() -> selector.select(1));
        closed(() -> selector.selectNow());
        closed(() -> selector.select(key -> { }));
        closed(() -> selector.select(key -> { }, 1));
        closed(() -> selector.selectNow(key -> { }));
    }

    @Test
    void closingAgainAndWakeupDoNothing() throws IOException {
        selector.close();
        selector.close();
        assertSame(selector, selector.wakeup());
        assertFalse(selector.isOpen());
    }

    @Test
    void closeInvalidatesAndDeregistersAllKeys() throws IOException {
        SelectionKey first = far.register(selector, OP_READ);
        SelectionKey second = near.register(selector, OP_WRITE);
        second.cancel();
        selector.close();
        assertFalse(first.isValid());
        assertFalse(second.isValid());
        assertNull(far.keyFor(selector));
        assertFalse(far.isRegistered());
        assertFalse(near.isRegistered());
    }

    @Test
    void itsChannelsStayOpenAndUsable() throws IOException {
        far.register(selector, OP_READ);
        selector.close();
        assertTrue(far.isOpen());
        far.configureBlocking(true);
        far.configureBlocking(false);
        send(near);
        try (Selector other = Selector.open()) {
            far.register(other, OP_READ);
            assertEquals(1, other.select());
        }
    }

    @Test
    void closeEndsABlockedSelectWithoutAnException() throws Exception {
        far.register(selector, OP_READ);
        Task<Integer> select = Threads.start(() -> selector.select()).awaitBlockedIn("select");
        selector.close();
        assertEquals(0, select.join());
    }

    @Test
    void closeEndsABlockedSelectWithAnActionWithoutAnException() throws Exception {
        far.register(selector, OP_READ);
        Task<Integer> select = Threads.start(() -> selector.select(key -> { }));
        select.awaitBlockedIn("select");
        selector.close();
        assertEquals(0, select.join());
    }

    @Test
    void closeEndsTheSelectOfAVirtualThread() throws Exception {
        VirtualThreads.assumeSupported();
        Task<Integer> select = Threads.startVirtual(() -> selector.select());
        select.awaitBlockedIn("select");
        selector.close();
        assertEquals(0, select.join());
    }

    @Test
    void closeInterruptAndWakeupTogetherThrowNothing() throws Exception {
        for (int i = 0; i < 20; i++) {
            Selector busy = Selector.open();
            Task<Integer> select = Threads.start(() -> busy.select()).awaitBlockedIn("select");
            busy.wakeup();
            select.interrupt();
            busy.close();
            busy.wakeup();
            assertEquals(0, select.join());
        }
    }

    @Test
    void theSelectingThreadMayCloseItsSelector() throws IOException {
        SelectionKey key = far.register(selector, OP_WRITE);
        selector.select();
        for (SelectionKey selected : selector.selectedKeys()) {
            selected.selector().close();
            break;
        }
        assertFalse(key.isValid());
    }

    @Test
    void selectorsLeaveNoDescriptorsBehind() throws Exception {
        Descriptors.assertNoLeak(100, () -> {
            try (Selector passing = Selector.open()) {
                passing.wakeup().select();
            }
        });
    }

    @Test
    void channelsClosedBeforeTheirSelectorLeaveNoDescriptorsBehind() throws Exception {
        Descriptors.assertNoLeak(100, () -> {
            try (Selector passing = Selector.open();
                    Connections.Pair pair = Connections.openNonBlocking()) {
                pair.far().register(passing, OP_READ);
                pair.near().register(passing, OP_WRITE);
                passing.selectNow();
            }
        });
    }

    @Test
    void channelsClosedAfterTheirSelectorLeaveNoDescriptorsBehind() throws Exception {
        Descriptors.assertNoLeak(100, () -> {
            try (Connections.Pair pair = Connections.openNonBlocking();
                    Selector passing = Selector.open()) {
                pair.far().register(passing, OP_READ).cancel();
                pair.near().register(passing, OP_WRITE);
            }
        });
    }

    @Test
    void registrationRacingWithCloseFailsCleanly() throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        for (int i = 0; i < RACES; i++) {
            Selector passing = Selector.open();
            Task<Void> closing = closeAfter(start, passing);
            start.await();
            try {
                far.register(passing, OP_READ);
            } catch (ClosedSelectorException e) {
                assertFalse(passing.isOpen());
            }
            closing.join();
            assertFalse(far.isRegistered());
        }
    }

    @Test
    void interestChangesRacingWithCloseFailCleanly() throws Exception {
        assumeTrue(Providers.ours() || Providers.javaRelease() > DEFECTIVE);
        CyclicBarrier start = new CyclicBarrier(2);
        for (int i = 0; i < RACES; i++) {
            Selector passing = Selector.open();
            SelectionKey key = far.register(passing, OP_READ);
            Task<Void> closing = closeAfter(start, passing);
            start.await();
            assertThrows(CancelledKeyException.class, () -> {
                while (true) {
                    key.interestOps(OP_WRITE);
                    key.interestOpsOr(OP_READ);
                }
            });
            closing.join();
        }
    }

    @Test
    void closingTheChannelAndTheSelectorAtOnceLeavesNothingBehind() throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        Descriptors.assertNoLeak(RACES, () -> {
            Selector passing = Selector.open();
            Connections.Pair pair = Connections.openNonBlocking();
            SelectionKey key = pair.far().register(passing, OP_READ);
            Task<Void> closing = closeAfter(start, passing);
            start.await();
            pair.close();
            closing.join();
            assertFalse(key.isValid());
        });
    }

    private static Task<Void> closeAfter(CyclicBarrier start, Selector selector) {
        return Threads.run(() -> {
            start.await();
            selector.close();
        });
    }

    private static void closed(Executable use) {
        assertThrows(ClosedSelectorException.class, use);
    }
}
