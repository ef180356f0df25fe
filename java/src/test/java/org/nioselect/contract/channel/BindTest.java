package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nioselect.support.Connections;

/** bind and getLocalAddress, which all network channels share. */
@Timeout(60)
class BindTest {
    /** Opens a network channel of one kind. */
    interface Opener {
        NetworkChannel open() throws IOException;
    }

    static Stream<Named<Opener>> kinds() {
        return Stream.of(
                Named.of("SocketChannel", SocketChannel::open),
                Named.of("ServerSocketChannel", ServerSocketChannel::open),
                Named.of("DatagramChannel", DatagramChannel::open));
    }

    /** An address of a type that no channel knows. */
    private static final class AlienAddress extends SocketAddress {
        private static final long serialVersionUID = 1L;
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void unboundChannelHasNoLocalAddress(Opener kind) throws IOException {
        try (NetworkChannel channel = kind.open()) {
            assertNull(channel.getLocalAddress());
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void bindToPortZeroChoosesAFreePort(Opener kind) throws IOException {
        try (NetworkChannel channel = kind.open()) {
            assertSame(channel, channel.bind(Connections.anyPort()));
            InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
            assertEquals(Connections.anyPort().getAddress(), local.getAddress());
            assertTrue(local.getPort() > 0);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void bindToNullMeansTheWildcardAndAFreePort(Opener kind) throws IOException {
        try (NetworkChannel channel = kind.open()) {
            channel.bind(null);
            InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
            assertTrue(local.getAddress().isAnyLocalAddress());
            assertTrue(local.getPort() > 0);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void secondBindThrowsAlreadyBoundException(Opener kind) throws IOException {
        try (NetworkChannel channel = kind.open()) {
            channel.bind(Connections.anyPort());
            SocketAddress first = channel.getLocalAddress();
            assertThrows(AlreadyBoundException.class, () -> channel.bind(null));
            assertThrows(AlreadyBoundException.class, () -> channel.bind(Connections.anyPort()));
            assertEquals(first, channel.getLocalAddress());
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void unusableAddressLeavesTheChannelUnbound(Opener kind) throws IOException {
        try (NetworkChannel channel = kind.open()) {
            assertThrows(UnsupportedAddressTypeException.class,
                    () -> channel.bind(new AlienAddress()));
            assertThrows(UnsupportedAddressTypeException.class,
                    () -> channel.bind(UnixSockets.freshAddress()));
            assertThrows(UnresolvedAddressException.class,
                    () -> channel.bind(InetSocketAddress.createUnresolved("nowhere", 0)));
            assertTrue(channel.isOpen());
            channel.bind(Connections.anyPort());
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void addressInUseThrowsBindException(Opener kind) throws IOException {
        try (NetworkChannel first = kind.open().bind(Connections.anyPort());
                NetworkChannel second = kind.open()) {
            SocketAddress taken = first.getLocalAddress();
            Exception e = assertThrows(BindException.class, () -> second.bind(taken));
            assertEquals("Address already in use", e.getMessage());
            assertTrue(second.isOpen());
            assertNull(second.getLocalAddress());
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void addressOfAnotherHostThrowsBindException(Opener kind) throws IOException {
        InetSocketAddress foreign = new InetSocketAddress("203.0.113.7", 0);
        try (NetworkChannel channel = kind.open()) {
            Exception e = assertThrows(BindException.class, () -> channel.bind(foreign));
            assertEquals("Cannot assign requested address", e.getMessage());
            assertTrue(channel.isOpen());
        }
    }

    @Test
    void clientCannotBindToThePortOfAListener() throws IOException {
        try (ServerSocketChannel listener = Connections.listen();
                SocketChannel channel = SocketChannel.open()) {
            SocketAddress taken = listener.getLocalAddress();
            assertThrows(BindException.class, () -> channel.bind(taken));
            assertTrue(channel.isOpen());
        }
    }

    @Test
    void boundClientConnectsFromItsPort() throws IOException {
        try (ServerSocketChannel listener = Connections.listen();
                SocketChannel channel = SocketChannel.open().bind(Connections.anyPort())) {
            SocketAddress local = channel.getLocalAddress();
            channel.connect(listener.getLocalAddress());
            assertEquals(local, channel.getLocalAddress());
            try (SocketChannel accepted = listener.accept()) {
                assertEquals(local, accepted.getRemoteAddress());
            }
        }
    }

    @Test
    void listenersPortIsFreeForTheNextListenerAtOnce() throws IOException {
        SocketAddress address;
        try (ServerSocketChannel listener = Connections.listen()) {
            address = listener.getLocalAddress();
            try (SocketChannel near = SocketChannel.open(address);
                    SocketChannel accepted = listener.accept()) {
                accepted.shutdownOutput();
                assertFalse(near.isConnectionPending());
            }
        }
        try (ServerSocketChannel next = ServerSocketChannel.open().bind(address)) {
            assertEquals(address, next.getLocalAddress());
        }
    }
}
