package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;
import org.nioselect.support.Descriptors;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** What close does: for the peer, for the selector, for whoever is using the channel just then. */
@Timeout(60)
class CloseTest {
    private static final int RACES = 100;

    private final ByteBuffer buffer = ByteBuffer.allocate(16);

    @Test
    void closeIsIdempotent() throws IOException {
        SocketChannel channel = SocketChannel.open();
        channel.close();
        channel.close();
        assertFalse(channel.isOpen());
    }

    @Test
    void closeOfARegisteredChannelEndsThePeersInputAtOnce() throws IOException {
        try (Selector selector = Selector.open(); Connections.Pair pair = Connections.open()) {
            pair.near().configureBlocking(false);
            SelectionKey key = pair.near().register(selector, SelectionKey.OP_READ);
            pair.near().close();
            assertEquals(-1, pair.far().read(buffer));
            assertFalse(key.isValid());
        }
    }

    @Test
    void closeOfARegisteredChannelSendsAllThatWasWritten() throws IOException {
        try (Selector selector = Selector.open(); Connections.Pair pair = Connections.open()) {
            pair.near().configureBlocking(false);
            pair.near().register(selector, SelectionKey.OP_READ);
            pair.near().write(Bytes.of("farewell"));
            pair.near().close();
            assertEquals("farewell", Bytes.readText(pair.far(), 8));
            assertEquals(-1, pair.far().read(buffer));
        }
    }

