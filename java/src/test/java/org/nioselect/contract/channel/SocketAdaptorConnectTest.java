package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Connections;
import org.nioselect.support.Providers;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** bind and connect through SocketChannel.socket(), with timeouts and a socket's exceptions. */
@Timeout(60)
class SocketAdaptorConnectTest {
    private static final class AlienAddress extends SocketAddress {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void bindAndConnectThroughTheSocket() throws IOException {
        try (ServerSocketChannel listener = Connections.listen();
                SocketChannel channel = SocketChannel.open()) {
            channel.socket().bind(Connections.anyPort());
            assertTrue(channel.socket().isBound());
            assertEquals(channel.getLocalAddress(), channel.socket().getLocalSocketAddress());
            channel.socket().connect(listener.getLocalAddress());
            assertTrue(channel.isConnected());
            assertTrue(channel.isBlocking());
        }
    }

    @Test
    void connectWithATimeoutLeavesABlockingConnectedChannel() throws IOException {
        try (ServerSocketChannel listener = Connections.listen();
                SocketChannel channel = SocketChannel.open()) {
            channel.socket().connect(listener.getLocalAddress(), 30_000);
            assertTrue(channel.isConnected());
            assertTrue(channel.isBlocking());
        }
    }

    @Test
    void timedOutConnectThrowsSocketTimeoutExceptionAndClosesTheChannel() throws Exception {
        try (SilentListener silent = SilentListener.open();
                SocketChannel channel = SocketChannel.open()) {
            assertThrows(SocketTimeoutException.class,
                    () -> channel.socket().connect(silent.address(), 50));
            assertFalse(channel.isOpen());
        }
    }

    @Test
    void refusedConnectClosesTheChannel() throws IOException {
        SocketAddress nobody = Connections.refusing();
        try (SocketChannel channel = SocketChannel.open()) {
            Exception e = assertThrows(ConnectException.class,
                    () -> channel.socket().connect(nobody));
            assertEquals("Connection refused", e.getMessage());
            assertFalse(channel.isOpen());
        }
    }

    @Test
    void connectOfANonBlockingChannelIsIllegal() throws IOException {
        try (ServerSocketChannel listener = Connections.listen();
                SocketChannel channel = SocketChannel.open()) {
            channel.configureBlocking(false);
            assertThrows(IllegalBlockingModeException.class,
                    () -> channel.socket().connect(listener.getLocalAddress()));
            assertTrue(channel.isOpen());
        }
    }

    @Test
    void uncheckedExceptionsOfTheChannelBecomeThoseOfASocket() throws IOException {
        InetSocketAddress unresolved = InetSocketAddress.createUnresolved("nowhere", 80);
        try (SocketChannel one = SocketChannel.open();
                SocketChannel other = SocketChannel.open();
                Connections.Pair pair = Connections.open()) {
            assertThrows(UnknownHostException.class, () -> one.socket().connect(unresolved));
            assertThrows(SocketException.class, () -> other.socket().connect(new AlienAddress()));
            Socket connected = pair.near().socket();
            SocketAddress peer = pair.near().getRemoteAddress();
            Exception e = assertThrows(Exception.class, () -> connected.connect(peer));
            // the provider of Java 17 lets the channel's own exception through
            assertTrue(e instanceof SocketException || Providers.javaRelease() < 25
                    && e instanceof AlreadyConnectedException, e::toString);
            assertThrows(SocketException.class, () -> connected.bind(null));
        }
    }

    @Test
    void illegalArgumentsOfConnectAreRefused() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            Socket socket = channel.socket();
            assertThrows(IllegalArgumentException.class, () -> socket.connect(null));
            assertThrows(IllegalArgumentException.class,
                    () -> socket.connect(Connections.anyPort(), -1));
            assertTrue(channel.isOpen());
        }
    }

    @Test
    void bindTranslatesUncheckedExceptionsToo() throws IOException {
        InetSocketAddress unresolved = InetSocketAddress.createUnresolved("nowhere", 80);
        try (SocketChannel channel = SocketChannel.open()) {
            Socket socket = channel.socket();
            assertThrows(SocketException.class, () -> socket.bind(unresolved));
            assertThrows(SocketException.class, () -> socket.bind(new AlienAddress()));
            socket.bind(Connections.anyPort());
            assertThrows(SocketException.class, () -> socket.bind(Connections.anyPort()));
        }
    }

    @Test
    void blockedConnectOfTheSocketIsEndedByClose() throws Exception {
        try (SilentListener silent = SilentListener.open();
                SocketChannel channel = SocketChannel.open()) {
            SocketAddress address = silent.address();
            Task<Void> connecting = Threads.run(() -> channel.socket().connect(address, 60_000))
                    .awaitBlockedIn("connect");
            channel.socket().close();
            assertThrows(IOException.class, connecting::join);
            assertTrue(channel.socket().isClosed());
        }
    }
}
