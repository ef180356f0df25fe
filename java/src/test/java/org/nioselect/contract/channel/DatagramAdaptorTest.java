package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Connections;

/** DatagramChannel.socket(): a java.net.DatagramSocket over the same socket. */
@Timeout(60)
class DatagramAdaptorTest {
    private static DatagramChannel bound() throws IOException {
        return DatagramChannel.open().bind(Connections.anyPort());
    }

    private static DatagramPacket packet(String text, SocketAddress target) {
        return new DatagramPacket(text.getBytes(), text.length(), target);
    }

    @Test
    void socketIsTheSameObjectEachTimeAndLeadsBack() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            assertSame(channel.socket(), channel.socket());
            assertSame(channel, channel.socket().getChannel());
        }
    }

    @Test
    void socketIsAMulticastSocket() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            MulticastSocket socket =
                    assertInstanceOf(MulticastSocket.class, channel.socket());
            assertEquals(1, socket.getTimeToLive());
            socket.setTimeToLive(0);
            assertEquals(0, channel.getOption(StandardSocketOptions.IP_MULTICAST_TTL));
            assertThrows(IllegalArgumentException.class, () -> socket.setTimeToLive(256));
        }
    }

    @Test
    void unboundSocketAnswersEveryGetter() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            DatagramSocket socket = channel.socket();
            assertFalse(socket.isBound());
            assertFalse(socket.isConnected());
            assertFalse(socket.isClosed());
            assertTrue(socket.getLocalAddress().isAnyLocalAddress());
            assertEquals(0, socket.getLocalPort());
            assertNull(socket.getLocalSocketAddress());
            assertEquals(-1, socket.getPort());
            assertNull(socket.getInetAddress());
            assertNull(socket.getRemoteSocketAddress());
        }
    }

    @Test
    void boundAndConnectedSocketKnowsBothEnds() throws IOException {
        try (DatagramChannel channel = bound(); DatagramChannel peer = bound()) {
            DatagramSocket socket = channel.socket();
            InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
            InetSocketAddress remote = (InetSocketAddress) peer.getLocalAddress();
            assertTrue(socket.isBound());
            assertEquals(local, socket.getLocalSocketAddress());
            assertEquals(local.getPort(), socket.getLocalPort());
            assertEquals(local.getAddress(), socket.getLocalAddress());
            channel.connect(remote);
            assertTrue(socket.isConnected());
            assertEquals(remote, socket.getRemoteSocketAddress());
            assertEquals(remote.getPort(), socket.getPort());
            assertEquals(remote.getAddress(), socket.getInetAddress());
            channel.disconnect();
            assertFalse(socket.isConnected());
            assertEquals(-1, socket.getPort());
        }
    }

    @Test
    void closedSocketAnswersEveryGetter() throws IOException {
        DatagramChannel channel = bound();
        DatagramSocket socket = channel.socket();
        channel.close();
        assertTrue(socket.isClosed());
        assertFalse(socket.isConnected());
        assertNull(socket.getLocalAddress());
        assertNull(socket.getLocalSocketAddress());
        assertEquals(-1, socket.getLocalPort());
        assertEquals(-1, socket.getPort());
        assertNull(socket.getInetAddress());
        assertNull(socket.getRemoteSocketAddress());
    }

    @Test
    void closedSocketRefusesEverythingButConnectAndDisconnect() throws IOException {
        DatagramSocket socket = DatagramChannel.open().socket();
        socket.close();
        DatagramPacket packet = packet("x", new InetSocketAddress("127.0.0.1", 9));
        assertAll(
                () -> assertThrows(SocketException.class, () -> socket.receive(packet)),
                () -> assertThrows(SocketException.class, () -> socket.send(packet)),
                () -> assertThrows(SocketException.class, () -> socket.bind(null)),
                () -> assertThrows(SocketException.class, () -> socket.setSoTimeout(1)),
                () -> assertThrows(SocketException.class, socket::getReuseAddress),
                () -> assertThrows(SocketException.class, () -> socket.setBroadcast(true)),
                () -> socket.connect(packet.getSocketAddress()),
                () -> socket.connect(packet.getAddress(), 9),
                socket::disconnect,
                socket::close);
    }

    @Test
    void closeOfTheSocketClosesTheChannel() throws IOException {
        DatagramChannel channel = DatagramChannel.open();
        channel.socket().close();
        assertFalse(channel.isOpen());
        assertTrue(channel.socket().isClosed());
    }

    @Test
    void bindTwiceIsRefused() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            DatagramSocket socket = channel.socket();
            socket.bind(Connections.anyPort());
            assertEquals(channel.getLocalAddress(), socket.getLocalSocketAddress());
            Exception e = assertThrows(SocketException.class, () -> socket.bind(null));
            assertEquals("Already bound", e.getMessage());
        }
    }

    @Test
    void connectMayBeRepeatedToOtherPeers() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open();
                DatagramChannel one = bound(); DatagramChannel other = bound()) {
            DatagramSocket socket = channel.socket();
            socket.connect(one.getLocalAddress());
            socket.connect(one.getLocalAddress());
            socket.connect(other.getLocalAddress());
            assertEquals(other.getLocalAddress(), channel.getRemoteAddress());
            InetSocketAddress first = (InetSocketAddress) one.getLocalAddress();
            socket.connect(first.getAddress(), first.getPort());
            assertEquals(first, channel.getRemoteAddress());
            socket.disconnect();
            assertNull(channel.getRemoteAddress());
            assertDoesNotThrow(socket::disconnect);
        }
    }

    @Test
    void illegalArgumentsOfConnectAreRefused() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            DatagramSocket socket = channel.socket();
            InetAddress loopback = InetAddress.getLoopbackAddress();
            assertThrows(IllegalArgumentException.class, () -> socket.connect(null));
            assertThrows(IllegalArgumentException.class, () -> socket.connect(null, 5));
            assertThrows(IllegalArgumentException.class, () -> socket.connect(loopback, -1));
            assertThrows(IllegalArgumentException.class, () -> socket.connect(loopback, 65536));
            assertThrows(UnsupportedAddressTypeException.class,
                    () -> socket.connect(UnixSockets.freshAddress()));
            Exception e = assertThrows(SocketException.class,
                    () -> socket.connect(InetSocketAddress.createUnresolved("nowhere", 1)));
            assertEquals("Unresolved address", e.getMessage());
            assertThrows(SocketException.class, () -> socket.connect(Connections.anyPort()));
            assertFalse(socket.isConnected());
        }
    }

    @Test
    void illegalOptionValuesAreRefused() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            DatagramSocket socket = channel.socket();
            assertThrows(IllegalArgumentException.class, () -> socket.setSoTimeout(-1));
            assertThrows(IllegalArgumentException.class, () -> socket.setSendBufferSize(0));
            assertThrows(IllegalArgumentException.class, () -> socket.setReceiveBufferSize(-1));
            assertThrows(IllegalArgumentException.class, () -> socket.setTrafficClass(256));
        }
    }

    @Test
    void optionsAreThoseOfTheChannel() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            DatagramSocket socket = channel.socket();
            assertFalse(socket.getBroadcast());
            socket.setBroadcast(true);
            assertTrue(channel.getOption(StandardSocketOptions.SO_BROADCAST));
            socket.setReuseAddress(true);
            assertTrue(channel.getOption(StandardSocketOptions.SO_REUSEADDR));
            socket.setReceiveBufferSize(30_000);
            assertEquals(channel.getOption(StandardSocketOptions.SO_RCVBUF),
                    socket.getReceiveBufferSize());
            socket.setSendBufferSize(30_000);
            assertEquals(channel.getOption(StandardSocketOptions.SO_SNDBUF),
                    socket.getSendBufferSize());
            socket.setTrafficClass(0x10);
            assertEquals(0x10, channel.getOption(StandardSocketOptions.IP_TOS));
            socket.setOption(StandardSocketOptions.SO_BROADCAST, false);
            assertFalse(socket.getOption(StandardSocketOptions.SO_BROADCAST));
            assertEquals(channel.supportedOptions(), socket.supportedOptions());
            assertEquals(0, socket.getSoTimeout());
        }
    }
}
