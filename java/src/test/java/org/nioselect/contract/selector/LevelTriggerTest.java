package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;

/** Readiness is reported for as long as it lasts, not only when it begins. */
class LevelTriggerTest extends SelectorFixture {
    @Test
    void aFreshConnectionIsNotReadable() throws IOException {
        far.register(selector, OP_READ);
        near.register(selector, OP_READ);
        assertSleeps(selector, 50);
    }

    @Test
    void dataLeftUnreadIsReportedAgain() throws IOException {
        SelectionKey key = far.register(selector, OP_READ);
        near.write(ByteBuffer.allocate(3));
        for (int left = 3; left > 0; left--) {
            assertSelected(key, OP_READ);
            assertEquals(1, far.read(ByteBuffer.allocate(1)));
        }
        assertEquals(0, selector.selectNow());
    }

    @Test
    void drainedDataIsReportedNoMoreAndNewDataAgain() throws IOException {
        SelectionKey key = far.register(selector, OP_READ);
        for (int i = 0; i < 10; i++) {
            send(near);
            assertSelected(key, OP_READ);
            assertEquals(1, drain(far));
            assertEquals(0, selector.selectNow());
        }
    }

    @Test
    void dataSentBeforeRegistrationIsReported() throws IOException {
        send(near);
        assertSelected(far.register(selector, OP_READ), OP_READ);
    }

    @Test
    void writabilityIsReportedAgainAndAgain() throws IOException {
        SelectionKey key = far.register(selector, OP_WRITE);
        for (int i = 0; i < 5; i++) {
            assertSelected(key, OP_WRITE);
            send(far);
        }
    }

    @Test
    void aFullChannelIsNotWritableUntilThePeerHasRead() throws Exception {
        near.setOption(StandardSocketOptions.SO_RCVBUF, 1 << 14);
        far.setOption(StandardSocketOptions.SO_SNDBUF, 1 << 14);
        SelectionKey key = far.register(selector, OP_WRITE);
        Deadline.await("the channel stays full", () -> fill(far) == 0 && !selectedAnew());
        assertSleeps(selector, 50);

        Deadline.await("there is room again", () -> drain(near) == 0 && selectedAnew());
        assertEquals(OP_WRITE, key.readyOps());
    }

    @Test
    void theEndOfTheStreamIsReportedBeforeAndAfterItWasRead() throws IOException {
        SelectionKey key = far.register(selector, OP_READ);
        near.shutdownOutput();
        assertSelected(key, OP_READ);
        assertSelected(key, OP_READ);
        for (int i = 0; i < 3; i++) {
            assertEquals(-1, far.read(ByteBuffer.allocate(1)));
            assertSelected(key, OP_READ);
        }
    }

    @Test
    void aHalfClosedConnectionIsWritableStill() throws IOException {
        SelectionKey key = far.register(selector, OP_WRITE);
        near.shutdownOutput();
        assertSelected(key, OP_WRITE);
        send(far);
        near.register(selector, OP_READ);
        key.interestOps(0);
        assertEquals(1, selector.select());
    }

    @Test
    void aWaitingConnectionIsReportedUntilAccepted() throws IOException {
        try (ServerSocketChannel listener = Connections.listen()) {
            listener.configureBlocking(false);
            SelectionKey key = listener.register(selector, OP_ACCEPT);
            assertEquals(0, selector.selectNow());
            try (SocketChannel client = SocketChannel.open(listener.getLocalAddress())) {
                assertTrue(client.isConnected());
                assertSelected(key, OP_ACCEPT);
                assertSelected(key, OP_ACCEPT);
                listener.accept().close();
                assertEquals(0, selector.selectNow());
            }
        }
    }

    @Test
    void aPipeIsSelectedLikeASocket() throws IOException {
        Pipe pipe = Pipe.open();
        try (Pipe.SourceChannel source = pipe.source(); Pipe.SinkChannel sink = pipe.sink()) {
            source.configureBlocking(false);
            sink.configureBlocking(false);
            SelectionKey reading = source.register(selector, OP_READ);
            SelectionKey writing = sink.register(selector, OP_WRITE);
            assertSelected(writing, OP_WRITE);

            writing.interestOps(0);
            send(sink);
            assertSelected(reading, OP_READ);
            assertEquals(1, drain(source));
            assertEquals(0, selector.selectNow());
        }
    }

    @Test
    void urgentDataIsNoReasonToSelectUnlessItIsInline() throws IOException {
        SelectionKey key = far.register(selector, OP_READ);
        near.configureBlocking(true);
        near.socket().sendUrgentData(1);
        assertSleeps(selector, 50);

        far.socket().setOOBInline(true);
        near.socket().sendUrgentData(2);
        assertSelected(key, OP_READ);
    }

    private boolean selectedAnew() throws IOException {
        selector.selectedKeys().clear();
        return selector.selectNow() == 1;
    }

    private void assertSelected(SelectionKey key, int ops) throws IOException {
        assertEquals(1, selector.select());
        assertEquals(Set.of(key), selector.selectedKeys());
        assertEquals(ops, key.readyOps());
        selector.selectedKeys().clear();
    }
}
