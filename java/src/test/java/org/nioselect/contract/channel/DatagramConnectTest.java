package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;

/** connect and disconnect of a DatagramChannel, and what a connected one sends and receives. */
@Timeout(60)
class DatagramConnectTest {
    private final ByteBuffer buffer = ByteBuffer.allocate(16);

    private static DatagramChannel bound() throws IOException {
        return DatagramChannel.open().bind(Connections.anyPort());
    }

    private static InetSocketAddress local(DatagramChannel channel) throws IOException {
        return (InetSocketAddress) channel.getLocalAddress();
    }

    @Test
    void familiesOtherThanInternetAreUnsupported() {
        assertThrows(UnsupportedOperationException.class,
                () -> DatagramChannel.open(StandardProtocolFamily.UNIX));
        assertThrows(UnsupportedOperationException.class, () -> DatagramChannel.open(() -> "X"));
        assertThrows(NullPointerException.class, () -> DatagramChannel.open(null));
    }

    @Test
    void unconnectedChannelNeitherReadsNorWrites() throws IOException {
        try (DatagramChannel channel = bound()) {
            assertFalse(channel.isConnected());
            assertNull(channel.getRemoteAddress());
            assertThrows(NotYetConnectedException.class, () -> channel.read(buffer));
            assertThrows(NotYetConnectedException.class, () -> channel.write(buffer));
            assertThrows(NotYetConnectedException.class,
                    () -> channel.read(new ByteBuffer[] {buffer}));
            assertThrows(NotYetConnectedException.class,
                    () -> channel.write(new ByteBuffer[] {buffer}));
        }
    }

