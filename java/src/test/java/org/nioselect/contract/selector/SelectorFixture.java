package org.nioselect.contract.selector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.nioselect.support.Connections;

/** Gives every test an open selector and a connection in non-blocking mode, unregistered. */
abstract class SelectorFixture {
    Selector selector;
    SocketChannel near;
    SocketChannel far;

    @BeforeEach
    final void open() throws IOException {
        selector = Selector.open();
        Connections.Pair pair = Connections.openNonBlocking();
        near = pair.near();
        far = pair.far();
    }

    @AfterEach
    final void close() throws IOException {
        near.close();
        far.close();
        selector.close();
    }

    /** Writes one byte, which the fresh or drained channel of a test always has room for. */
    static void send(WritableByteChannel channel) throws IOException {
        assertEquals(1, channel.write(ByteBuffer.allocate(1)));
    }

    /** Reads all that is there without blocking and tells how much it was. */
    static int drain(ReadableByteChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        int total = 0;
        for (int n = channel.read(buffer); n > 0; n = channel.read(buffer.clear())) {
            total += n;
        }
        return total;
    }

    /** Makes a channel unwritable and tells how much that took. */
    static int fill(WritableByteChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
        int total = 0;
        for (int n = channel.write(buffer); n > 0; n = channel.write(buffer.clear())) {
            total += n;
        }
        return total;
    }

    /** Nothing may be ready: the select lasts as long as it was told, and sleeps meanwhile. */
    static void assertSleeps(Selector selector, long millis) throws IOException {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long cpu = threads.getCurrentThreadCpuTime();
        long start = System.nanoTime();
        assertEquals(0, selector.select(millis));
        long elapsed = System.nanoTime() - start;
        assertTrue(elapsed >= TimeUnit.MILLISECONDS.toNanos(millis), "returned early");
        assertTrue(threads.getCurrentThreadCpuTime() - cpu <= elapsed / 2, "spun");
    }
}
