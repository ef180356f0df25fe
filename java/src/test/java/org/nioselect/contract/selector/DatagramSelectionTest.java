package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nioselect.support.Connections;

/** Selecting datagram channels, with and without a peer that listens. */
class DatagramSelectionTest {
    private Selector selector;
    private DatagramChannel channel;

    @BeforeEach
    void open() throws IOException {
        selector = Selector.open();
        channel = DatagramChannel.open().bind(Connections.anyPort());
        channel.configureBlocking(false);
    }

    @AfterEach
    void close() throws IOException {
        channel.close();
        selector.close();
    }

    @Test
    void eachDatagramIsReportedUntilReceived() throws IOException {
        SelectionKey key = channel.register(selector, OP_READ);
        assertEquals(0, selector.selectNow());
        channel.send(ByteBuffer.allocate(1), channel.getLocalAddress());
        channel.send(ByteBuffer.allocate(2), channel.getLocalAddress());
        for (int size = 1; size <= 2; size++) {
            assertEquals(1, selector.select());
            assertEquals(OP_READ, key.readyOps());
            ByteBuffer datagram = ByteBuffer.allocate(10);
            channel.receive(datagram);
            assertEquals(size, datagram.position());
            selector.selectedKeys().clear();
        }
        assertEquals(0, selector.selectNow());
    }

    @Test
    void itIsWritableFromTheStart() throws IOException {
        SelectionKey key = channel.register(selector, OP_READ | OP_WRITE);
        assertEquals(1, selector.select());
        assertEquals(OP_WRITE, key.readyOps());
    }

    @Test
    void anUnreachablePortIsNoReasonToSelectAnUnconnectedChannel() throws IOException {
        channel.register(selector, OP_READ);
        channel.send(ByteBuffer.allocate(1), unreachable());
        SelectorFixture.assertSleeps(selector, 100);
    }

    @Test
    void anUnreachablePortMakesAConnectedChannelReadableAndReadTells() throws IOException {
        channel.connect(unreachable());
        SelectionKey key = channel.register(selector, OP_READ);
        channel.write(ByteBuffer.allocate(1));
        assertEquals(1, selector.select());
        assertEquals(OP_READ, key.readyOps());
        assertThrows(PortUnreachableException.class, () -> channel.read(ByteBuffer.allocate(1)));
        selector.selectedKeys().clear();
        assertEquals(0, selector.selectNow());
    }

    private static InetSocketAddress unreachable() throws IOException {
        try (DatagramChannel passing = DatagramChannel.open().bind(Connections.anyPort())) {
            return (InetSocketAddress) passing.getLocalAddress();
        }
    }
}
