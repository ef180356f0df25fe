package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** What is seen of a connection that the peer has reset. */
@Timeout(60)
class ResetTest {
    private final ByteBuffer buffer = ByteBuffer.allocate(16);

    /** A connection whose far end is gone for good; the reset has arrived. */
    private static Connections.Pair reset() throws IOException {
        Connections.Pair pair = Connections.open();
        pair.far().setOption(StandardSocketOptions.SO_LINGER, 0);
        pair.far().close();
        return pair;
    }

    private void assertReadFails(SocketChannel channel) {
        Exception e = assertThrows(SocketException.class, () -> channel.read(buffer.clear()));
        assertEquals("Connection reset", e.getMessage());
    }

    @Test
    void everyReadAfterAResetFails() throws IOException {
        try (Connections.Pair pair = reset()) {
            for (int i = 0; i < 3; i++) {
                assertReadFails(pair.near());
                assertThrows(SocketException.class,
                        () -> pair.near().read(new ByteBuffer[] {buffer.clear()}));
            }
            assertTrue(pair.near().isOpen());
            assertTrue(pair.near().isConnected());
        }
    }

    @Test
    void everyNonBlockingReadAfterAResetFails() throws IOException {
        try (Connections.Pair pair = reset()) {
            assertReadFails(pair.near());
            pair.near().configureBlocking(false);
            assertReadFails(pair.near());
            assertReadFails(pair.near());
        }
    }

    @Test
    void everyReadOfTheSocketsStreamAfterAResetFailsAndNothingIsAvailable() throws IOException {
        try (Connections.Pair pair = reset()) {
            InputStream in = pair.near().socket().getInputStream();
            for (int i = 0; i < 3; i++) {
                assertThrows(IOException.class, in::read);
                assertEquals(0, in.available());
            }
            assertReadFails(pair.near());
        }
    }

    @Test
    void resetWakesABlockedRead() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Task<Integer> reader =
                    Threads.start(() -> pair.near().read(buffer)).awaitBlockedIn("read");
            pair.far().setOption(StandardSocketOptions.SO_LINGER, 0);
            pair.far().close();
            Exception e = assertThrows(SocketException.class, reader::join);
            assertEquals("Connection reset", e.getMessage());
            assertTrue(pair.near().isOpen());
        }
    }

    @Test
    void writeToAClosedPeerFailsAndKeepsTheChannelOpen() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            pair.far().close();
            assertThrows(IOException.class, () -> {
                Deadline deadline = Deadline.patient();
                while (!deadline.passed()) {
                    pair.near().write(Bytes.of("anybody there?"));
                }
            });
            assertThrows(IOException.class, () -> pair.near().write(Bytes.of("again")));
            assertTrue(pair.near().isOpen());
        }
    }

    @Test
    void resetMakesAKeyReadableAgainAndAgain() throws IOException {
        try (Connections.Pair pair = reset(); Selector selector = Selector.open()) {
            pair.near().configureBlocking(false);
            SelectionKey key = pair.near().register(selector, SelectionKey.OP_READ);
            for (int i = 0; i < 3; i++) {
                assertEquals(1, selector.select(30_000));
                assertTrue(key.isReadable());
                selector.selectedKeys().clear();
                assertReadFails(pair.near());
            }
        }
    }

    @Test
    void unreadDataAtCloseResetsThePeer() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().write(Bytes.of("never read"));
            try (Selector selector = Selector.open()) {
                pair.far().configureBlocking(false);
                pair.far().register(selector, SelectionKey.OP_READ);
                assertEquals(1, selector.select(30_000));
            }
            pair.far().close();
            assertReadFails(pair.near());
        }
    }

    @Test
    void closeAfterAResetIsSilent() throws IOException {
        Connections.Pair pair = reset();
        assertReadFails(pair.near());
        pair.near().close();
        assertFalse(pair.near().isOpen());
    }
}
