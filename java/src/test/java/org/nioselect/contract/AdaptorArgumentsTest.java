package org.nioselect.contract;

import static java.net.StandardSocketOptions.SO_RCVBUF;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nioselect.contract.Refusal.NO_OPTION;
import static org.nioselect.contract.Refusal.UNKNOWN;
import static org.nioselect.contract.Refusal.UNRESOLVED;
import static org.nioselect.contract.Refusal.refuses;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import org.junit.jupiter.api.Test;
import org.nioselect.support.Connections;
import org.nioselect.support.Providers;

/** Null and malformed arguments of the sockets that channels turn into. */
class AdaptorArgumentsTest {
    private static final SocketAddress UNIX = UnixDomainSocketAddress.of("some.socket");

    @Test
    void socketAdaptorsRefuseMalformedArguments() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            Socket socket = channel.socket();
            refuses(IllegalArgumentException.class,
                    () -> socket.connect(null),
                    () -> socket.connect(null, 1),
                    () -> socket.connect(Connections.anyPort(), -1),
                    () -> socket.setSoTimeout(-1),
                    () -> socket.setSendBufferSize(0),
                    () -> socket.setReceiveBufferSize(0),
                    () -> socket.setTrafficClass(-1),
                    () -> socket.setTrafficClass(256));
            refuses(SocketException.class,
                    () -> socket.connect(UNKNOWN), () -> socket.connect(UNIX),
                    () -> socket.bind(UNKNOWN), () -> socket.bind(UNRESOLVED));
            assertSocketOptionsRefuse(socket::setOption, socket::getOption);
            socket.setSoLinger(true, -1);
            assertEquals(-1, socket.getSoLinger());
            socket.setPerformancePreferences(-1, 0, 1);
        }
    }

    @Test
    void connectingASocketAdaptorToAnUnresolvedAddressFailsAndFrom24OnCloses() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            refuses(UnknownHostException.class, () -> channel.socket().connect(UNRESOLVED));
            assertEquals(Providers.javaRelease() < 24, channel.isOpen());
        }
    }

    @Test
    void streamsOfSocketAdaptorsRefuseMalformedRanges() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            InputStream input = pair.near().socket().getInputStream();
            OutputStream output = pair.near().socket().getOutputStream();
            byte[] bytes = new byte[2];
            refuses(NullPointerException.class,
                    () -> input.read(null), () -> input.read(null, 0, 1),
                    () -> output.write(null), () -> output.write(null, 0, 1));
            refuses(IndexOutOfBoundsException.class,
                    () -> input.read(bytes, -1, 1), () -> input.read(bytes, 0, 3),
                    () -> input.read(bytes, 1, Integer.MAX_VALUE),
                    () -> output.write(bytes, -1, 1), () -> output.write(bytes, 0, 3),
                    () -> output.write(bytes, 1, Integer.MAX_VALUE));
            assertEquals(0, input.read(bytes, 2, 0));
            output.write(bytes, 2, 0);
        }
    }

    @Test
    void serverSocketAdaptorsRefuseMalformedArguments() throws IOException {
        try (ServerSocketChannel channel = ServerSocketChannel.open()) {
            ServerSocket socket = channel.socket();
            refuses(IllegalArgumentException.class,
                    () -> socket.setSoTimeout(-1),
                    () -> socket.setReceiveBufferSize(0));
            refuses(SocketException.class,
                    () -> socket.bind(UNKNOWN), () -> socket.bind(UNKNOWN, 1),
                    () -> socket.bind(UNIX), () -> socket.bind(UNRESOLVED));
            assertSocketOptionsRefuse(socket::setOption, socket::getOption);
            socket.setPerformancePreferences(-1, 0, 1);
            assertFalse(socket.isBound());
            socket.bind(null, -1);
            assertTrue(socket.isBound());
        }
    }

    @Test
    void datagramSocketAdaptorsRefuseMalformedArguments() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            DatagramSocket socket = channel.socket();
            refuses(NullPointerException.class,
                    () -> socket.send(null), () -> socket.receive(null));
            refuses(IllegalArgumentException.class,
                    () -> socket.connect(null),
                    () -> socket.connect(null, 1),
                    () -> socket.connect(InetAddress.getLoopbackAddress(), -1),
                    () -> socket.connect(InetAddress.getLoopbackAddress(), 65_536),
                    () -> socket.send(new DatagramPacket(new byte[1], 1)),
                    () -> socket.setSoTimeout(-1),
                    () -> socket.setSendBufferSize(0),
                    () -> socket.setReceiveBufferSize(0),
                    () -> socket.setTrafficClass(-1),
                    () -> socket.setTrafficClass(256));
            refuses(SocketException.class,
                    () -> socket.connect(UNRESOLVED), () -> socket.bind(UNRESOLVED));
            refuses(UnsupportedAddressTypeException.class,
                    () -> socket.connect(UNKNOWN), () -> socket.bind(UNKNOWN));
            assertSocketOptionsRefuse(socket::setOption, socket::getOption);
        }
    }

    @Test
    void datagramSocketAdaptorsRefuseWhatIsNoGroup() throws IOException {
        NetworkInterface loopback =
                NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        SocketAddress group = new InetSocketAddress("225.4.5.6", 0);
        SocketAddress host = new InetSocketAddress("127.0.0.1", 0);
        try (DatagramChannel channel = DatagramChannel.open()) {
            DatagramSocket socket = channel.socket();
            refuses(IllegalArgumentException.class,
                    () -> socket.joinGroup(null, loopback),
                    () -> socket.joinGroup(UNKNOWN, loopback),
                    () -> socket.leaveGroup(null, loopback),
                    () -> socket.leaveGroup(UNKNOWN, loopback));
            refuses(SocketException.class,
                    () -> socket.joinGroup(host, loopback),
                    () -> socket.leaveGroup(host, loopback),
                    () -> socket.leaveGroup(group, loopback));
        }
    }

    private static void assertSocketOptionsRefuse(Setter setter, Getter getter) {
        refuses(NullPointerException.class, () -> setter.set(null, 1), () -> getter.get(null));
        refuses(UnsupportedOperationException.class,
                () -> setter.set(NO_OPTION, 1), () -> getter.get(NO_OPTION));
        refuses(IllegalArgumentException.class, () -> setter.set(SO_RCVBUF, -1));
    }

    @FunctionalInterface
    private interface Setter {
        Object set(SocketOption<Integer> option, Integer value) throws IOException;
    }

    @FunctionalInterface
    private interface Getter {
        Object get(SocketOption<Integer> option) throws IOException;
    }
}
