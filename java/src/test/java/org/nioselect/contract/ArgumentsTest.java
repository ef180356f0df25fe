package org.nioselect.contract;

import static java.net.StandardSocketOptions.IP_MULTICAST_TTL;
import static java.net.StandardSocketOptions.IP_TOS;
import static java.net.StandardSocketOptions.SO_LINGER;
import static java.net.StandardSocketOptions.SO_RCVBUF;
import static java.net.StandardSocketOptions.SO_REUSEADDR;
import static java.net.StandardSocketOptions.SO_SNDBUF;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nioselect.contract.Refusal.NO_OPTION;
import static org.nioselect.contract.Refusal.UNKNOWN;
import static org.nioselect.contract.Refusal.UNRESOLVED;
import static org.nioselect.contract.Refusal.refuses;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.MembershipKey;
import java.nio.channels.NetworkChannel;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.Pipe;
import java.nio.channels.ScatteringByteChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import org.junit.jupiter.api.Test;
import org.nioselect.support.Connections;

/** Null and malformed arguments of every public method of the channels. */
class ArgumentsTest {
    private static final SocketAddress UNIX = UnixDomainSocketAddress.of("some.socket");

    @Test
    void openingRefusesNull() {
        refuses(NullPointerException.class,
                () -> SocketChannel.open((ProtocolFamily) null),
                () -> SocketChannel.open((SocketAddress) null),
                () -> ServerSocketChannel.open(null),
                () -> DatagramChannel.open(null));
    }

    @Test
    void openingRefusesAddressesThatCannotBeConnectedTo() {
        refuses(UnsupportedAddressTypeException.class, () -> SocketChannel.open(UNKNOWN));
        refuses(UnresolvedAddressException.class, () -> SocketChannel.open(UNRESOLVED));
        refuses(UnsupportedOperationException.class,
                () -> SocketChannel.open(() -> "unknown"),
                () -> ServerSocketChannel.open(() -> "unknown"),
                () -> DatagramChannel.open(() -> "unknown"),
                () -> DatagramChannel.open(StandardProtocolFamily.UNIX));
    }

    @Test
    void bindRefusesAddressesOfOtherKindsAndUnresolvedOnes() throws IOException {
        try (SocketChannel socket = SocketChannel.open();
                ServerSocketChannel listener = ServerSocketChannel.open();
                DatagramChannel datagrams = DatagramChannel.open()) {
            for (NetworkChannel channel : new NetworkChannel[] {socket, listener, datagrams}) {
                refuses(UnsupportedAddressTypeException.class,
                        () -> channel.bind(UNKNOWN), () -> channel.bind(UNIX));
                refuses(UnresolvedAddressException.class, () -> channel.bind(UNRESOLVED));
                assertEquals(null, channel.getLocalAddress());
            }
        }
    }

    @Test
    void bindTakesNullForAnyAddressAndAnyBacklog() throws IOException {
        try (SocketChannel socket = SocketChannel.open();
                ServerSocketChannel first = ServerSocketChannel.open();
                ServerSocketChannel second = ServerSocketChannel.open();
                DatagramChannel datagrams = DatagramChannel.open()) {
            assertNotNull(socket.bind(null).getLocalAddress());
            assertNotNull(first.bind(null, -1).getLocalAddress());
            assertNotNull(second.bind(null, Integer.MAX_VALUE).getLocalAddress());
            assertNotNull(datagrams.bind(null).getLocalAddress());
        }
    }

    @Test
    void optionsRefuseNullUnknownNamesAndMalformedValues() throws IOException {
        try (SocketChannel socket = SocketChannel.open();
                ServerSocketChannel listener = ServerSocketChannel.open();
                DatagramChannel datagrams = DatagramChannel.open()) {
            for (NetworkChannel channel : new NetworkChannel[] {socket, listener, datagrams}) {
                assertOptionsRefuse(channel);
            }
            assertEquals(-1, socket.setOption(SO_LINGER, -5).getOption(SO_LINGER));
            refuses(IllegalArgumentException.class,
                    () -> socket.setOption(SO_SNDBUF, -1),
                    () -> socket.setOption(IP_TOS, -1),
                    () -> socket.setOption(IP_TOS, 256),
                    () -> datagrams.setOption(SO_SNDBUF, -1),
                    () -> datagrams.setOption(IP_TOS, 256),
                    () -> datagrams.setOption(IP_MULTICAST_TTL, -1),
                    () -> datagrams.setOption(IP_MULTICAST_TTL, 256));
            refuses(UnsupportedOperationException.class,
                    () -> listener.getOption(IP_TOS),
                    () -> listener.setOption(SO_LINGER, 1),
                    () -> socket.getOption(IP_MULTICAST_TTL));
        }
    }

