package org.nioselect.regression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Connections;
import org.nioselect.support.Providers;

/** What sockets of channels make of wrong addresses, wrong states and nothing to write. */
@Timeout(60)
class SocketAdaptorRulesTest {
    private static final InetSocketAddress UNRESOLVED =
            InetSocketAddress.createUnresolved("name", 1);

    @Test
    void unresolvedAddressDoesNotEndAConnection() throws IOException {
        assumeTrue(Providers.javaRelease() >= 24);
        try (Connections.Pair pair = Connections.open()) {
            Exception e = assertThrows(SocketException.class,
                    () -> pair.near().socket().connect(UNRESOLVED));
            assertEquals("Already connected", e.getMessage());
            assertTrue(pair.near().isConnected());
        }
    }

    @Test
    void closedSocketSaysSoForAnUnresolvedAddress() throws IOException {
        assumeTrue(Providers.javaRelease() >= 24);
        SocketChannel channel = SocketChannel.open();
        channel.close();
        Exception e = assertThrows(SocketException.class,
                () -> channel.socket().connect(UNRESOLVED));
        assertEquals("Socket is closed", e.getMessage());
    }

    @Test
    void writingNothingToAStreamSucceedsInAnyState() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            OutputStream out = pair.near().socket().getOutputStream();
            pair.near().configureBlocking(false);
            out.write(new byte[1], 1, 0);
            pair.near().close();
            out.write(new byte[1], 1, 0);
            assertThrows(IndexOutOfBoundsException.class, () -> out.write(new byte[1], 2, 0));
        }
    }

    @Test
    void datagramChannelIsNotBoundByConnectingToPortZero() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            assertThrows(SocketException.class, () -> channel.connect(Connections.anyPort()));
            assertNull(channel.getLocalAddress());
        }
    }

    @Test
    void ipv6AddressIsAnExceptionOfSocketsForAnIpv4DatagramSocket() throws IOException {
        InetAddress ipv6 = InetAddress.getByName("::1");
        try (DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET)) {
            DatagramSocket socket = channel.socket();
            Exception e = assertThrows(UncheckedIOException.class, () -> socket.connect(ipv6, 9));
            assertEquals("Unsupported address type", e.getCause().getMessage());
            assertThrows(SocketException.class,
                    () -> socket.connect(new InetSocketAddress(ipv6, 9)));
            assertThrows(SocketException.class,
                    () -> socket.bind(new InetSocketAddress(ipv6, 0)));
        }
    }

    @Test
    void kindOfAddressIsCheckedBeforeWhetherADatagramSocketIsBound() throws IOException {
        UnixDomainSocketAddress unix = UnixDomainSocketAddress.of("name");
        try (DatagramChannel channel = DatagramChannel.open().bind(Connections.anyPort())) {
            assertThrows(UnsupportedAddressTypeException.class,
                    () -> channel.socket().bind(unix));
        }
    }
}
