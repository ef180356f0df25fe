package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NoConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** The states of a SocketChannel around connect, and what is legal in each. */
@Timeout(60)
class ConnectTest {
    private final ByteBuffer buffer = ByteBuffer.allocate(16);

    @Test
    void freshChannelIsOpenBlockingUnboundAndUnconnected() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            assertTrue(channel.isOpen());
            assertTrue(channel.isBlocking());
            assertFalse(channel.isConnected());
            assertFalse(channel.isConnectionPending());
            assertNull(channel.getLocalAddress());
            assertNull(channel.getRemoteAddress());
            assertEquals(SelectionKey.OP_CONNECT | SelectionKey.OP_READ | SelectionKey.OP_WRITE,
                    channel.validOps());
        }
    }

    @Test
    void unconnectedChannelRefusesIoAndStaysOpen() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            assertThrows(NotYetConnectedException.class, () -> channel.read(buffer));
            assertThrows(NotYetConnectedException.class,
                    () -> channel.read(new ByteBuffer[] {buffer}));
            assertThrows(NotYetConnectedException.class, () -> channel.write(buffer));
            assertThrows(NotYetConnectedException.class,
                    () -> channel.write(new ByteBuffer[] {buffer}));
            assertThrows(NoConnectionPendingException.class, channel::finishConnect);
            assertTrue(channel.isOpen());
        }
    }

    @Test
    void blockingConnectReturnsTrueAndKnowsBothAddresses() throws IOException {
        try (ServerSocketChannel listener = Connections.listen();
                SocketChannel channel = SocketChannel.open()) {
            assertTrue(channel.connect(listener.getLocalAddress()));
            assertTrue(channel.isConnected());
            assertFalse(channel.isConnectionPending());
            try (SocketChannel accepted = listener.accept()) {
                assertEquals(listener.getLocalAddress(), channel.getRemoteAddress());
                assertEquals(channel.getLocalAddress(), accepted.getRemoteAddress());
                assertEquals(channel.getRemoteAddress(), accepted.getLocalAddress());
            }
        }
    }

    @Test
    void connectedChannelRefusesToConnectAgain() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            SocketAddress peer = pair.near().getRemoteAddress();
            assertThrows(AlreadyConnectedException.class, () -> pair.near().connect(peer));
            assertThrows(AlreadyConnectedException.class, () -> pair.far().connect(peer));
            assertThrows(AlreadyBoundException.class, () -> pair.near().bind(null));
            assertTrue(pair.near().finishConnect());
            assertTrue(pair.near().isOpen());
        }
    }

    @Test
    void nonBlockingConnectIsFinishedWithFinishConnect() throws Exception {
        try (ServerSocketChannel listener = Connections.listen();
                SocketChannel channel = SocketChannel.open()) {
            channel.configureBlocking(false);
            if (!channel.connect(listener.getLocalAddress())) {
                assertTrue(channel.isConnectionPending());
                assertFalse(channel.isConnected());
                Deadline.await("the connection is established", channel::finishConnect);
            }
            assertTrue(channel.isConnected());
            assertFalse(channel.isConnectionPending());
            assertTrue(channel.finishConnect());
        }
    }

    @Test
    void pendingConnectionRefusesIoAndAnotherConnect() throws Exception {
        try (SilentListener silent = SilentListener.open();
                SocketChannel channel = SocketChannel.open()) {
            channel.configureBlocking(false);
            assertFalse(channel.connect(silent.address()));
            SocketAddress anybody = Connections.refusing();
            assertTrue(channel.isConnectionPending());
            assertThrows(ConnectionPendingException.class, () -> channel.connect(anybody));
            assertThrows(ConnectionPendingException.class, () -> channel.bind(null));
            assertThrows(NotYetConnectedException.class, () -> channel.read(buffer));
            assertThrows(NotYetConnectedException.class, () -> channel.write(buffer));
            assertThrows(NotYetConnectedException.class, channel::shutdownInput);
            assertFalse(channel.finishConnect());
            assertTrue(channel.isOpen());
        }
    }

    @Test
    void closeOfAPendingConnectionEndsIt() throws Exception {
        SocketChannel channel = SocketChannel.open();
        try (SilentListener silent = SilentListener.open()) {
            channel.configureBlocking(false);
            assertFalse(channel.connect(silent.address()));
            channel.close();
            assertFalse(channel.isConnectionPending());
            assertFalse(channel.isConnected());
        }
    }

    @Test
    void blockingFinishConnectWaitsForTheConnection() throws Exception {
        try (ServerSocketChannel listener = Connections.listen();
                SocketChannel channel = SocketChannel.open()) {
            channel.configureBlocking(false);
            channel.connect(listener.getLocalAddress());
            channel.configureBlocking(true);
            assertTrue(channel.finishConnect());
            assertTrue(channel.isConnected());
        }
    }

    @Test
    void refusedBlockingConnectClosesTheChannel() throws IOException {
        SocketAddress nobody = Connections.refusing();
        try (SocketChannel channel = SocketChannel.open()) {
            Exception e = assertThrows(ConnectException.class, () -> channel.connect(nobody));
            assertEquals("Connection refused", e.getMessage());
            assertFalse(channel.isOpen());
            assertFalse(channel.isConnected());
        }
    }

    @Test
    void refusedNonBlockingConnectFailsInFinishConnectAndClosesTheChannel() throws Exception {
        SocketAddress nobody = Connections.refusing();
        try (SocketChannel channel = SocketChannel.open(); Selector selector = Selector.open()) {
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, SelectionKey.OP_CONNECT);
            Exception e = assertThrows(ConnectException.class, () -> {
                if (!channel.connect(nobody)) {
                    selector.select(30_000);
                    channel.finishConnect();
                }
            });
            assertEquals("Connection refused", e.getMessage());
            assertFalse(channel.isOpen());
            assertFalse(key.isValid());
        }
    }

    @Test
    void refusedBlockingFinishConnectClosesTheChannel() throws IOException {
        SocketAddress nobody = Connections.refusing();
        try (SocketChannel channel = SocketChannel.open()) {
            channel.configureBlocking(false);
            assertThrows(ConnectException.class, () -> {
                channel.connect(nobody);
                channel.configureBlocking(true);
                channel.finishConnect();
            });
            assertFalse(channel.isOpen());
        }
    }

    @Test
    void unusableAddressLeavesTheChannelOpenAndUsable() throws IOException {
        try (ServerSocketChannel listener = Connections.listen();
                SocketChannel channel = SocketChannel.open()) {
            assertThrows(UnresolvedAddressException.class,
                    () -> channel.connect(InetSocketAddress.createUnresolved("nowhere", 80)));
            assertThrows(UnsupportedAddressTypeException.class,
                    () -> channel.connect(UnixSockets.freshAddress()));
            assertThrows(NullPointerException.class, () -> channel.connect(null));
            assertTrue(channel.isOpen());
            assertTrue(channel.connect(listener.getLocalAddress()));
        }
    }

    @Test
    void connectToTheWildcardAddressReachesThisHost() throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(null);
                SocketChannel channel = SocketChannel.open(listener.getLocalAddress())) {
            InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
            InetSocketAddress remote = (InetSocketAddress) channel.getRemoteAddress();
            assertTrue(remote.getAddress().isLoopbackAddress(), remote::toString);
            assertFalse(local.getAddress().isAnyLocalAddress(), local::toString);
            try (SocketChannel accepted = listener.accept()) {
                assertEquals(local, accepted.getRemoteAddress());
            }
        }
    }

    @Test
    void channelBoundToTheWildcardKnowsItsRealAddressOnceConnected() throws IOException {
        try (ServerSocketChannel listener = Connections.listen();
                SocketChannel channel = SocketChannel.open().bind(null)) {
            InetSocketAddress before = (InetSocketAddress) channel.getLocalAddress();
            assertTrue(before.getAddress().isAnyLocalAddress());
            assertTrue(before.getPort() > 0);
            channel.connect(listener.getLocalAddress());
            InetSocketAddress after = (InetSocketAddress) channel.getLocalAddress();
            assertEquals(InetAddress.getLoopbackAddress(), after.getAddress());
            assertEquals(before.getPort(), after.getPort());
        }
    }

    @Test
    void connectToPortZeroFailsAndClosesTheChannel() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            assertThrows(ConnectException.class, () -> channel.connect(Connections.anyPort()));
            assertFalse(channel.isOpen());
        }
    }

    @Test
    void connectionIsUsableBeforeItIsAccepted() throws Exception {
        try (ServerSocketChannel listener = Connections.listen();
                SocketChannel channel = SocketChannel.open(listener.getLocalAddress())) {
            channel.write(Bytes.of("early"));
            Task<String> reader = Threads.start(() -> {
                try (SocketChannel accepted = listener.accept()) {
                    return Bytes.readText(accepted, 5);
                }
            });
            assertEquals("early", reader.join());
        }
    }

    @Test
    void openWithAnAddressConnectsOrFailsAsAWhole() throws IOException {
        try (ServerSocketChannel listener = Connections.listen();
                SocketChannel channel = SocketChannel.open(listener.getLocalAddress())) {
            assertTrue(channel.isConnected());
            assertTrue(channel.isBlocking());
        }
        SocketAddress nobody = Connections.refusing();
        assertThrows(ConnectException.class, () -> SocketChannel.open(nobody));
    }

    @Test
    void channelAndSelectorNameTheSameProvider() throws IOException {
        try (SocketChannel channel = SocketChannel.open(); Selector selector = Selector.open()) {
            assertSame(selector.provider(), channel.provider());
        }
    }
}
