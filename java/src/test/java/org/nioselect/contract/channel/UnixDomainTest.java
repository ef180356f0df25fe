package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NetworkChannel;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.Principal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** Connections between UNIX domain channels. */
@Timeout(60)
class UnixDomainTest {
    private static final UnixDomainSocketAddress UNNAMED = UnixDomainSocketAddress.of("");

    private final ByteBuffer buffer = ByteBuffer.allocate(16);

    private static SocketChannel client() throws IOException {
        return SocketChannel.open(StandardProtocolFamily.UNIX);
    }

    private static ServerSocketChannel server() throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    }

    @Test
    void openWithAnAddressChoosesTheFamily() throws IOException {
        try (ServerSocketChannel listener = UnixSockets.listen();
                SocketChannel near = SocketChannel.open(listener.getLocalAddress());
                SocketChannel far = listener.accept()) {
            assertTrue(near.isConnected());
            assertEquals(listener.getLocalAddress(), near.getRemoteAddress());
            assertEquals(listener.getLocalAddress(), far.getLocalAddress());
            assertEquals(UNNAMED, near.getLocalAddress());
            assertEquals(UNNAMED, far.getRemoteAddress());
        }
    }

    @Test
    void bytesGoBothWays() throws IOException {
        try (UnixSockets.Pair pair = UnixSockets.open()) {
            pair.near().write(Bytes.of("question"));
            assertEquals("question", Bytes.readText(pair.far(), 8));
            pair.far().write(new ByteBuffer[] {Bytes.of("ans"), Bytes.of("wer")});
            assertEquals("answer", Bytes.readText(pair.near(), 6));
        }
    }

    @Test
    void muchDataGoesThroughUnharmed() throws Exception {
        byte[] sent = Bytes.pattern(4 << 20);
        try (UnixSockets.Pair pair = UnixSockets.open()) {
            Task<Integer> writer =
                    Threads.start(() -> pair.near().write(ByteBuffer.wrap(sent)));
            assertArrayEquals(sent, Bytes.readFully(pair.far(), sent.length));
            assertEquals(sent.length, writer.join());
        }
    }

    @Test
    void connectToNobodyFailsAndClosesTheChannel() throws IOException {
        try (SocketChannel missing = client(); SocketChannel dead = client()) {
            Exception e = assertThrows(SocketException.class,
                    () -> missing.connect(UnixSockets.freshAddress()));
            assertEquals("No such file or directory", e.getMessage());
            assertFalse(missing.isOpen());
            UnixDomainSocketAddress address = UnixSockets.freshAddress();
            server().bind(address).close();
            e = assertThrows(SocketException.class, () -> dead.connect(address));
            assertEquals("Connection refused", e.getMessage());
            assertFalse(dead.isOpen());
        }
    }

    @Test
    void statesAreCheckedAsForTcp() throws IOException {
        try (UnixSockets.Pair pair = UnixSockets.open(); SocketChannel fresh = client();
                ServerSocketChannel server = server()) {
            assertThrows(NotYetConnectedException.class, () -> fresh.read(buffer));
            assertThrows(NotYetConnectedException.class, () -> fresh.write(buffer));
            assertThrows(NotYetConnectedException.class, fresh::shutdownInput);
            assertThrows(NotYetBoundException.class, server::accept);
            assertThrows(AlreadyConnectedException.class,
                    () -> pair.near().connect(UnixSockets.freshAddress()));
        }
    }

    @Test
    void nonBlockingConnectAndAcceptWorkWithASelector() throws Exception {
        try (ServerSocketChannel listener = UnixSockets.listen(); SocketChannel near = client();
                Selector selector = Selector.open()) {
            listener.configureBlocking(false);
            assertNull(listener.accept());
            listener.register(selector, SelectionKey.OP_ACCEPT);
            near.configureBlocking(false);
            if (!near.connect(listener.getLocalAddress())) {
                Deadline.await("the connection is established", near::finishConnect);
            }
            assertEquals(1, selector.select(30_000));
            try (SocketChannel far = listener.accept()) {
                assertTrue(far.isBlocking());
                far.write(Bytes.of("hello"));
            }
            near.register(selector, SelectionKey.OP_READ);
            selector.selectedKeys().clear();
            assertEquals(1, selector.select(30_000));
            assertEquals(5, near.read(buffer));
        }
    }

    @Test
    void blockingConnectWaitsForRoomInTheQueue() throws Exception {
        UnixDomainSocketAddress address = UnixSockets.freshAddress();
        try (ServerSocketChannel listener = server().bind(address, 1);
                SocketChannel one = SocketChannel.open(address);
                SocketChannel two = SocketChannel.open(address);
                SocketChannel waiting = client()) {
            Task<Boolean> connecting =
                    Threads.start(() -> waiting.connect(address)).awaitBlockedIn("connect");
            listener.accept().close();
            assertTrue(connecting.join());
            assertTrue(one.isConnected() && two.isConnected() && waiting.isConnected());
        }
    }

    @Test
    void closeWakesAConnectThatWaitsForRoomInTheQueue() throws Exception {
        UnixDomainSocketAddress address = UnixSockets.freshAddress();
        SocketChannel waiting = client();
        try (ServerSocketChannel listener = server().bind(address, 1);
                SocketChannel one = SocketChannel.open(address);
                SocketChannel two = SocketChannel.open(address)) {
            Task<Boolean> connecting =
                    Threads.start(() -> waiting.connect(address)).awaitBlockedIn("connect");
            waiting.close();
            assertThrows(AsynchronousCloseException.class, connecting::join);
            assertTrue(listener.isOpen() && one.isConnected() && two.isConnected());
        }
    }

    @Test
    void interruptWakesAConnectThatWaitsForRoomInTheQueue() throws Exception {
        UnixDomainSocketAddress address = UnixSockets.freshAddress();
        try (ServerSocketChannel listener = server().bind(address, 1);
                SocketChannel one = SocketChannel.open(address);
                SocketChannel two = SocketChannel.open(address);
                SocketChannel waiting = client()) {
            Task<Boolean> connecting =
                    Threads.start(() -> waiting.connect(address)).awaitBlockedIn("connect");
            connecting.interrupt();
            assertThrows(ClosedByInterruptException.class, connecting::join);
            assertFalse(waiting.isOpen());
            assertTrue(listener.isOpen() && one.isConnected() && two.isConnected());
        }
    }

    @Test
    void halfCloseWorksAsForTcp() throws IOException {
        try (UnixSockets.Pair pair = UnixSockets.open()) {
            pair.near().write(Bytes.of("bye"));
            pair.near().shutdownOutput().shutdownOutput();
            assertEquals("bye", Bytes.readText(pair.far(), 3));
            assertEquals(-1, pair.far().read(buffer));
            assertThrows(ClosedChannelException.class, () -> pair.near().write(Bytes.of("x")));
            pair.far().write(Bytes.of("answer"));
            assertEquals("answer", Bytes.readText(pair.near(), 6));
            pair.near().shutdownInput();
            assertEquals(-1, pair.near().read(buffer));
        }
    }

    @SuppressWarnings("unchecked")
    private static SocketOption<Object> peerCredentials(NetworkChannel channel) {
        return (SocketOption<Object>) channel.supportedOptions().stream()
                .filter(option -> option.name().equals("SO_PEERCRED")).findAny().orElseThrow();
    }

    @Test
    void peerCredentialsNameTheUserOfThePeer() throws Exception {
        try (UnixSockets.Pair pair = UnixSockets.open(); SocketChannel fresh = client()) {
            SocketOption<Object> option = peerCredentials(fresh);
            for (SocketChannel channel : new SocketChannel[] {pair.near(), pair.far()}) {
                Object peer = channel.getOption(option);
                Principal user = assertInstanceOf(Principal.class,
                        peer.getClass().getMethod("user").invoke(peer));
                assertEquals(System.getProperty("user.name"), user.getName());
                assertThrows(SocketException.class, () -> channel.setOption(option, peer));
            }
            assertThrows(SocketException.class, () -> fresh.getOption(option));
        }
    }

    @Test
    void peerCredentialsAreUnsupportedByAServer() throws IOException {
        try (ServerSocketChannel server = server(); SocketChannel fresh = client()) {
            SocketOption<Object> option = peerCredentials(fresh);
            assertThrows(UnsupportedOperationException.class, () -> server.getOption(option));
        }
    }

    @Test
    void closedPeerIsTheEndForReadsAndABrokenPipeForWrites() throws IOException {
        try (UnixSockets.Pair pair = UnixSockets.open()) {
            pair.far().close();
            assertEquals(-1, pair.near().read(buffer));
            Exception e = assertThrows(IOException.class, () -> pair.near().write(Bytes.of("x")));
            assertEquals("Broken pipe", e.getMessage());
        }
    }
}
