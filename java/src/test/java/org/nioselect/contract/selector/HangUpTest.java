package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;

/** What a key reports when its channel is in an error state, hung up or not connected at all. */
class HangUpTest extends SelectorFixture {
    @Test
    void aResetReportsAllInterestBits() throws IOException {
        SelectionKey key = far.register(selector, OP_READ | OP_WRITE);
        resetByPeer();
        selectUntil(key, OP_READ | OP_WRITE);
    }

    @Test
    void aResetReportsOnlyInterestBits() throws IOException {
        SelectionKey key = far.register(selector, OP_READ);
        resetByPeer();
        assertEquals(1, selector.select());
        assertEquals(OP_READ, key.readyOps());
    }

    @Test
    void aResetIsReportedForAsLongAsTheChannelIsOpen() throws IOException {
        SelectionKey key = far.register(selector, OP_READ);
        resetByPeer();
        for (int i = 0; i < 3; i++) {
            assertEquals(1, selector.select());
            assertEquals(OP_READ, key.readyOps());
            selector.selectedKeys().clear();
            assertThrows(IOException.class, () -> far.read(ByteBuffer.allocate(1)));
        }
    }

    @Test
    void aResetIsNoReasonToReturnWithoutInterest() throws IOException {
        SelectionKey key = far.register(selector, OP_READ);
        resetByPeer();
        assertEquals(1, selector.select());
        selector.selectedKeys().clear();

        key.interestOps(0);
        assertEquals(0, selector.selectNow());
        assertSleeps(selector, 100);
    }

    @Test
    void aHangUpIsNoReasonToReturnWithoutInterest() throws IOException {
        far.register(selector, 0);
        far.shutdownOutput();
        near.close();
        assertSleeps(selector, 100);
    }

    @Test
    void aHangUpWithoutInterestIsReportedOnceTheInterestReturns() throws IOException {
        SelectionKey key = far.register(selector, 0);
        resetByPeer();
        assertEquals(0, selector.selectNow());
        key.interestOps(OP_READ);
        assertEquals(1, selector.select());
        assertEquals(OP_READ, key.readyOps());
    }

    @Test
    void anUnconnectedChannelReportsAllInterestBits() throws IOException {
        assertUnconnectedReports(OP_CONNECT);
        assertUnconnectedReports(OP_READ | OP_WRITE);
    }

    @Test
    void anUnboundListenerReportsItsInterest() throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.configureBlocking(false);
            SelectionKey key = listener.register(selector, OP_ACCEPT);
            assertEquals(1, selector.select());
            assertEquals(OP_ACCEPT, key.readyOps());
        }
    }

    private void assertUnconnectedReports(int ops) throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, ops);
            assertEquals(1, selector.select());
            assertEquals(ops, key.readyOps());
        }
    }

    private void resetByPeer() throws IOException {
        near.setOption(StandardSocketOptions.SO_LINGER, 0);
        near.close();
    }

    /** Writability alone may be seen before the reset has arrived. */
    private void selectUntil(SelectionKey key, int ops) throws IOException {
        do {
            selector.select();
        } while (key.readyOps() != ops);
    }
}
