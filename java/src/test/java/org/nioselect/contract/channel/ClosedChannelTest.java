package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.nioselect.support.Connections;
import org.nioselect.support.Providers;

/** Every operation on a channel that is already closed says so, and in the same words. */
@Timeout(60)
class ClosedChannelTest {
    /** The first release whose provider never reports an old close as an asynchronous one. */
    private static final int EXACT = 25;

    private final ByteBuffer one = ByteBuffer.allocate(8);
    private final ByteBuffer[] many = {ByteBuffer.allocate(8), ByteBuffer.allocateDirect(8)};
    private final InetSocketAddress anybody =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 9);

    private static void assertClosed(Executable... operations) {
        assertAll(Stream.of(operations).map(operation -> () -> {
            Exception e = assertThrows(ClosedChannelException.class, operation);
            assertSame(ClosedChannelException.class, e.getClass());
        }));
    }

    private static void assertClosedAtLeast(Executable... operations) {
        if (Providers.javaRelease() >= EXACT) {
            assertClosed(operations);
        } else {
            assertAll(Stream.of(operations)
                    .map(operation -> () -> assertThrows(ClosedChannelException.class, operation)));
        }
    }

    private static void assertClosedForSelectableUse(SelectableChannel channel)
            throws IOException {
        try (Selector selector = Selector.open()) {
            assertClosed(
                    () -> channel.configureBlocking(true),
                    () -> channel.configureBlocking(false),
                    () -> channel.register(selector, 0));
        }
        assertFalse(channel.isOpen());
        assertFalse(channel.isRegistered());
        assertDoesNotThrow(channel::close);
    }

    private void assertClosedSocketChannel(SocketChannel channel) throws IOException {
        assertClosed(
                () -> channel.read(one),
                () -> channel.read(many),
                () -> channel.read(many, 0, 1),
                () -> channel.write(one),
                () -> channel.write(many),
                () -> channel.write(many, 0, 1),
                channel::shutdownInput,
                channel::shutdownOutput,
                () -> channel.bind(null),
                channel::getLocalAddress,
                channel::getRemoteAddress);
        assertClosedAtLeast(
                () -> channel.connect(anybody),
                channel::finishConnect);
        assertFalse(channel.isConnected());
        assertFalse(channel.isConnectionPending());
        assertClosedForSelectableUse(channel);
    }

    @Test
    void everyOperationOnAClosedSocketChannelThrowsClosedChannelException() throws IOException {
        SocketChannel fresh = SocketChannel.open();
        fresh.close();
        assertClosedSocketChannel(fresh);
    }

    @Test
    void aChannelThatWasConnectedThrowsTheSame() throws IOException {
        Connections.Pair pair = Connections.open();
        pair.close();
        assertClosedSocketChannel(pair.near());
        assertClosedSocketChannel(pair.far());
    }

    @Test
    void aUnixChannelThrowsTheSame() throws IOException {
        UnixSockets.Pair pair = UnixSockets.open();
        pair.close();
        assertClosed(
                () -> pair.near().read(one),
                () -> pair.near().write(one),
                pair.near()::getLocalAddress,
                pair.near()::getRemoteAddress);
        assertClosedForSelectableUse(pair.near());
    }

    @Test
    void everyOperationOnAClosedServerSocketChannelThrowsClosedChannelException()
            throws IOException {
        ServerSocketChannel channel = Connections.listen();
        channel.close();
        assertClosed(
                () -> channel.bind(null),
                () -> channel.bind(anybody, 5),
                channel::getLocalAddress);
        assertClosedAtLeast(channel::accept);
        assertClosedForSelectableUse(channel);
    }

    @Test
    void everyOperationOnAClosedDatagramChannelThrowsClosedChannelException()
            throws IOException {
        DatagramChannel channel = DatagramChannel.open().bind(Connections.anyPort());
        channel.close();
        InetAddress group = InetAddress.getByName("225.4.5.6");
        NetworkInterface loopback =
                NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
        assertClosed(
                () -> channel.bind(null),
                () -> channel.connect(anybody),
                () -> channel.join(group, loopback),
                channel::getLocalAddress,
                channel::getRemoteAddress);
        assertClosedAtLeast(
                () -> channel.receive(one),
                () -> channel.send(one, anybody),
                () -> channel.read(one),
                () -> channel.read(many),
                () -> channel.read(many, 0, 1),
                () -> channel.write(one),
                () -> channel.write(many),
                () -> channel.write(many, 0, 1));
        assertFalse(channel.isConnected());
        assertSame(channel, channel.disconnect());
        assertClosedForSelectableUse(channel);
    }

    @Test
    void everyOperationOnAClosedPipeThrowsClosedChannelException() throws IOException {
        Pipe pipe = Pipe.open();
        pipe.source().close();
        pipe.sink().close();
        assertClosedAtLeast(
                () -> pipe.source().read(one),
                () -> pipe.source().read(many),
                () -> pipe.source().read(many, 0, 1),
                () -> pipe.sink().write(one),
                () -> pipe.sink().write(many),
                () -> pipe.sink().write(many, 0, 1));
        assertClosedForSelectableUse(pipe.source());
        assertClosedForSelectableUse(pipe.sink());
    }
}