    @Test
    void connectRefusesAddressesThatCannotBeConnectedToAndStaysOpen() throws IOException {
        try (SocketChannel socket = SocketChannel.open();
                DatagramChannel datagrams = DatagramChannel.open()) {
            refuses(NullPointerException.class, () -> datagrams.connect(null));
            refuses(UnsupportedAddressTypeException.class,
                    () -> socket.connect(UNKNOWN), () -> socket.connect(UNIX),
                    () -> datagrams.connect(UNKNOWN), () -> datagrams.connect(UNIX));
            refuses(UnresolvedAddressException.class,
                    () -> socket.connect(UNRESOLVED), () -> datagrams.connect(UNRESOLVED));
            refuses(NullPointerException.class, () -> socket.connect(null));
            assertTrue(socket.isOpen() && datagrams.isOpen());
        }
    }

    @Test
    void unixChannelsRefuseAddressesOfOtherKinds() throws IOException {
        try (SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX);
                ServerSocketChannel listener =
                        ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            refuses(NullPointerException.class, () -> socket.connect(null));
            refuses(UnsupportedAddressTypeException.class,
                    () -> socket.connect(UNKNOWN),
                    () -> socket.connect(Connections.anyPort()),
                    () -> socket.bind(UNKNOWN),
                    () -> socket.bind(Connections.anyPort()),
                    () -> listener.bind(UNKNOWN),
                    () -> listener.bind(Connections.anyPort()));
            refuses(UnsupportedOperationException.class, socket::socket, listener::socket);
        }
    }

    @Test
    void connectedChannelsRefuseMalformedBuffers() throws IOException {
        try (Connections.Pair pair = Connections.open();
                DatagramChannel datagrams = DatagramChannel.open()) {
            assertReadRefuses(pair.near());
            assertWriteRefuses(pair.near());
            datagrams.bind(Connections.anyPort());
            datagrams.connect(datagrams.getLocalAddress());
            assertReadRefuses(datagrams);
            assertWriteRefuses(datagrams);
        }
    }

    @Test
    void pipesRefuseMalformedBuffers() throws IOException {
        Pipe pipe = Pipe.open();
        try (Pipe.SourceChannel source = pipe.source(); Pipe.SinkChannel sink = pipe.sink()) {
            assertReadRefuses(source);
            assertWriteRefuses(sink);
        }
    }

    @Test
    void malformedBuffersAreRefusedBeforeTheStateIsLookedAt() throws IOException {
        try (SocketChannel socket = SocketChannel.open();
                DatagramChannel datagrams = DatagramChannel.open()) {
            assertRangesRefused(socket, socket);
            assertRangesRefused(datagrams, datagrams);
            refuses(NullPointerException.class,
                    () -> socket.read((ByteBuffer) null), () -> socket.write((ByteBuffer) null),
                    () -> datagrams.read((ByteBuffer) null),
                    () -> datagrams.write((ByteBuffer) null));
            refuses(NotYetConnectedException.class,
                    () -> socket.read(ByteBuffer.allocate(1)),
                    () -> socket.write(new ByteBuffer[] {ByteBuffer.allocate(1)}),
                    () -> datagrams.read(ByteBuffer.allocate(1)),
                    () -> datagrams.write(new ByteBuffer[0]));
        }
    }

    @Test
    void datagramsRefuseMalformedBuffersAndTargets() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open().bind(Connections.anyPort())) {
            SocketAddress self = channel.getLocalAddress();
            ByteBuffer buffer = ByteBuffer.allocate(1);
            refuses(NullPointerException.class,
                    () -> channel.send(null, self),
                    () -> channel.send(buffer, null),
                    () -> channel.receive(null));
            refuses(IllegalArgumentException.class,
                    () -> channel.receive(buffer.asReadOnlyBuffer()));
            refuses(UnresolvedAddressException.class, () -> channel.send(buffer, UNRESOLVED));
            refuses(UnsupportedAddressTypeException.class,
                    () -> channel.send(buffer, UNKNOWN), () -> channel.send(buffer, UNIX));
            assertEquals(1, buffer.remaining());
            assertEquals(1, channel.send(buffer.asReadOnlyBuffer(), self));
        }
    }

    @Test
    void joinRefusesWhatIsNoGroupInterfaceOrSource() throws IOException {
        NetworkInterface loopback =
                NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        InetAddress group = InetAddress.getByName("225.4.5.6");
        InetAddress host = InetAddress.getByName("127.0.0.1");
        try (DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET)) {
            refuses(NullPointerException.class,
                    () -> channel.join(null, loopback),
                    () -> channel.join(group, null),
                    () -> channel.join(group, loopback, null),
                    () -> channel.join(null, loopback, host),
                    () -> channel.join(group, null, host));
            refuses(IllegalArgumentException.class,
                    () -> channel.join(host, loopback),
                    () -> channel.join(InetAddress.getByName("ff02::a"), loopback),
                    () -> channel.join(group, loopback, InetAddress.getByName("0.0.0.0")),
                    () -> channel.join(group, loopback, group),
                    () -> channel.join(group, loopback, InetAddress.getByName("::1")));
        }
    }

    @Test
    void membershipKeysRefuseWhatIsNoSource() throws IOException {
        NetworkInterface loopback =
                NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        try (DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET)) {
            MembershipKey key = channel.join(InetAddress.getByName("225.4.5.6"), loopback);
            refuses(NullPointerException.class, () -> key.block(null));
            refuses(IllegalArgumentException.class,
                    () -> key.block(InetAddress.getByName("0.0.0.0")),
                    () -> key.block(InetAddress.getByName("225.1.1.1")),
                    () -> key.block(InetAddress.getByName("::1")));
            refuses(IllegalStateException.class,
                    () -> key.unblock(null),
                    () -> key.unblock(InetAddress.getByName("127.0.0.9")));
            assertTrue(key.isValid());
        }
    }

    @SuppressWarnings({"rawtypes", "unchecked"})
    private static void assertOptionsRefuse(NetworkChannel channel) {
        refuses(NullPointerException.class,
                () -> channel.setOption(null, 1), () -> channel.getOption(null));
        refuses(UnsupportedOperationException.class,
                () -> channel.setOption(NO_OPTION, 1), () -> channel.getOption(NO_OPTION));
        refuses(IllegalArgumentException.class,
                () -> channel.setOption(SO_RCVBUF, null),
                () -> channel.setOption(SO_REUSEADDR, null),
                () -> channel.setOption((SocketOption) SO_REUSEADDR, "true"),
                () -> channel.setOption((SocketOption) SO_RCVBUF, "1"),
                () -> channel.setOption(SO_RCVBUF, -1));
    }

    private static void assertReadRefuses(ScatteringByteChannel channel) {
        ByteBuffer readOnly = ByteBuffer.allocate(1).asReadOnlyBuffer();
        refuses(NullPointerException.class,
                () -> channel.read((ByteBuffer) null),
                () -> channel.read((ByteBuffer[]) null),
                () -> channel.read(null, 0, 0),
                () -> channel.read(new ByteBuffer[] {null}),
                () -> channel.read(new ByteBuffer[] {ByteBuffer.allocate(1), null}));
        refuses(IllegalArgumentException.class,
                () -> channel.read(readOnly),
                () -> channel.read(new ByteBuffer[] {readOnly}),
                () -> channel.read(new ByteBuffer[] {ByteBuffer.allocate(1), readOnly}, 0, 2));
    }

    private static void assertWriteRefuses(GatheringByteChannel channel) {
        refuses(NullPointerException.class,
                () -> channel.write((ByteBuffer) null),
                () -> channel.write((ByteBuffer[]) null),
                () -> channel.write(null, 0, 0),
                () -> channel.write(new ByteBuffer[] {null}));
    }

    private static void assertRangesRefused(ScatteringByteChannel in, GatheringByteChannel out) {
        ByteBuffer[] buffers = {ByteBuffer.allocate(1), ByteBuffer.allocate(1)};
        int[][] ranges = {{-1, 1}, {0, -1}, {0, 3}, {2, 1}, {3, 0}, {1, Integer.MAX_VALUE}};
        for (int[] range : ranges) {
            refuses(IndexOutOfBoundsException.class,
                    () -> in.read(buffers, range[0], range[1]),
                    () -> out.write(buffers, range[0], range[1]));
        }
    }
}
