package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** Registering channels with selectors. */
class RegistrationTest extends SelectorFixture {
    private static final int RACES = 500;
    private static final int REGISTRATIONS = 2_000;

    @Test
    void theKeyTiesChannelAndSelectorTogether() throws IOException {
        Object attachment = new Object();
        SelectionKey key = far.register(selector, OP_READ, attachment);
        assertSame(far, key.channel());
        assertSame(selector, key.selector());
        assertSame(attachment, key.attachment());
        assertEquals(OP_READ, key.interestOps());
        assertTrue(key.isValid());
        assertSame(key, far.keyFor(selector));
        assertTrue(far.isRegistered());
        assertNull(near.keyFor(selector));
    }

    @Test
    void registrationAloneSelectsNothing() throws IOException {
        far.register(selector, OP_WRITE);
        assertTrue(selector.selectedKeys().isEmpty());
    }

    @Test
    void registeringAgainUpdatesInterestAndAttachmentOfTheSameKey() throws IOException {
        SelectionKey key = far.register(selector, OP_READ, "first");
        assertSame(key, far.register(selector, OP_WRITE, "second"));
        assertEquals(OP_WRITE, key.interestOps());
        assertEquals("second", key.attachment());
        assertSame(key, far.register(selector, 0));
        assertNull(key.attachment());
        assertEquals(Set.of(key), selector.keys());
    }

    @Test
    void aChannelMayBeRegisteredWithSeveralSelectors() throws IOException {
        try (Selector other = Selector.open()) {
            SelectionKey reading = far.register(selector, OP_READ);
            SelectionKey writing = far.register(other, OP_WRITE);
            assertNotSame(reading, writing);
            assertEquals(0, selector.selectNow());
            assertEquals(1, other.select());

            send(near);
            assertEquals(1, selector.select());
            assertEquals(OP_READ, reading.readyOps());
            assertEquals(OP_WRITE, writing.readyOps());
        }
    }

    @Test
    void eachKindOfChannelHasItsOwnValidOperations() throws IOException {
        assertEquals(OP_READ | OP_WRITE | OP_CONNECT, far.validOps());
        try (ServerSocketChannel listener = ServerSocketChannel.open();
                DatagramChannel datagrams = DatagramChannel.open()) {
            assertEquals(OP_ACCEPT, listener.validOps());
            assertEquals(OP_READ | OP_WRITE, datagrams.validOps());
        }
        Pipe pipe = Pipe.open();
        try (Pipe.SourceChannel source = pipe.source(); Pipe.SinkChannel sink = pipe.sink()) {
            assertEquals(OP_READ, source.validOps());
            assertEquals(OP_WRITE, sink.validOps());
        }
    }

    @Test
    void operationsThatTheChannelDoesNotHaveAreRefused() throws IOException {
        assertThrows(IllegalArgumentException.class, () -> far.register(selector, OP_ACCEPT));
        assertThrows(IllegalArgumentException.class, () -> far.register(selector, -1));
        assertThrows(IllegalArgumentException.class, () -> far.register(selector, 2));
        assertFalse(far.isRegistered());
        far.register(selector, OP_READ);
        assertThrows(IllegalArgumentException.class, () -> far.register(selector, OP_ACCEPT));
    }

    @Test
    void operationsAreCheckedBeforeTheStateOfTheChannel() throws IOException {
        far.close();
        assertThrows(IllegalArgumentException.class, () -> far.register(selector, OP_ACCEPT));
        assertThrows(ClosedChannelException.class, () -> far.register(selector, OP_READ));
    }

    @Test
    void aChannelInBlockingModeIsRefused() throws IOException {
        far.configureBlocking(true);
        assertThrows(IllegalBlockingModeException.class, () -> far.register(selector, OP_READ));
        assertTrue(selector.keys().isEmpty());
    }

    @Test
    void aChannelOfAnotherProviderIsRefused() throws IOException {
        try (ForeignChannel channel = new ForeignChannel()) {
            channel.configureBlocking(false);
            assertThrows(IllegalSelectorException.class, () -> channel.register(selector, OP_READ));
            assertTrue(selector.keys().isEmpty());
        }
    }

    @Test
    void aClosedSelectorRefusesEveryChannel() throws IOException {
        selector.close();
        assertThrows(ClosedSelectorException.class, () -> far.register(selector, OP_READ));
        assertFalse(far.isRegistered());
        far.configureBlocking(true);
        assertThrows(IllegalBlockingModeException.class, () -> far.register(selector, OP_READ));
    }

    @Test
    void registrationRacingWithCloseLeavesNoValidKey() throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        for (int i = 0; i < RACES; i++) {
            DatagramChannel channel = DatagramChannel.open();
            channel.configureBlocking(false);
            Task<Void> closing = Threads.run(() -> {
                start.await();
                channel.close();
            });
            start.await();
            SelectionKey key = registerUnlessClosed(channel);
            closing.join();
            assertFalse(key != null && key.isValid(), "a valid key of a closed channel");
            selector.selectNow();
            assertTrue(selector.keys().isEmpty());
        }
    }

    @Test
    void aKeyCancelledWhileItsRegistrationIsStillGoingOnLeavesNothingBehind() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        Task<Void> cancelling = Threads.run(() -> {
            while (!over.get()) {
                selector.selectNow(SelectionKey::cancel);
            }
        });
        for (int i = 0; i < REGISTRATIONS; i++) {
            far.register(selector, OP_WRITE);
            while (far.isRegistered() && !cancelling.done()) {
                Thread.yield();
            }
        }
        over.set(true);
        cancelling.join();
        selector.selectNow();
        assertTrue(selector.keys().isEmpty());
    }

    private SelectionKey registerUnlessClosed(DatagramChannel channel) {
        try {
            return channel.register(selector, OP_READ | OP_WRITE);
        } catch (ClosedChannelException e) {
            return null;
        }
    }
}
