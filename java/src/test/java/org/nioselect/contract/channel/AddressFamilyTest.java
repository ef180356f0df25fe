package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Collections;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;

/** IPv4, IPv6 and channels that speak both. */
@Timeout(60)
class AddressFamilyTest {
    private InetAddress loopback4;
    private InetAddress loopback6;

    @BeforeEach
    void findLoopbackAddresses() throws IOException {
        loopback4 = InetAddress.getByName("127.0.0.1");
        loopback6 = InetAddress.getByName("::1");
    }

    private void assumeIpv6() throws IOException {
        NetworkInterface loopback = NetworkInterface.getByInetAddress(loopback4);
        assumeTrue(!Boolean.getBoolean("java.net.preferIPv4Stack")
                && Collections.list(loopback.getInetAddresses()).contains(loopback6), "no IPv6");
    }

    private static InetSocketAddress local(SocketChannel channel) throws IOException {
        return (InetSocketAddress) channel.getLocalAddress();
    }

    private void assertConnects(ServerSocketChannel listener, InetAddress via,
            Class<? extends InetAddress> type) throws IOException {
        int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        try (SocketChannel near = SocketChannel.open(new InetSocketAddress(via, port));
                SocketChannel far = listener.accept()) {
            assertInstanceOf(type, local(near).getAddress());
            assertInstanceOf(type, local(far).getAddress());
            assertEquals(near.getLocalAddress(), far.getRemoteAddress());
        }
    }

    @Test
    void defaultListenerAcceptsBothFamiliesAndReportsEachAsItself() throws IOException {
        assumeIpv6();
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(null)) {
            assertConnects(listener, loopback4, Inet4Address.class);
            assertConnects(listener, loopback6, Inet6Address.class);
        }
    }

    @Test
    void ipv6ListenerAcceptsBothFamilies() throws IOException {
        assumeIpv6();
        try (ServerSocketChannel listener =
                ServerSocketChannel.open(StandardProtocolFamily.INET6).bind(null)) {
            assertConnects(listener, loopback4, Inet4Address.class);
            assertConnects(listener, loopback6, Inet6Address.class);
        }
    }

    @Test
    void ipv4ListenerBoundToTheWildcardIsIpv4Only() throws IOException {
        try (ServerSocketChannel listener =
                ServerSocketChannel.open(StandardProtocolFamily.INET).bind(null)) {
            InetSocketAddress address = (InetSocketAddress) listener.getLocalAddress();
            assertInstanceOf(Inet4Address.class, address.getAddress());
            assertConnects(listener, loopback4, Inet4Address.class);
        }
    }

    @Test
    void ipv4ChannelsRejectIpv6Addresses() throws IOException {
        InetSocketAddress address = new InetSocketAddress(loopback6, 9);
        try (SocketChannel socket = SocketChannel.open(StandardProtocolFamily.INET);
                ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.INET);
                DatagramChannel datagram = DatagramChannel.open(StandardProtocolFamily.INET)) {
            assertThrows(UnsupportedAddressTypeException.class, () -> socket.bind(address));
            assertThrows(UnsupportedAddressTypeException.class, () -> socket.connect(address));
            assertThrows(UnsupportedAddressTypeException.class, () -> server.bind(address));
            assertThrows(UnsupportedAddressTypeException.class, () -> datagram.bind(address));
            assertThrows(UnsupportedAddressTypeException.class, () -> datagram.connect(address));
            assertThrows(UnsupportedAddressTypeException.class,
                    () -> datagram.send(ByteBuffer.allocate(1), address));
            assertNull(socket.getLocalAddress());
            assertTrue(socket.isOpen());
        }
    }

    @Test
    void localAddressHasTheFamilyItWasBoundWith() throws IOException {
        assumeIpv6();
        for (InetAddress address : new InetAddress[] {loopback4, loopback6}) {
            try (SocketChannel socket = SocketChannel.open();
                    ServerSocketChannel server = ServerSocketChannel.open();
                    DatagramChannel datagram = DatagramChannel.open()) {
                InetSocketAddress any = new InetSocketAddress(address, 0);
                assertEquals(address, local(socket.bind(any)).getAddress());
                assertEquals(address, ((InetSocketAddress) server.bind(any)
                        .getLocalAddress()).getAddress());
                assertEquals(address, ((InetSocketAddress) datagram.bind(any)
                        .getLocalAddress()).getAddress());
            }
        }
    }

    @Test
    void dualStackDatagramChannelTalksToBothFamilies() throws IOException {
        assumeIpv6();
        try (DatagramChannel dual = DatagramChannel.open().bind(null)) {
            int port = ((InetSocketAddress) dual.getLocalAddress()).getPort();
            assertEchoes(dual, port, StandardProtocolFamily.INET, loopback4);
            assertEchoes(dual, port, StandardProtocolFamily.INET6, loopback6);
        }
    }

    private static void assertEchoes(DatagramChannel dual, int port, ProtocolFamily family,
            InetAddress address) throws IOException {
        try (DatagramChannel peer =
                DatagramChannel.open(family).bind(new InetSocketAddress(address, 0))) {
            peer.send(Bytes.of("ping"), new InetSocketAddress(address, port));
            ByteBuffer buffer = ByteBuffer.allocate(8);
            InetSocketAddress sender = (InetSocketAddress) dual.receive(buffer);
            assertEquals(peer.getLocalAddress(), sender);
            assertEquals(4, dual.send(buffer.flip(), sender));
            assertEquals(new InetSocketAddress(address, port),
                    peer.receive(buffer.clear()));
            assertEquals("ping", Bytes.text(buffer));
        }
    }

    @Test
    void scopeOfALinkLocalAddressIsKept() throws IOException {
        assumeIpv6();
        Inet6Address linkLocal = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> address.isLinkLocalAddress()
                        && address instanceof Inet6Address)
                .map(Inet6Address.class::cast).findAny().orElse(null);
        assumeTrue(linkLocal != null, "no link-local address");
        try (ServerSocketChannel listener = ServerSocketChannel.open()
                .bind(new InetSocketAddress(linkLocal, 0));
                SocketChannel near = SocketChannel.open(listener.getLocalAddress());
                SocketChannel far = listener.accept()) {
            Inet6Address remote =
                    (Inet6Address) ((InetSocketAddress) far.getRemoteAddress()).getAddress();
            assertEquals(linkLocal.getScopeId(), remote.getScopeId());
            assertEquals(near.getLocalAddress(), far.getRemoteAddress());
        }
    }

    @Test
    void ipv4MappedAddressesNeverShow() throws IOException {
        try (ServerSocketChannel listener =
                ServerSocketChannel.open().bind(new InetSocketAddress(loopback4, 0));
                SocketChannel near = SocketChannel.open(listener.getLocalAddress());
                SocketChannel far = listener.accept()) {
            assertInstanceOf(Inet4Address.class, local(near).getAddress());
            assertInstanceOf(Inet4Address.class, local(far).getAddress());
            assertInstanceOf(Inet4Address.class,
                    ((InetSocketAddress) far.getRemoteAddress()).getAddress());
        }
    }
}
