package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;

/** Who is told that nobody listens at the port a datagram was sent to. */
@Timeout(60)
class PortUnreachableTest {
    private final ByteBuffer buffer = ByteBuffer.allocate(16);

    private static DatagramChannel bound() throws IOException {
        return DatagramChannel.open().bind(Connections.anyPort());
    }

    private static SocketAddress unreachable() throws IOException {
        try (DatagramChannel gone = bound()) {
            return gone.getLocalAddress();
        }
    }

    @Test
    void unreachablePeerIsReportedToAConnectedChannelOnce() throws Exception {
        try (DatagramChannel channel = bound(); Selector selector = Selector.open()) {
            channel.connect(unreachable());
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            channel.write(Bytes.of("anybody there?"));
            assertEquals(1, selector.select(30_000));
            assertTrue(key.isReadable());
            assertThrows(PortUnreachableException.class, () -> channel.read(buffer));
            assertEquals(0, channel.read(buffer));
            assertNull(channel.receive(buffer));
        }
    }

    @Test
    void unreachablePeerWakesABlockedRead() throws Exception {
        try (DatagramChannel channel = bound()) {
            channel.connect(unreachable());
            channel.write(Bytes.of("anybody there?"));
            assertThrows(PortUnreachableException.class, () -> channel.read(buffer));
            assertTrue(channel.isOpen());
        }
    }

    @Test
    void unreachableTargetNeverShowsOnAnUnconnectedChannel() throws Exception {
        try (DatagramChannel channel = bound(); Selector selector = Selector.open()) {
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            SocketAddress nobody = unreachable();
            for (int i = 0; i < 5; i++) {
                assertEquals(1, channel.send(Bytes.of("?"), nobody));
                assertNull(channel.receive(buffer));
            }
            assertEquals(0, selector.selectNow());
        }
    }
}
