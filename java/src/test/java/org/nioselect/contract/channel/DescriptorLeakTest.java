package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
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
import org.nioselect.support.Deadline;
import org.nioselect.support.Descriptors;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** No way of using or losing a channel leaves a descriptor behind. */
@Timeout(120)
class DescriptorLeakTest {
    private static final int ROUNDS = 60;

    static Stream<Named<Threads.Action>> openings() {
        return Stream.of(
                Named.of("SocketChannel", () -> SocketChannel.open().close()),
                Named.of("ServerSocketChannel", () -> ServerSocketChannel.open().close()),
                Named.of("DatagramChannel", () -> DatagramChannel.open().close()),
                Named.of("UNIX SocketChannel",
                        () -> SocketChannel.open(StandardProtocolFamily.UNIX).close()),
                Named.of("UNIX ServerSocketChannel",
                        () -> ServerSocketChannel.open(StandardProtocolFamily.UNIX).close()),
                Named.of("Selector", () -> Selector.open().close()),
                Named.of("connection", () -> Connections.open().close()),
                Named.of("Pipe", DescriptorLeakTest::openAndClosePipe));
    }

    private static void openAndClosePipe() throws IOException {
        Pipe pipe = Pipe.open();
        pipe.sink().close();
        pipe.source().close();
    }

    @ParameterizedTest
    @MethodSource("openings")
    void closeReleasesEveryDescriptor(Threads.Action openAndClose) throws Exception {
        Descriptors.assertNoLeak(ROUNDS, openAndClose);
    }

    @Test
    void refusedConnectReleasesTheDescriptor() throws Exception {
        InetSocketAddress nobody = Connections.refusing();
        Descriptors.assertNoLeak(ROUNDS,
                () -> assertThrows(IOException.class, () -> SocketChannel.open(nobody)));
    }

    @Test
    void openWithAnUnusableAddressReleasesTheDescriptor() throws Exception {
        Descriptors.assertNoLeak(ROUNDS, () -> assertThrows(UnresolvedAddressException.class,
                () -> SocketChannel.open(InetSocketAddress.createUnresolved("nowhere", 9))));
        Descriptors.assertNoLeak(ROUNDS, () -> assertThrows(UnsupportedAddressTypeException.class,
                () -> SocketChannel.open(new SocketAddress() {
                    private static final long serialVersionUID = 1L;
                })));
    }

    @Test
    void unixConnectToNobodyReleasesTheDescriptor() throws Exception {
        Descriptors.assertNoLeak(ROUNDS, () -> assertThrows(IOException.class,
                () -> SocketChannel.open(UnixSockets.freshAddress())));
    }

    @Test
    void interruptedBlockingCallReleasesTheDescriptor() throws Exception {
        try (ServerSocketChannel listener = Connections.listen()) {
            Descriptors.assertNoLeak(ROUNDS, () -> {
                Task<?> task = Threads.start(() -> {
                    Thread.currentThread().interrupt();
                    return SocketChannel.open(listener.getLocalAddress());
                });
                assertThrows(IOException.class, task::join);
            });
        }
    }

    @Test
    void keyCancelledAndChannelClosedInEitherOrderReleasesTheDescriptor() throws Exception {
        try (Selector selector = Selector.open()) {
            Descriptors.assertNoLeak(ROUNDS, () -> {
                Connections.Pair pair = Connections.openNonBlocking();
                SelectionKey near = pair.near().register(selector, SelectionKey.OP_READ);
                SelectionKey far = pair.far().register(selector, SelectionKey.OP_READ);
                near.cancel();
                pair.near().close();
                pair.far().close();
                far.cancel();
                selector.selectNow();
            });
        }
    }

    @Test
    void blockedReadThatIsClosedReleasesTheDescriptor() throws Exception {
        Descriptors.assertNoLeak(20, () -> {
            try (Connections.Pair pair = Connections.open()) {
                Task<?> reader = Threads.start(
                        () -> pair.near().read(ByteBuffer.allocate(8)))
                        .awaitBlockedIn("read");
                pair.near().close();
                assertThrows(IOException.class, reader::join);
            }
        });
    }

    @Test
    void unreachableDatagramChannelIsCleanedUp() throws Exception {
        int before = Descriptors.count();
        for (int i = 0; i < ROUNDS; i++) {
            assertNotNull(DatagramChannel.open());
        }
        Deadline.await("the garbage collector has closed the channels", () -> {
            System.gc();
            return Descriptors.count() <= before + ROUNDS / 4;
        });
    }

    @Test
    void unreachableDatagramChannelIsCleanedUpAfterItsKeyWasCancelled() throws Exception {
        try (Selector selector = Selector.open()) {
            selector.selectNow();
            int before = Descriptors.count();
            for (int i = 0; i < ROUNDS; i++) {
                DatagramChannel channel = DatagramChannel.open();
                channel.configureBlocking(false);
                channel.register(selector, SelectionKey.OP_READ);
                selector.selectNow();
                channel.keyFor(selector).cancel();
                selector.selectNow();
            }
            Deadline.await("the garbage collector has closed the channels", () -> {
                System.gc();
                return Descriptors.count() <= before + ROUNDS / 4;
            });
        }
    }
}
