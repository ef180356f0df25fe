package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Connections;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** ServerSocketChannel.socket(): a java.net.ServerSocket over the same listener. */
@Timeout(60)
class ServerSocketAdaptorTest {
    @Test
    void socketIsTheSameObjectEachTimeAndLeadsBack() throws IOException {
        try (ServerSocketChannel channel = ServerSocketChannel.open()) {
            assertSame(channel.socket(), channel.socket());
            assertSame(channel, channel.socket().getChannel());
            assertNotNull(channel.socket().toString());
        }
    }

    @Test
    void unixServerHasNoSocket() throws IOException {
        try (ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            assertThrows(UnsupportedOperationException.class, channel::socket);
        }
    }

    @Test
    void unboundSocketAnswersEveryGetter() throws IOException {
        try (ServerSocketChannel channel = ServerSocketChannel.open()) {
            ServerSocket socket = channel.socket();
            assertFalse(socket.isBound());
            assertFalse(socket.isClosed());
            assertNull(socket.getInetAddress());
            assertNull(socket.getLocalSocketAddress());
            assertEquals(-1, socket.getLocalPort());
        }
    }

    @Test
    void boundSocketKnowsItsAddressEvenAfterClose() throws IOException {
        try (ServerSocketChannel channel = ServerSocketChannel.open()) {
            ServerSocket socket = channel.socket();
            socket.bind(Connections.anyPort());
            InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
            for (int i = 0; i < 2; i++) {
                assertTrue(socket.isBound());
                assertEquals(local.getAddress(), socket.getInetAddress());
                assertEquals(local.getPort(), socket.getLocalPort());
                assertEquals(local, socket.getLocalSocketAddress());
                socket.close();
            }
            assertTrue(socket.isClosed());
            assertFalse(channel.isOpen());
        }
    }

    @Test
    void acceptedSocketBelongsToAChannel() throws IOException {
        try (ServerSocketChannel channel = Connections.listen();
                SocketChannel near = SocketChannel.open(channel.getLocalAddress());
                Socket accepted = channel.socket().accept()) {
            assertNotNull(accepted.getChannel());
            assertTrue(accepted.isConnected());
            assertTrue(accepted.getChannel().isBlocking());
            assertEquals(near.getLocalAddress(), accepted.getRemoteSocketAddress());
        }
    }

    @Test
    void acceptOfAnUnboundSocketIsRefused() throws IOException {
        try (ServerSocketChannel channel = ServerSocketChannel.open()) {
            Exception e = assertThrows(SocketException.class, channel.socket()::accept);
            assertEquals("Socket is not bound yet", e.getMessage());
        }
    }

    @Test
    void acceptOfANonBlockingChannelIsIllegalWhenNobodyWaits() throws IOException {
        try (ServerSocketChannel channel = Connections.listen()) {
            channel.configureBlocking(false);
            assertThrows(IllegalBlockingModeException.class, channel.socket()::accept);
            channel.socket().setSoTimeout(5);
            assertThrows(IllegalBlockingModeException.class, channel.socket()::accept);
            assertTrue(channel.isOpen());
        }
    }

