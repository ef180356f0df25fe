package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Connections;
import org.nioselect.support.Threads;

/** SocketChannel.socket(): a java.net.Socket over the same connection. */
@Timeout(60)
class SocketAdaptorTest {
    @Test
    void socketIsTheSameObjectEachTimeAndLeadsBack() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            assertSame(channel.socket(), channel.socket());
            assertSame(channel, channel.socket().getChannel());
        }
    }

    @Test
    void unixChannelHasNoSocket() throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            assertThrows(UnsupportedOperationException.class, channel::socket);
        }
    }

    @Test
    void unconnectedSocketAnswersEveryGetter() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            Socket socket = channel.socket();
            assertFalse(socket.isBound());
            assertFalse(socket.isConnected());
            assertFalse(socket.isClosed());
            assertFalse(socket.isInputShutdown());
            assertFalse(socket.isOutputShutdown());
            assertNull(socket.getInetAddress());
            assertNull(socket.getRemoteSocketAddress());
            assertNull(socket.getLocalSocketAddress());
            assertTrue(socket.getLocalAddress().isAnyLocalAddress());
            assertEquals(0, socket.getPort());
            assertEquals(-1, socket.getLocalPort());
            assertNotNull(socket.toString());
        }
    }

    @Test
    void connectedSocketKnowsBothEnds() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            Socket socket = pair.near().socket();
            InetSocketAddress local = (InetSocketAddress) pair.near().getLocalAddress();
            InetSocketAddress remote = (InetSocketAddress) pair.near().getRemoteAddress();
            assertTrue(socket.isBound());
            assertTrue(socket.isConnected());
            assertEquals(remote.getAddress(), socket.getInetAddress());
            assertEquals(remote.getPort(), socket.getPort());
            assertEquals(remote, socket.getRemoteSocketAddress());
            assertEquals(local.getAddress(), socket.getLocalAddress());
            assertEquals(local.getPort(), socket.getLocalPort());
            assertEquals(local, socket.getLocalSocketAddress());
        }
    }

    @Test
    void closedSocketStillAnswersItsGetters() throws IOException {
        Connections.Pair pair = Connections.open();
        Socket socket = pair.near().socket();
        final InetSocketAddress local = (InetSocketAddress) pair.near().getLocalAddress();
        final InetSocketAddress remote = (InetSocketAddress) pair.near().getRemoteAddress();
        pair.close();
        assertTrue(socket.isClosed());
        assertTrue(socket.isBound());
        assertEquals(remote.getAddress(), socket.getInetAddress());
        assertEquals(remote.getPort(), socket.getPort());
        assertEquals(remote, socket.getRemoteSocketAddress());
        assertEquals(local.getPort(), socket.getLocalPort());
        assertTrue(socket.getLocalAddress().isAnyLocalAddress());
    }

    @Test
    void closeOfTheSocketClosesTheChannelAndTheOtherWayRound() throws IOException {
        SocketChannel one = SocketChannel.open();
        one.socket().close();
        assertFalse(one.isOpen());
        SocketChannel other = SocketChannel.open();
        other.close();
        assertTrue(other.socket().isClosed());
    }

    @Test
    void streamsAndOptionsOfAClosedSocketThrowSocketException() throws IOException {
        Socket socket = SocketChannel.open().socket();
        socket.close();
        assertAll(
                () -> assertThrows(SocketException.class, socket::getInputStream),
                () -> assertThrows(SocketException.class, socket::getOutputStream),
                () -> assertThrows(SocketException.class, () -> socket.setTcpNoDelay(true)),
                () -> assertThrows(SocketException.class, socket::getSoLinger),
                () -> assertThrows(SocketException.class, socket::getSoTimeout),
                () -> assertThrows(SocketException.class, () -> socket.setSoTimeout(1)),
                socket::close);
    }

    @Test
    void operationsOfAClosedSocketThrowClosedChannelException() throws IOException {
        Socket socket = SocketChannel.open().socket();
        socket.close();
        assertAll(
                () -> assertThrows(ClosedChannelException.class, () -> socket.bind(null)),
                () -> assertThrows(ClosedChannelException.class,
                        () -> socket.connect(Connections.anyPort())),
                () -> assertThrows(ClosedChannelException.class, () -> socket.sendUrgentData(1)),
                () -> assertThrows(ClosedChannelException.class, socket::shutdownInput),
                () -> assertThrows(ClosedChannelException.class, socket::shutdownOutput));
    }

    @Test
    void optionsAreThoseOfTheChannel() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            Socket socket = channel.socket();
            socket.setTcpNoDelay(true);
            assertTrue(channel.getOption(StandardSocketOptions.TCP_NODELAY));
            socket.setKeepAlive(true);
            assertTrue(channel.getOption(StandardSocketOptions.SO_KEEPALIVE));
            socket.setReuseAddress(true);
            assertTrue(channel.getOption(StandardSocketOptions.SO_REUSEADDR));
            socket.setSoLinger(true, 3);
            assertEquals(3, socket.getSoLinger());
            assertEquals(3, channel.getOption(StandardSocketOptions.SO_LINGER));
            socket.setSoLinger(false, 0);
            assertEquals(-1, socket.getSoLinger());
            socket.setSendBufferSize(20_000);
            assertEquals(channel.getOption(StandardSocketOptions.SO_SNDBUF),
                    socket.getSendBufferSize());
            socket.setReceiveBufferSize(20_000);
            assertEquals(channel.getOption(StandardSocketOptions.SO_RCVBUF),
                    socket.getReceiveBufferSize());
            socket.setOption(StandardSocketOptions.TCP_NODELAY, false);
            assertFalse(socket.getTcpNoDelay());
            assertEquals(channel.supportedOptions(), socket.supportedOptions());
        }
    }

    @Test
    void illegalOptionValuesAreRefused() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            Socket socket = channel.socket();
            assertAll(
                    () -> refuses(() -> socket.setSoTimeout(-1)),
                    () -> refuses(() -> socket.setSendBufferSize(0)),
                    () -> refuses(() -> socket.setReceiveBufferSize(-1)),
                    () -> refuses(() -> socket.setTrafficClass(256)));
            socket.setPerformancePreferences(1, 2, 3);
        }
    }

    private static void refuses(Threads.Action setter) {
        assertThrows(IllegalArgumentException.class, setter::run);
    }

    @Test
    void soTimeoutIsKept() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            assertEquals(0, channel.socket().getSoTimeout());
            channel.socket().setSoTimeout(1234);
            assertEquals(1234, channel.socket().getSoTimeout());
        }
    }

    @Test
    void shutdownThroughTheSocketIsThatOfTheChannel() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().socket().shutdownOutput();
            assertTrue(pair.near().socket().isOutputShutdown());
            assertEquals(-1, pair.far().socket().getInputStream().read());
            pair.near().socket().shutdownInput();
            assertTrue(pair.near().socket().isInputShutdown());
            assertEquals(-1, pair.near().read(ByteBuffer.allocate(1)));
            assertThrows(SocketException.class, pair.near().socket()::getInputStream);
            assertThrows(SocketException.class, pair.near().socket()::getOutputStream);
        }
    }
}
