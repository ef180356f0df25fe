package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** Both ends of a Pipe, in both modes and with a selector. */
@Timeout(60)
class PipeTest {
    private static final int MUCH = 2 * 1024 * 1024;

    private final ByteBuffer buffer = ByteBuffer.allocate(16);
    private Pipe pipe;
    private Pipe.SourceChannel source;
    private Pipe.SinkChannel sink;

    @BeforeEach
    void open() throws IOException {
        pipe = Pipe.open();
        source = pipe.source();
        sink = pipe.sink();
    }

    @AfterEach
    void close() throws IOException {
        source.close();
        sink.close();
    }

    @Test
    void endsAreFixedObjectsOpenAndBlocking() {
        assertSame(source, pipe.source());
        assertSame(sink, pipe.sink());
        assertTrue(source.isOpen() && source.isBlocking());
        assertTrue(sink.isOpen() && sink.isBlocking());
        assertEquals(SelectionKey.OP_READ, source.validOps());
        assertEquals(SelectionKey.OP_WRITE, sink.validOps());
        assertSame(source.provider(), sink.provider());
    }

    @Test
    void bytesGoThroughInOrder() throws Exception {
        byte[] sent = Bytes.pattern(MUCH);
        Task<Integer> writer = Threads.start(() -> sink.write(ByteBuffer.wrap(sent)));
        assertArrayEquals(sent, Bytes.readFully(source, MUCH));
        assertEquals(MUCH, writer.join());
    }

    @Test
    void directBuffersGoThroughInOrder() throws Exception {
        byte[] sent = Bytes.pattern(MUCH);
        ByteBuffer out = ByteBuffer.allocateDirect(MUCH).put(sent).flip();
        Task<Integer> writer = Threads.start(() -> sink.write(out));
        ByteBuffer in = ByteBuffer.allocateDirect(MUCH);
        while (in.hasRemaining()) {
            assertTrue(source.read(in) > 0);
        }
        byte[] received = new byte[MUCH];
        in.flip().get(received);
        assertArrayEquals(sent, received);
        assertEquals(MUCH, writer.join());
    }

    @Test
    void emptyPipeReadsZeroInNonBlockingMode() throws IOException {
        source.configureBlocking(false);
        assertEquals(0, source.read(buffer));
        assertEquals(0, source.read(new ByteBuffer[] {buffer}));
    }

    @Test
    void fullPipeWritesZeroInNonBlockingMode() throws Exception {
        assertTrue(Bytes.fill(sink) > 0);
        sink.configureBlocking(false);
        assertEquals(0, sink.write(Bytes.of("no room")));
        assertEquals(0, sink.write(new ByteBuffer[] {Bytes.of("no room")}));
    }

    @Test
    void closedSinkIsTheEndAfterAllThatWasWritten() throws IOException {
        sink.write(Bytes.of("end"));
        sink.close();
        assertEquals("end", Bytes.readText(source, 3));
        assertEquals(-1, source.read(buffer));
        source.configureBlocking(false);
        assertEquals(-1, source.read(buffer));
        assertEquals(-1, source.read(new ByteBuffer[] {buffer}));
    }

    @Test
    void closedSinkWakesABlockedReadWithTheEnd() throws Exception {
        Task<Integer> reader = Threads.start(() -> source.read(buffer)).awaitBlockedIn("read");
        sink.close();
        assertEquals(-1, reader.join());
    }

    @Test
    void closedSourceBreaksThePipe() throws IOException {
        source.close();
        Exception e = assertThrows(IOException.class, () -> sink.write(Bytes.of("x")));
        assertEquals("Broken pipe", e.getMessage());
        assertThrows(IOException.class, () -> sink.write(new ByteBuffer[] {Bytes.of("x")}));
        assertTrue(sink.isOpen());
    }

    @Test
    void closedSourceWakesABlockedWrite() throws Exception {
        Bytes.fill(sink);
        Task<Integer> writer = Threads.start(() -> sink.write(ByteBuffer.allocate(1 << 20)))
                .awaitBlockedIn("write");
        source.close();
        assertThrows(IOException.class, writer::join);
        assertTrue(sink.isOpen());
    }

    @Test
    void closingOneEndLeavesTheOtherOpen() throws IOException {
        source.close();
        assertFalse(source.isOpen());
        assertTrue(sink.isOpen());
    }

    @Test
    void sourceIsSelectedForDataAndForTheEnd() throws IOException {
        try (Selector selector = Selector.open()) {
            source.configureBlocking(false);
            SelectionKey key = source.register(selector, SelectionKey.OP_READ);
            assertEquals(0, selector.selectNow());
            sink.write(Bytes.of("x"));
            assertEquals(1, selector.select(30_000));
            assertTrue(key.isReadable());
            selector.selectedKeys().clear();
            assertEquals(1, source.read(buffer));
            assertEquals(0, selector.selectNow());
            sink.close();
            assertEquals(1, selector.select(30_000));
            assertTrue(key.isReadable());
            assertEquals(-1, source.read(buffer));
        }
    }

    @Test
    void sinkIsSelectedForRoomAndForABrokenPipe() throws Exception {
        long filled = Bytes.fill(sink);
        try (Selector selector = Selector.open()) {
            sink.configureBlocking(false);
            SelectionKey key = sink.register(selector, SelectionKey.OP_WRITE);
            assertEquals(0, selector.selectNow());
            Bytes.readFully(source, (int) filled);
            assertEquals(1, selector.select(30_000));
            assertTrue(key.isWritable());
            selector.selectedKeys().clear();
            source.close();
            assertEquals(1, selector.select(30_000));
            assertEquals(SelectionKey.OP_WRITE, key.readyOps());
            assertThrows(IOException.class, () -> sink.write(Bytes.of("x")));
        }
    }

    @Test
    void closeOfARegisteredSinkEndsTheSourceAtTheNextSelect() throws IOException {
        try (Selector selector = Selector.open()) {
            sink.configureBlocking(false);
            sink.register(selector, SelectionKey.OP_WRITE);
            sink.close();
            selector.selectNow();
            assertEquals(-1, source.read(buffer));
        }
    }

    @Test
    void endsAreUsableInDifferentModes() throws Exception {
        source.configureBlocking(false);
        sink.write(Bytes.of("mixed"));
        assertEquals(5, source.read(buffer));
        source.configureBlocking(true);
        sink.configureBlocking(false);
        Task<String> reader =
                Threads.start(() -> Bytes.readText(source, 3)).awaitBlockedIn("read");
        sink.write(Bytes.of("now"));
        assertEquals("now", reader.join());
    }
}