    @Test
    void acceptOfANonBlockingChannelReturnsAConnectionThatWaits() throws IOException {
        try (ServerSocketChannel channel = Connections.listen();
                Selector selector = Selector.open();
                SocketChannel near = SocketChannel.open(channel.getLocalAddress())) {
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_ACCEPT);
            assertEquals(1, selector.select(30_000));
            try (Socket accepted = channel.socket().accept()) {
                assertEquals(near.getLocalAddress(), accepted.getRemoteSocketAddress());
            }
        }
    }

    @Test
    void timedOutAcceptLeavesTheListenerUsable() throws IOException {
        try (ServerSocketChannel channel = Connections.listen()) {
            channel.socket().setSoTimeout(20);
            assertEquals(20, channel.socket().getSoTimeout());
            long start = System.nanoTime();
            assertThrows(SocketTimeoutException.class, channel.socket()::accept);
            assertTrue(System.nanoTime() - start >= 20_000_000L);
            assertTrue(channel.isBlocking());
            channel.socket().setSoTimeout(30_000);
            try (SocketChannel near = SocketChannel.open(channel.getLocalAddress());
                    Socket accepted = channel.socket().accept()) {
                assertEquals(near.getLocalAddress(), accepted.getRemoteSocketAddress());
            }
        }
    }

    @Test
    void timeoutBoundsOnlyTheSocketNotTheChannel() throws Exception {
        try (ServerSocketChannel channel = Connections.listen()) {
            channel.socket().setSoTimeout(1);
            Task<SocketChannel> accepting =
                    Threads.start(channel::accept).awaitBlockedIn("accept");
            try (SocketChannel near = SocketChannel.open(channel.getLocalAddress());
                    SocketChannel far = accepting.join()) {
                assertEquals(near.getLocalAddress(), far.getRemoteAddress());
            }
        }
    }

    @Test
    void closeWakesABlockedAcceptWithClosedChannelException() throws Exception {
        for (int timeout : new int[] {0, 60_000}) {
            try (ServerSocketChannel channel = Connections.listen()) {
                channel.socket().setSoTimeout(timeout);
                Task<Socket> accepting =
                        Threads.start(channel.socket()::accept).awaitBlockedIn("accept");
                channel.socket().close();
                assertThrows(ClosedChannelException.class, accepting::join);
                assertTrue(channel.socket().isClosed());
            }
        }
    }

    @Test
    void interruptWakesABlockedAcceptAndClosesTheListener() throws Exception {
        for (int timeout : new int[] {0, 60_000}) {
            try (ServerSocketChannel channel = Connections.listen()) {
                channel.socket().setSoTimeout(timeout);
                Task<Socket> accepting =
                        Threads.start(channel.socket()::accept).awaitBlockedIn("accept");
                accepting.interrupt();
                Exception e = assertThrows(IOException.class, accepting::join);
                assertSame(ClosedByInterruptException.class, e.getClass());
                assertFalse(channel.isOpen());
            }
        }
    }

    @Test
    void acceptAfterCloseThrowsClosedChannelException() throws IOException {
        ServerSocketChannel channel = Connections.listen();
        channel.close();
        assertThrows(ClosedChannelException.class, channel.socket()::accept);
    }

    @Test
    void bindTranslatesUncheckedExceptions() throws IOException {
        try (ServerSocketChannel channel = ServerSocketChannel.open()) {
            ServerSocket socket = channel.socket();
            assertThrows(SocketException.class,
                    () -> socket.bind(InetSocketAddress.createUnresolved("nowhere", 1)));
            assertThrows(SocketException.class,
                    () -> socket.bind(UnixSockets.freshAddress()));
            socket.bind(null);
            assertTrue(socket.getLocalPort() > 0);
            assertThrows(SocketException.class, () -> socket.bind(null));
        }
    }

    @Test
    void optionsAreThoseOfTheChannel() throws IOException {
        try (ServerSocketChannel channel = ServerSocketChannel.open()) {
            ServerSocket socket = channel.socket();
            assertTrue(socket.getReuseAddress());
            socket.setReuseAddress(false);
            assertFalse(channel.getOption(StandardSocketOptions.SO_REUSEADDR));
            socket.setReceiveBufferSize(20_000);
            assertEquals(channel.getOption(StandardSocketOptions.SO_RCVBUF),
                    socket.getReceiveBufferSize());
            socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            assertTrue(socket.getOption(StandardSocketOptions.SO_REUSEADDR));
            assertEquals(channel.supportedOptions(), socket.supportedOptions());
            assertThrows(IllegalArgumentException.class, () -> socket.setReceiveBufferSize(0));
            socket.setPerformancePreferences(1, 2, 3);
        }
    }

    @Test
    void negativeTimeoutIsIllegalAndOptionsOfAClosedSocketAreRefused() throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open();
        ServerSocket socket = channel.socket();
        assertEquals(0, socket.getSoTimeout());
        assertThrows(IllegalArgumentException.class, () -> socket.setSoTimeout(-1));
        socket.close();
        assertThrows(SocketException.class, socket::getReuseAddress);
        assertThrows(SocketException.class, socket::getSoTimeout);
        assertThrows(ClosedChannelException.class, () -> socket.bind(null));
    }
}
