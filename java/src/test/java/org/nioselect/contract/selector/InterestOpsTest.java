package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.nioselect.support.Deadline;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** The interest set of a key, and what remains of a key that is no longer valid. */
class InterestOpsTest extends SelectorFixture {
    private static final Duration TOGGLING = Duration.ofMillis(500);
    private static final int CHANGES = 50_000;

    private SelectionKey key;

    @BeforeEach
    void register() throws IOException {
        key = far.register(selector, OP_READ, "attachment");
    }

    @Test
    void settingItReturnsTheKeyAndIsSeenAtOnce() {
        assertSame(key, key.interestOps(OP_WRITE));
        assertEquals(OP_WRITE, key.interestOps());
        key.interestOps(0);
        assertEquals(0, key.interestOps());
        key.interestOps(far.validOps());
        assertEquals(OP_READ | OP_WRITE | OP_CONNECT, key.interestOps());
    }

    @Test
    void bitsThatTheChannelDoesNotHaveAreRefusedAndChangeNothing() {
        for (int ops : new int[] {OP_ACCEPT, OP_READ | OP_ACCEPT, 2, -1, Integer.MIN_VALUE}) {
            assertThrows(IllegalArgumentException.class, () -> key.interestOps(ops));
            assertThrows(IllegalArgumentException.class, () -> key.interestOpsOr(ops));
        }
        assertEquals(OP_READ, key.interestOps());
    }

    @Test
    void orAddsBitsAndReturnsTheOldSet() {
        assertEquals(OP_READ, key.interestOpsOr(OP_WRITE));
        assertEquals(OP_READ | OP_WRITE, key.interestOps());
        assertEquals(OP_READ | OP_WRITE, key.interestOpsOr(0));
        assertEquals(OP_READ | OP_WRITE, key.interestOps());
    }

    @Test
    void andRemovesBitsAndReturnsTheOldSet() {
        key.interestOps(OP_READ | OP_WRITE);
        assertEquals(OP_READ | OP_WRITE, key.interestOpsAnd(~OP_READ));
        assertEquals(OP_WRITE, key.interestOps());
        assertEquals(OP_WRITE, key.interestOpsAnd(0));
        assertEquals(0, key.interestOps());
    }

    @Test
    void andDoesNotMindBitsThatTheChannelDoesNotHave() {
        assertEquals(OP_READ, key.interestOpsAnd(OP_ACCEPT | OP_READ));
        assertEquals(OP_READ, key.interestOpsAnd(-1));
        assertEquals(OP_READ, key.interestOps());
    }

    @Test
    void orAndAndTakeEffectAtTheNextSelection() throws IOException {
        assertEquals(0, selector.selectNow());
        key.interestOpsOr(OP_WRITE);
        assertEquals(1, selector.select());
        selector.selectedKeys().clear();
        key.interestOpsAnd(OP_READ);
        assertEquals(0, selector.selectNow());
    }

    @Test
    void orAndAndOfSeveralThreadsLoseNothing() throws Exception {
        Deadline end = Deadline.in(TOGGLING);
        Task<Void> toggling = Threads.run(() -> {
            while (!end.passed()) {
                assertEquals(OP_READ, key.interestOpsAnd(~OP_READ) & OP_READ);
                assertEquals(0, key.interestOpsOr(OP_READ) & OP_READ);
            }
        });
        while (!end.passed()) {
            assertEquals(0, key.interestOpsOr(OP_WRITE) & OP_WRITE);
            assertEquals(OP_WRITE, key.interestOpsAnd(~OP_WRITE) & OP_WRITE);
        }
        toggling.join();
        assertEquals(OP_READ, key.interestOps());
    }

    @Test
    void onlyTheLastOfManyChangesBetweenSelectionsCounts() throws IOException {
        for (int i = 0; i < CHANGES; i++) {
            key.interestOps(i % 2 == 0 ? OP_READ | OP_WRITE : OP_WRITE);
        }
        key.interestOps(OP_READ);
        assertEquals(0, selector.selectNow());
        key.interestOps(0);
        key.interestOps(OP_WRITE);
        assertEquals(1, selector.select());
        assertEquals(OP_WRITE, key.readyOps());
    }

    @Test
    void anInvalidKeyRefusesItsOperationSets() throws IOException {
        key.cancel();
        assertRefusesItsOperationSets();
        selector.selectNow();
        assertRefusesItsOperationSets();
    }

    @Test
    void aKeyWhoseSelectorIsClosedRefusesItsOperationSets() throws IOException {
        selector.close();
        assertRefusesItsOperationSets();
    }

    @Test
    void aKeyWhoseChannelIsClosedRefusesItsOperationSets() throws IOException {
        far.close();
        assertRefusesItsOperationSets();
    }

    @Test
    void anInvalidKeyStillKnowsWhatItBelongedTo() throws IOException {
        key.cancel();
        selector.selectNow();
        assertSame(far, key.channel());
        assertSame(selector, key.selector());
        assertEquals("attachment", key.attachment());
        assertEquals("attachment", key.attach("other"));
        assertEquals("other", key.attach(null));
        assertNotNull(key.toString());
        assertEquals(Set.of(key), Set.of(key));
    }

    private void assertRefusesItsOperationSets() {
        cancelled(() -> key.interestOps());
        cancelled(() -> key.interestOps(OP_READ));
        cancelled(() -> key.interestOpsOr(OP_READ));
        cancelled(() -> key.interestOpsAnd(OP_READ));
        cancelled(() -> key.readyOps());
        cancelled(() -> key.isReadable());
        cancelled(() -> key.isWritable());
        cancelled(() -> key.isConnectable());
        cancelled(() -> key.isAcceptable());
    }

    private static void cancelled(Executable use) {
        assertThrows(CancelledKeyException.class, use);
    }
}