    @Test
    void closeWithZeroLingerResetsThePeer() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().setOption(StandardSocketOptions.SO_LINGER, 0);
            pair.near().close();
            assertThrows(IOException.class, () -> pair.far().read(buffer));
        }
    }

    @Test
    void closeOfARegisteredChannelWithZeroLingerResetsByTheNextSelect() throws IOException {
        try (Selector selector = Selector.open(); Connections.Pair pair = Connections.open()) {
            pair.near().configureBlocking(false);
            pair.near().register(selector, SelectionKey.OP_READ);
            pair.near().setOption(StandardSocketOptions.SO_LINGER, 0);
            pair.near().close();
            selector.selectNow();
            assertThrows(IOException.class, () -> pair.far().read(buffer));
        }
    }

    @Test
    void selectorReleasesTheDescriptorOfAClosedChannel() throws Exception {
        try (Selector selector = Selector.open()) {
            Descriptors.assertNoLeak(40, () -> {
                try (Connections.Pair pair = Connections.openNonBlocking()) {
                    pair.near().register(selector, SelectionKey.OP_READ);
                    pair.far().register(selector, SelectionKey.OP_WRITE);
                }
                selector.selectNow();
            });
        }
    }

    @Test
    void closeOfTheSelectorReleasesTheDescriptorsOfClosedChannels() throws Exception {
        Descriptors.assertNoLeak(40, () -> {
            try (Selector selector = Selector.open();
                    Connections.Pair pair = Connections.openNonBlocking()) {
                pair.near().register(selector, SelectionKey.OP_READ);
                pair.near().close();
            }
        });
    }

    @Test
    void channelClosedWhileAThreadSelectsIsReleasedWithoutAnotherSelectCall() throws Exception {
        try (Selector selector = Selector.open(); Connections.Pair pair = Connections.open()) {
            pair.near().configureBlocking(false);
            pair.near().register(selector, SelectionKey.OP_READ);
            Task<Integer> selecting = Threads.start(selector::select).awaitBlockedIn("select");
            pair.near().close();
            assertEquals(-1, pair.far().read(buffer));
            selector.wakeup();
            assertEquals(0, selecting.join());
            assertEquals(0, selector.keys().size());
        }
    }

    /** Uses a registered, non-blocking channel all the time while another thread closes it. */
    private static void closeInUse(SelectableChannel channel, int ops, Callable<?> use)
            throws Exception {
        try (Selector selector = Selector.open()) {
            channel.configureBlocking(false);
            channel.register(selector, ops);
            Task<Void> user = Threads.run(() -> {
                while (true) {
                    use.call();
                }
            });
            channel.close();
            while (!user.done()) {
                selector.selectNow();
            }
            assertThrows(ClosedChannelException.class, user::join);
            Deadline.await("the key is gone", () -> {
                selector.selectNow();
                return selector.keys().isEmpty();
            });
        }
    }

    @Test
    void closeDuringAReadEndsItOnlyWithClosedChannelException() throws Exception {
        for (int i = 0; i < RACES; i++) {
            try (Connections.Pair pair = Connections.open()) {
                closeInUse(pair.near(), SelectionKey.OP_READ,
                        () -> pair.near().read(ByteBuffer.allocate(8)));
            }
        }
    }

    @Test
    void closeDuringAWriteEndsItOnlyWithClosedChannelException() throws Exception {
        for (int i = 0; i < RACES; i++) {
            try (Connections.Pair pair = Connections.open()) {
                closeInUse(pair.near(), SelectionKey.OP_WRITE,
                        () -> pair.near().write(ByteBuffer.allocate(8)));
            }
        }
    }

    @Test
    void closeDuringAnAcceptEndsItOnlyWithClosedChannelException() throws Exception {
        for (int i = 0; i < RACES; i++) {
            try (ServerSocketChannel listener = Connections.listen()) {
                closeInUse(listener, SelectionKey.OP_ACCEPT, listener::accept);
            }
        }
    }

    @Test
    void closeDuringAReceiveEndsItOnlyWithClosedChannelException() throws Exception {
        for (int i = 0; i < RACES; i++) {
            try (DatagramChannel channel =
                    DatagramChannel.open().bind(Connections.anyPort())) {
                closeInUse(channel, SelectionKey.OP_READ,
                        () -> channel.receive(ByteBuffer.allocate(8)));
            }
        }
    }

    @Test
    void closeDuringASendEndsItOnlyWithClosedChannelException() throws Exception {
        for (int i = 0; i < RACES; i++) {
            try (DatagramChannel channel = DatagramChannel.open();
                    DatagramChannel sink = DatagramChannel.open().bind(Connections.anyPort())) {
                SocketAddress target = sink.getLocalAddress();
                closeInUse(channel, SelectionKey.OP_WRITE,
                        () -> channel.send(ByteBuffer.allocate(8), target));
            }
        }
    }

    @Test
    void closeDuringAPipeReadEndsItOnlyWithClosedChannelException() throws Exception {
        for (int i = 0; i < RACES; i++) {
            Pipe pipe = Pipe.open();
            try (Pipe.SinkChannel open = pipe.sink()) {
                assertTrue(open.isOpen());
                closeInUse(pipe.source(), SelectionKey.OP_READ,
                        () -> pipe.source().read(ByteBuffer.allocate(8)));
            }
        }
    }

    @Test
    void closeDuringAConnectThatFailsNeverDeadlocks() throws Exception {
        SocketAddress nobody = Connections.refusing();
        for (int i = 0; i < 2 * RACES; i++) {
            SocketChannel channel = SocketChannel.open();
            Task<?> connecting = Threads.start(() -> channel.connect(nobody));
            channel.close();
            assertThrows(IOException.class, connecting::join);
            assertFalse(channel.isOpen());
        }
    }

    @Test
    void closeDuringAConnectThatSucceedsNeverDeadlocks() throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(Connections.anyPort(), 2 * RACES);
            for (int i = 0; i < RACES; i++) {
                SocketChannel channel = SocketChannel.open();
                Task<Boolean> connecting = Threads.start(() -> {
                    try {
                        return channel.connect(listener.getLocalAddress());
                    } catch (ClosedChannelException e) {
                        return false;
                    }
                });
                channel.close();
                connecting.join();
                assertFalse(channel.isOpen());
                assertFalse(channel.isConnected());
            }
        }
    }

    @Test
    void closeWorksAfterTheThreadThatConnectedHasEnded() throws Exception {
        try (ServerSocketChannel listener = Connections.listen()) {
            for (int i = 0; i < 50; i++) {
                Task<SocketChannel> connecting =
                        Threads.start(() -> SocketChannel.open(listener.getLocalAddress()));
                SocketChannel near = connecting.join();
                connecting.thread().join();
                try (SocketChannel far = listener.accept()) {
                    near.close();
                    assertEquals(-1, far.read(buffer));
                }
            }
        }
    }

    @Test
    void descriptorReusedAfterCloseReceivesNoByteMeantForTheOldOne() throws Exception {
        for (int i = 0; i < RACES; i++) {
            try (Connections.Pair old = Connections.open()) {
                Task<Void> writer = Threads.run(() -> {
                    while (true) {
                        old.near().write(Bytes.of("old"));
                    }
                });
                old.near().close();
                try (Connections.Pair fresh = Connections.open()) {
                    fresh.near().write(Bytes.of("new"));
                    fresh.near().shutdownOutput();
                    assertEquals("new", Bytes.readText(fresh.far(), 3));
                    assertEquals(-1, fresh.far().read(buffer.clear()));
                }
                assertThrows(ClosedChannelException.class, writer::join);
            }
        }
    }
}
