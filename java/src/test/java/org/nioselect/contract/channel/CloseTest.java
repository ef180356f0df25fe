package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Descriptors;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** What close does for the peer and for the selector that the channel is registered with. */
@Timeout(60)
class CloseTest {
    private final ByteBuffer buffer = ByteBuffer.allocate(16);

    @Test
    void closeIsIdempotent() throws IOException {
        SocketChannel channel = SocketChannel.open();
        channel.close();
        channel.close();
        assertFalse(channel.isOpen());
    }

    @Test
    void closeOfARegisteredChannelEndsThePeersInputAtOnce() throws IOException {
        try (Selector selector = Selector.open(); Connections.Pair pair = Connections.open()) {
            pair.near().configureBlocking(false);
            SelectionKey key = pair.near().register(selector, SelectionKey.OP_READ);
            pair.near().close();
            assertEquals(-1, pair.far().read(buffer));
            assertFalse(key.isValid());
        }
    }

    @Test
    void closeOfARegisteredChannelSendsAllThatWasWritten() throws IOException {
        try (Selector selector = Selector.open(); Connections.Pair pair = Connections.open()) {
            pair.near().configureBlocking(false);
            pair.near().register(selector, SelectionKey.OP_READ);
            pair.near().write(Bytes.of("farewell"));
            pair.near().close();
            assertEquals("farewell", Bytes.readText(pair.far(), 8));
            assertEquals(-1, pair.far().read(buffer));
        }
    }

    @Test
    void closeWithZeroLingerResetsThePeer() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().setOption(StandardSocketOptions.SO_LINGER, 0);
            pair.near().close();
            assertThrows(IOException.class, () -> pair.far().read(buffer));
        }
    }

    @Test
    void closeOfARegisteredChannelWithZeroLingerResetsByTheNextSelect() throws IOException {
        try (Selector selector = Selector.open(); Connections.Pair pair = Connections.open()) {
            pair.near().configureBlocking(false);
            pair.near().register(selector, SelectionKey.OP_READ);
            pair.near().setOption(StandardSocketOptions.SO_LINGER, 0);
            pair.near().close();
            selector.selectNow();
            assertThrows(IOException.class, () -> pair.far().read(buffer));
        }
    }

    @Test
    void selectorReleasesTheDescriptorOfAClosedChannel() throws Exception {
        try (Selector selector = Selector.open()) {
            Descriptors.assertNoLeak(40, () -> {
                try (Connections.Pair pair = Connections.openNonBlocking()) {
                    pair.near().register(selector, SelectionKey.OP_READ);
                    pair.far().register(selector, SelectionKey.OP_WRITE);
                }
                selector.selectNow();
            });
        }
    }

    @Test
    void closeOfTheSelectorReleasesTheDescriptorsOfClosedChannels() throws Exception {
        Descriptors.assertNoLeak(40, () -> {
            try (Selector selector = Selector.open();
                    Connections.Pair pair = Connections.openNonBlocking()) {
                pair.near().register(selector, SelectionKey.OP_READ);
                pair.near().close();
            }
        });
    }

    @Test
    void channelClosedWhileAThreadSelectsIsReleasedWithoutAnotherSelectCall() throws Exception {
        try (Selector selector = Selector.open(); Connections.Pair pair = Connections.open()) {
            pair.near().configureBlocking(false);
            pair.near().register(selector, SelectionKey.OP_READ);
            Task<Integer> selecting = Threads.start(selector::select).awaitBlockedIn("select");
            pair.near().close();
            assertEquals(-1, pair.far().read(buffer));
            selector.wakeup();
            assertEquals(0, selecting.join());
            assertEquals(0, selector.keys().size());
        }
    }

    @Test
    void closeWorksAfterTheThreadThatConnectedHasEnded() throws Exception {
        try (ServerSocketChannel listener = Connections.listen()) {
            for (int i = 0; i < 50; i++) {
                Task<SocketChannel> connecting =
                        Threads.start(() -> SocketChannel.open(listener.getLocalAddress()));
                SocketChannel near = connecting.join();
                connecting.thread().join();
                try (SocketChannel far = listener.accept()) {
                    near.close();
                    assertEquals(-1, far.read(buffer));
                }
            }
        }
    }
}
