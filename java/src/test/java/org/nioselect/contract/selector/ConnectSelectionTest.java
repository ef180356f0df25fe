package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nioselect.support.Connections;

/** Selecting channels whose connection is being made. */
class ConnectSelectionTest {
    private Selector selector;
    private ServerSocketChannel listener;
    private SocketChannel channel;

    @BeforeEach
    void open() throws IOException {
        selector = Selector.open();
        listener = Connections.listen();
        channel = SocketChannel.open();
        channel.configureBlocking(false);
    }

    @AfterEach
    void close() throws IOException {
        channel.close();
        listener.close();
        selector.close();
    }

    @Test
    void aConnectionMadeIsReportedAsConnectable() throws IOException {
        connect(listener.getLocalAddress());
        SelectionKey key = channel.register(selector, OP_CONNECT);
        assertEquals(1, selector.select());
        assertEquals(OP_CONNECT, key.readyOps());
        assertTrue(key.isConnectable());
        assertTrue(channel.finishConnect());
        assertTrue(channel.isConnected());
    }

    @Test
    void registrationMayComeBeforeConnect() throws IOException {
        SelectionKey key = channel.register(selector, 0);
        connect(listener.getLocalAddress());
        key.interestOps(OP_CONNECT);
        assertEquals(1, selector.select());
        assertEquals(OP_CONNECT, key.readyOps());
        assertTrue(channel.finishConnect());
    }

    @Test
    void theSameKeyServesForReadingAndWritingAfterwards() throws IOException {
        connect(listener.getLocalAddress());
        SelectionKey key = channel.register(selector, OP_CONNECT);
        assertEquals(1, selector.select());
        assertTrue(channel.finishConnect());
        selector.selectedKeys().clear();

        key.interestOps(OP_WRITE);
        assertEquals(1, selector.select());
        assertEquals(OP_WRITE, key.readyOps());
        selector.selectedKeys().clear();

        key.interestOps(OP_READ);
        assertEquals(0, selector.selectNow());
        try (SocketChannel accepted = listener.accept()) {
            SelectorFixture.send(accepted);
            assertEquals(1, selector.select());
            assertEquals(OP_READ, key.readyOps());
        }
    }

    @Test
    void aConnectedChannelIsWritableNotConnectable() throws IOException {
        connect(listener.getLocalAddress());
        SelectionKey key = channel.register(selector, OP_CONNECT);
        selector.select();
        assertTrue(channel.finishConnect());
        selector.selectedKeys().clear();

        key.interestOps(OP_CONNECT | OP_WRITE);
        assertEquals(1, selector.select());
        assertEquals(OP_WRITE, key.readyOps());
    }

    @Test
    void aRefusedConnectionIsReportedAsConnectableAndFinishConnectTells() throws IOException {
        connect(Connections.refusing());
        SelectionKey key = channel.register(selector, OP_CONNECT);
        assertEquals(1, selector.select());
        assertEquals(OP_CONNECT, key.readyOps());
        assertThrows(ConnectException.class, channel::finishConnect);
        assertFalse(channel.isOpen());
        assertFalse(key.isValid());
        assertEquals(0, selector.selectNow());
        assertTrue(selector.keys().isEmpty());
    }

    @Test
    void aPendingConnectionIsNotReportedUntilItIsMade() throws IOException {
        List<SocketChannel> crowd = new ArrayList<>();
        try (ServerSocketChannel busy = ServerSocketChannel.open()) {
            busy.bind(Connections.anyPort(), 1);
            SelectionKey key = connectBehind(crowd, (InetSocketAddress) busy.getLocalAddress());
            for (int i = 0; i < crowd.size(); i++) {
                busy.accept().close();
            }
            assertEquals(1, selector.select());
            assertEquals(OP_CONNECT, key.readyOps());
            assertTrue(((SocketChannel) key.channel()).finishConnect());
        } finally {
            for (SocketChannel waiting : crowd) {
                waiting.close();
            }
        }
    }

    /** Connects until one connection stays pending, as the listener's queue is full. */
    private SelectionKey connectBehind(List<SocketChannel> crowd, InetSocketAddress address)
            throws IOException {
        while (true) {
            SocketChannel next = SocketChannel.open();
            crowd.add(next);
            next.configureBlocking(false);
            next.connect(address);
            SelectionKey key = next.register(selector, OP_CONNECT);
            if (selector.select(200) == 0) {
                return key;
            }
            selector.selectedKeys().clear();
            assertTrue(next.finishConnect());
            key.interestOps(0);
        }
    }

    /** The system may connect to itself at once; then there is nothing to select. */
    private void connect(SocketAddress address) throws IOException {
        assumeFalse(channel.connect(address), "connected at once");
    }
}
