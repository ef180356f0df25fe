package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a selection updates the ready set of a key, and which keys it counts. */
class ReadySetTest extends SelectorFixture {
    private static final int BOTH = OP_READ | OP_WRITE;

    @Test
    void aNewKeyHasNothingReady() throws IOException {
        send(near);
        assertEquals(0, far.register(selector, BOTH).readyOps());
    }

    @Test
    void aKeyOutsideTheSelectedSetGetsItsReadySetReplaced() throws IOException {
        SelectionKey key = far.register(selector, OP_WRITE);
        assertEquals(1, selector.select());
        selector.selectedKeys().clear();

        key.interestOps(OP_READ);
        send(near);
        assertEquals(1, selector.select());
        assertEquals(OP_READ, key.readyOps());
    }

    @Test
    void aKeyStillInTheSelectedSetGetsNewBitsAdded() throws IOException {
        SelectionKey key = far.register(selector, OP_WRITE);
        assertEquals(1, selector.select());

        key.interestOps(OP_READ);
        send(near);
        assertEquals(1, selector.select());
        assertEquals(BOTH, key.readyOps());
        assertEquals(Set.of(key), selector.selectedKeys());
    }

    @Test
    void aKeyStillInTheSelectedSetLosesNoBits() throws IOException {
        SelectionKey key = far.register(selector, OP_READ);
        send(near);
        assertEquals(1, selector.select());
        drain(far);

        assertEquals(0, selector.selectNow());
        assertEquals(OP_READ, key.readyOps());
        key.interestOps(OP_WRITE);
        assertEquals(1, selector.select());
        assertEquals(BOTH, key.readyOps());
    }

    @Test
    void theReadySetOfAKeyThatIsNotReadyAgainStays() throws IOException {
        SelectionKey key = far.register(selector, OP_READ);
        send(near);
        selector.select();
        selector.selectedKeys().clear();
        drain(far);

        assertEquals(0, selector.selectNow());
        assertEquals(OP_READ, key.readyOps());
    }

    @Test
    void aChangeOfInterestLeavesTheReadySetAlone() throws IOException {
        SelectionKey key = far.register(selector, BOTH);
        selector.select();
        key.interestOps(0);
        assertEquals(OP_WRITE, key.readyOps());
    }

    @Test
    void selectReturnsZeroAtOnceForASelectedKeyWithTheSameBits() throws IOException {
        far.register(selector, OP_WRITE);
        assertEquals(1, selector.select());
        assertEquals(0, selector.select());
        assertEquals(0, selector.select(60_000));
        assertEquals(0, selector.selectNow());
    }

    @Test
    void onlyKeysThatWereAddedOrChangedAreCounted() throws IOException {
        SelectionKey first = far.register(selector, OP_WRITE);
        assertEquals(1, selector.select());
        SelectionKey second = near.register(selector, OP_WRITE);

        assertEquals(1, selector.select());
        assertEquals(Set.of(first, second), selector.selectedKeys());
        first.interestOps(BOTH);
        second.interestOps(BOTH);
        send(near);
        assertEquals(1, selector.select());
        assertEquals(OP_WRITE, second.readyOps());
    }

    @Test
    void aKeyIsCountedOnceForSeveralBits() throws IOException {
        SelectionKey key = far.register(selector, BOTH);
        send(near);
        assertEquals(1, selector.select());
        assertEquals(BOTH, key.readyOps());
    }

    @Test
    void theConvenienceMethodsTellTheReadyBits() throws IOException {
        SelectionKey key = far.register(selector, BOTH);
        selector.select();
        assertTrue(key.isWritable());
        assertFalse(key.isReadable());
        assertFalse(key.isConnectable());
        assertFalse(key.isAcceptable());
    }

    @ParameterizedTest
    @CsvSource({
        "0,0", "0,1", "0,4", "0,5", "1,0", "1,1", "1,4", "1,5",
        "4,0", "4,1", "4,4", "4,5", "5,0", "5,1", "5,4", "5,5",
    })
    void exactlyTheInterestBitsAreReportedAfterAnyChange(int from, int to) throws IOException {
        SelectionKey key = far.register(selector, from);
        send(near);
        near.register(selector, OP_READ);
        assertReported(key, from);
        key.interestOps(to);
        assertReported(key, to);
        assertReported(key, to);
    }

    @Test
    void interestInReadingAloneSleepsWhileOnlyWritingIsPossible() throws IOException {
        SelectionKey key = far.register(selector, BOTH);
        assertReported(key, OP_WRITE);
        key.interestOps(OP_READ);
        assertSleeps(selector, 100);
        key.interestOps(0);
        send(near);
        assertSleeps(selector, 100);
    }

    private void assertReported(SelectionKey key, int ops) throws IOException {
        assertEquals(ops == 0 ? 0 : 1, selector.selectNow());
        if (ops != 0) {
            assertEquals(Set.of(key), selector.selectedKeys());
            assertEquals(ops, key.readyOps());
            selector.selectedKeys().clear();
        }
    }
}
