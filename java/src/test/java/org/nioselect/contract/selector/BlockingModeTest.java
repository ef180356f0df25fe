package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SelectionKey;
import org.junit.jupiter.api.Test;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** The blocking mode of a channel, its keys and the threads that use it. */
class BlockingModeTest extends SelectorFixture {
    private static final int TRANSFERS = 1_000;

    @Test
    void changingItReturnsTheChannel() throws IOException {
        assertFalse(far.isBlocking());
        assertSame(far, far.configureBlocking(true));
        assertTrue(far.isBlocking());
        assertSame(far, far.configureBlocking(true));
        assertSame(far, far.configureBlocking(false));
        assertEquals(0, far.read(ByteBuffer.allocate(1)));
    }

    @Test
    void aClosedChannelKeepsItsMode() throws IOException {
        far.close();
        assertThrows(ClosedChannelException.class, () -> far.configureBlocking(true));
        assertThrows(ClosedChannelException.class, () -> far.configureBlocking(false));
    }

    @Test
    void settingTheSameModeIsAllowedWhileRegistered() throws IOException {
        SelectionKey key = far.register(selector, OP_READ);
        assertSame(far, far.configureBlocking(false));
        assertTrue(key.isValid());
    }

    @Test
    void aBlockedReadIsNotDisturbedByAChange() throws Exception {
        far.configureBlocking(true);
        Task<Integer> reader = Threads.start(() -> far.read(ByteBuffer.allocate(1)));
        reader.awaitBlockedIn("read");
        Task<Void> change = Threads.run(() -> far.configureBlocking(false));
        send(near);
        assertEquals(1, reader.join());
        change.join();
        assertFalse(far.isBlocking());
        assertEquals(0, far.read(ByteBuffer.allocate(1)));
    }

    @Test
    void readersAndWritersAreNotDisturbedByManyChanges() throws Exception {
        Task<Void> writer = Threads.run(() -> transfer(buffer -> far.write(buffer)));
        Task<Void> reader = Threads.run(() -> transfer(buffer -> near.read(buffer)));
        while (!writer.done() || !reader.done()) {
            far.configureBlocking(!far.isBlocking());
            near.configureBlocking(!near.isBlocking());
        }
        writer.join();
        reader.join();
    }

    @Test
    void blockingModeIsOutOfReachWhileAKeyIsValid() throws IOException {
        far.register(selector, OP_READ);
        assertThrows(IllegalBlockingModeException.class, () -> far.configureBlocking(true));
        assertFalse(far.isBlocking());
    }

    @Test
    void blockingModeIsAllowedOnceAllKeysAreCancelled() throws Exception {
        SelectionKey key = far.register(selector, OP_READ);
        key.cancel();
        far.configureBlocking(true);
        Task<Integer> reader = Threads.start(() -> far.read(ByteBuffer.allocate(1)));
        reader.awaitBlockedIn("read");

        assertEquals(0, selector.selectNow());
        assertTrue(selector.keys().isEmpty());
        near.write(ByteBuffer.allocate(1));
        assertEquals(1, reader.join());
    }

    private static void transfer(Transfer transfer) throws IOException {
        for (int i = 0; i < TRANSFERS; i++) {
            ByteBuffer buffer = ByteBuffer.allocate(100);
            while (buffer.hasRemaining()) {
                assertTrue(transfer.some(buffer) >= 0);
            }
        }
    }

    @FunctionalInterface
    private interface Transfer {
        int some(ByteBuffer buffer) throws IOException;
    }
}
