package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ReadableByteChannel;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;

/** Reads and writes respect every kind of buffer, its position and its limit. */
@Timeout(60)
class BufferTest {
    /** Kinds of buffers: each of the asked-for capacity, at position 0. */
    static Stream<Named<IntFunction<ByteBuffer>>> kinds() {
        return Stream.of(
                Named.of("heap", ByteBuffer::allocate),
                Named.of("direct", ByteBuffer::allocateDirect),
                Named.of("heap slice", n -> ByteBuffer.allocate(n + 9).slice(5, n)),
                Named.of("direct slice", n -> ByteBuffer.allocateDirect(n + 9).slice(5, n)),
                Named.of("array with an offset",
                        n -> ByteBuffer.wrap(new byte[n + 9], 5, n).slice()),
                Named.of("duplicate", n -> ByteBuffer.allocateDirect(n).duplicate()));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void writeTakesExactlyWhatIsBetweenPositionAndLimit(IntFunction<ByteBuffer> kind)
            throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            ByteBuffer buffer = kind.apply(12).put(Bytes.of("..payload...")).position(2).limit(9);
            assertEquals(7, pair.near().write(buffer));
            assertEquals(9, buffer.position());
            assertEquals(9, buffer.limit());
            pair.near().shutdownOutput();
            assertEquals("payload", Bytes.readText(pair.far(), 7));
            assertEquals(-1, pair.far().read(ByteBuffer.allocate(1)));
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void readFillsOnlyBetweenPositionAndLimit(IntFunction<ByteBuffer> kind) throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().write(Bytes.of("payload and more"));
            ByteBuffer buffer = kind.apply(12).put(Bytes.of("............")).position(2).limit(9);
            assertEquals(7, pair.far().read(buffer));
            assertEquals(9, buffer.position());
            assertEquals(9, buffer.limit());
            assertEquals("..payload...", Bytes.text(buffer.limit(12).position(12)));
            assertEquals(" and more", Bytes.readText(pair.far(), 9));
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void shortReadMovesThePositionByItsResult(IntFunction<ByteBuffer> kind) throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().write(Bytes.of("abc"));
            ByteBuffer buffer = kind.apply(100).position(10);
            int n = pair.far().read(buffer);
            assertTrue(n > 0);
            assertEquals(10 + n, buffer.position());
            assertEquals(100, buffer.limit());
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void largeBufferCrossesUnharmed(IntFunction<ByteBuffer> kind) throws Exception {
        byte[] sent = Bytes.pattern(1 << 20);
        try (Connections.Pair pair = Connections.openNonBlocking()) {
            ByteBuffer out = kind.apply(sent.length).put(sent).flip();
            ByteBuffer in = kind.apply(sent.length);
            Deadline.await("all has arrived", () -> {
                int written = out.position();
                int n = pair.near().write(out);
                assertEquals(written + n, out.position());
                int read = in.position();
                int m = pair.far().read(in);
                assertEquals(read + m, in.position());
                return !in.hasRemaining();
            });
            byte[] received = new byte[sent.length];
            in.flip().get(received);
            assertArrayEquals(sent, received);
        }
    }

    @Test
    void readOnlyBufferIsAGoodSource() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            assertEquals(4, pair.near().write(Bytes.of("heap").asReadOnlyBuffer()));
            ByteBuffer direct = ByteBuffer.allocateDirect(6).put(Bytes.of("direct")).flip();
            assertEquals(6, pair.near().write(direct.asReadOnlyBuffer()));
            assertEquals("heapdirect", Bytes.readText(pair.far(), 10));
        }
    }

    @Test
    void readOnlyBufferIsNoDestination() throws IOException {
        Pipe pipe = Pipe.open();
        try (Connections.Pair pair = Connections.open();
                DatagramChannel datagram = DatagramChannel.open().bind(Connections.anyPort());
                Pipe.SourceChannel source = pipe.source();
                Pipe.SinkChannel sink = pipe.sink()) {
            datagram.connect(datagram.getLocalAddress());
            for (ReadableByteChannel channel
                    : new ReadableByteChannel[] {pair.near(), source, datagram}) {
                Exception e = assertThrows(IllegalArgumentException.class,
                        () -> channel.read(ByteBuffer.allocate(8).asReadOnlyBuffer()));
                assertEquals("Read-only buffer", e.getMessage());
            }
            assertThrows(IllegalArgumentException.class,
                    () -> datagram.receive(ByteBuffer.allocate(8).asReadOnlyBuffer()));
            assertTrue(sink.isOpen());
        }
    }

    @Test
    void nullBufferIsRefusedAndTheChannelStaysOpen() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            assertThrows(NullPointerException.class, () -> pair.near().read((ByteBuffer) null));
            assertThrows(NullPointerException.class, () -> pair.near().write((ByteBuffer) null));
            assertTrue(pair.near().isOpen());
        }
    }

    @Test
    void readIntoAFullBufferReturnsZeroWithoutBlocking() throws IOException {
        Pipe pipe = Pipe.open();
        try (Connections.Pair pair = Connections.open();
                Pipe.SourceChannel source = pipe.source();
                Pipe.SinkChannel sink = pipe.sink()) {
            assertEquals(0, pair.near().read(ByteBuffer.allocate(0)));
            assertEquals(0, pair.near().read(ByteBuffer.allocateDirect(8).position(8)));
            assertEquals(0, source.read(ByteBuffer.allocate(0)));
            assertTrue(sink.isOpen());
        }
    }

    @Test
    void readIntoAFullBufferReturnsZeroEvenAtTheEnd() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().shutdownOutput();
            assertEquals(-1, pair.far().read(ByteBuffer.allocate(8)));
            assertEquals(0, pair.far().read(ByteBuffer.allocate(0)));
        }
    }

    @Test
    void writeOfAnEmptyBufferReturnsZeroEvenWhenNothingFits() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Bytes.fill(pair);
            assertEquals(0, pair.near().write(ByteBuffer.allocate(0)));
        }
    }

    @Test
    void nonBlockingReadWithNothingThereReturnsZero() throws IOException {
        try (Connections.Pair pair = Connections.openNonBlocking()) {
            ByteBuffer buffer = ByteBuffer.allocate(8);
            assertEquals(0, pair.near().read(buffer));
            assertEquals(0, pair.near().read(new ByteBuffer[] {buffer}));
            assertEquals(0, buffer.position());
        }
    }

    @Test
    void nonBlockingWriteToAFullChannelReturnsZero() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Bytes.fill(pair);
            pair.near().configureBlocking(false);
            ByteBuffer buffer = ByteBuffer.allocate(8);
            assertEquals(0, pair.near().write(buffer));
            assertEquals(0, pair.near().write(new ByteBuffer[] {buffer}));
            assertEquals(0, buffer.position());
        }
    }

    @Test
    void nonBlockingWriteOfTooMuchIsShortAndMovesThePositionByItsResult() throws IOException {
        try (Connections.Pair pair = Connections.openNonBlocking()) {
            ByteBuffer buffer = ByteBuffer.allocate(64 << 20);
            int n = pair.near().write(buffer);
            assertTrue(n > 0 && n < buffer.capacity());
            assertEquals(n, buffer.position());
        }
    }

    @Test
    void bufferKeepsItsByteOrderAndMark() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(8)
                    .order(ByteOrder.LITTLE_ENDIAN).position(1).mark();
            pair.near().write(Bytes.of("abc"));
            assertTrue(pair.far().read(buffer) > 0);
            assertEquals(1, buffer.reset().position());
            assertEquals(ByteOrder.LITTLE_ENDIAN, buffer.order());
            assertFalse(buffer.isReadOnly());
        }
    }
}