    @Test
    void connectBindsAndKnowsBothAddresses() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open(); DatagramChannel peer = bound()) {
            assertSame(channel, channel.connect(peer.getLocalAddress()));
            assertTrue(channel.isConnected());
            assertEquals(peer.getLocalAddress(), channel.getRemoteAddress());
            assertEquals(InetAddress.getLoopbackAddress(), local(channel).getAddress());
            assertTrue(local(channel).getPort() > 0);
        }
    }

    @Test
    void connectedChannelRefusesAnotherConnectAndABind() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open(); DatagramChannel peer = bound()) {
            channel.connect(peer.getLocalAddress());
            assertThrows(AlreadyConnectedException.class,
                    () -> channel.connect(peer.getLocalAddress()));
            assertThrows(AlreadyBoundException.class, () -> channel.bind(null));
        }
    }

    @Test
    void connectedChannelSendsOnlyToItsPeer() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open();
                DatagramChannel peer = bound(); DatagramChannel stranger = bound()) {
            channel.connect(peer.getLocalAddress());
            assertEquals(3, channel.send(Bytes.of("one"), peer.getLocalAddress()));
            assertEquals(3, channel.write(Bytes.of("two")));
            assertThrows(AlreadyConnectedException.class,
                    () -> channel.send(Bytes.of("x"), stranger.getLocalAddress()));
            peer.receive(buffer);
            peer.receive(buffer);
            assertEquals("onetwo", Bytes.text(buffer));
        }
    }

    @Test
    void connectedChannelReceivesOnlyFromItsPeer() throws IOException {
        try (DatagramChannel channel = bound();
                DatagramChannel peer = bound(); DatagramChannel stranger = bound()) {
            channel.connect(peer.getLocalAddress());
            stranger.send(Bytes.of("stranger"), channel.getLocalAddress());
            peer.send(Bytes.of("peer"), channel.getLocalAddress());
            peer.send(Bytes.of("again"), channel.getLocalAddress());
            assertEquals(peer.getLocalAddress(), channel.receive(buffer));
            assertEquals("peer", Bytes.text(buffer));
            assertEquals(5, channel.read(buffer.clear()));
            assertEquals("again", Bytes.text(buffer));
        }
    }

    @Test
    void connectDropsWhatOthersSentBefore() throws IOException {
        try (DatagramChannel channel = bound(); Selector selector = Selector.open();
                DatagramChannel peer = bound(); DatagramChannel stranger = bound()) {
            stranger.send(Bytes.of("stranger"), channel.getLocalAddress());
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            assertEquals(1, selector.select(30_000));
            channel.connect(peer.getLocalAddress());
            assertNull(channel.receive(buffer));
            assertEquals(0, channel.read(buffer));
        }
    }

    @Test
    void unusableAddressesLeaveTheChannelUnconnected() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            assertThrows(NullPointerException.class, () -> channel.connect(null));
            assertThrows(UnresolvedAddressException.class,
                    () -> channel.connect(InetSocketAddress.createUnresolved("nowhere", 1)));
            assertThrows(UnsupportedAddressTypeException.class,
                    () -> channel.connect(UnixSockets.freshAddress()));
            assertFalse(channel.isConnected());
            assertTrue(channel.isOpen());
        }
    }

    @Test
    void portZeroIsNoTarget() throws IOException {
        InetAddress[] hosts = {InetAddress.getLoopbackAddress(), InetAddress.getByName("0.0.0.0"),
            InetAddress.getByName("::1"), InetAddress.getByName("::")};
        for (InetAddress host : hosts) {
            InetSocketAddress target = new InetSocketAddress(host, 0);
            try (DatagramChannel channel = DatagramChannel.open()) {
                Exception e = assertThrows(SocketException.class, () -> channel.connect(target));
                assertEquals("Can't connect to port 0", e.getMessage());
                e = assertThrows(SocketException.class, () -> channel.send(buffer, target));
                assertEquals("Can't send to port 0", e.getMessage());
                assertTrue(channel.isOpen());
            }
        }
    }

    @Test
    void connectToTheWildcardAddressReachesThisHost() throws IOException {
        try (DatagramChannel server = DatagramChannel.open().bind(null);
                DatagramChannel channel = DatagramChannel.open()) {
            channel.connect(server.getLocalAddress());
            channel.write(Bytes.of("hi"));
            assertEquals(channel.getLocalAddress(), server.receive(buffer));
        }
    }

    @Test
    void disconnectKeepsAddressPortAndOptions() throws IOException {
        try (DatagramChannel channel = bound(); DatagramChannel peer = bound()) {
            channel.setOption(StandardSocketOptions.SO_BROADCAST, true);
            channel.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 3);
            SocketAddress before = channel.getLocalAddress();
            channel.connect(peer.getLocalAddress());
            assertSame(channel, channel.disconnect());
            assertFalse(channel.isConnected());
            assertNull(channel.getRemoteAddress());
            assertEquals(before, channel.getLocalAddress());
            assertTrue(channel.getOption(StandardSocketOptions.SO_BROADCAST));
            assertEquals(3, channel.getOption(StandardSocketOptions.IP_MULTICAST_TTL));
        }
    }

    @Test
    void disconnectRestoresTheWildcardAndAnEphemeralPort() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open().bind(null);
                DatagramChannel peer = bound(); DatagramChannel stranger = bound()) {
            int port = local(channel).getPort();
            for (int i = 0; i < 3; i++) {
                channel.connect(peer.getLocalAddress());
                assertFalse(local(channel).getAddress().isAnyLocalAddress());
                channel.disconnect();
                assertTrue(local(channel).getAddress().isAnyLocalAddress());
                assertEquals(port, local(channel).getPort());
                stranger.send(Bytes.of("hello"),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                assertEquals(stranger.getLocalAddress(), channel.receive(buffer.clear()));
            }
        }
    }

    @Test
    void disconnectedChannelSendsAndReceivesWithAnybodyAgain() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open();
                DatagramChannel peer = bound(); DatagramChannel stranger = bound()) {
            channel.connect(peer.getLocalAddress());
            channel.disconnect();
            assertEquals(2, channel.send(Bytes.of("hi"), stranger.getLocalAddress()));
            InetSocketAddress sender = (InetSocketAddress) stranger.receive(buffer);
            stranger.send(Bytes.of("ho"), sender);
            assertEquals(stranger.getLocalAddress(), channel.receive(buffer.clear()));
            channel.connect(stranger.getLocalAddress());
            assertTrue(channel.isConnected());
        }
    }

    @Test
    void disconnectKeepsTheSelectorRegistration() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open();
                DatagramChannel peer = bound(); Selector selector = Selector.open()) {
            channel.configureBlocking(false);
            channel.connect(peer.getLocalAddress());
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            channel.disconnect();
            assertTrue(key.isValid());
            peer.send(Bytes.of("x"), new InetSocketAddress(InetAddress.getLoopbackAddress(),
                    local(channel).getPort()));
            assertEquals(1, selector.select(30_000));
            assertNotNull(channel.receive(buffer));
        }
    }

    @Test
    void disconnectOfAnUnconnectedChannelDoesNothing() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            assertSame(channel, channel.disconnect());
            assertNull(channel.getLocalAddress());
        }
    }

    @Test
    void sameChannelMayReconnectManyTimes() throws Exception {
        try (DatagramChannel channel = bound();
                DatagramChannel one = bound(); DatagramChannel other = bound()) {
            for (int i = 0; i < 20; i++) {
                DatagramChannel peer = i % 2 == 0 ? one : other;
                channel.connect(peer.getLocalAddress());
                channel.write(Bytes.of("n" + i));
                assertEquals(channel.getLocalAddress(), peer.receive(buffer.clear()));
                assertEquals("n" + i, Bytes.text(buffer));
                channel.disconnect();
            }
        }
    }
}
