package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ScatteringByteChannel;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** Scattering reads and gathering writes over arrays of mixed buffers. */
@Timeout(60)
class VectorIoTest {
    /** So many buffers go into one system call. */
    private static final int VECTOR_LIMIT = 1024;

    /** Heap, direct and sliced buffers in turn, each of the same capacity. */
    private static ByteBuffer[] mixed(int count, int size) {
        ByteBuffer[] buffers = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            buffers[i] = switch (i % 3) {
                case 0 -> ByteBuffer.allocate(size);
                case 1 -> ByteBuffer.allocateDirect(size);
                default -> ByteBuffer.allocate(size + 7).slice(3, size);
            };
        }
        return buffers;
    }

    private static ByteBuffer[] holding(byte[] bytes, int count) {
        int size = bytes.length / count;
        ByteBuffer[] buffers = mixed(count, size);
        for (int i = 0; i < count; i++) {
            buffers[i].put(bytes, i * size, size).flip();
        }
        return buffers;
    }

    private static byte[] content(ByteBuffer[] buffers) {
        int size = Stream.of(buffers).mapToInt(ByteBuffer::position).sum();
        ByteBuffer all = ByteBuffer.allocate(size);
        Stream.of(buffers).forEach(buffer -> all.put(buffer.duplicate().flip()));
        return all.array();
    }

    @Test
    void gatheringWriteSendsBuffersInOrder() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            ByteBuffer[] sources =
                {Bytes.of("one "), ByteBuffer.allocateDirect(4).put(Bytes.of("two ")).flip(),
                    ByteBuffer.allocate(0), Bytes.of("three").asReadOnlyBuffer()};
            assertEquals(13, pair.near().write(sources));
            assertEquals("one two three", Bytes.readText(pair.far(), 13));
            assertTrue(Stream.of(sources).noneMatch(ByteBuffer::hasRemaining));
        }
    }

    @Test
    void scatteringReadFillsEachBufferBeforeTheNext() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().write(Bytes.of("abcdefgh"));
            ByteBuffer[] targets = {ByteBuffer.allocate(3), ByteBuffer.allocateDirect(0),
                ByteBuffer.allocateDirect(4), ByteBuffer.allocate(10)};
            assertEquals(8, pair.far().read(targets));
            assertEquals("abc", Bytes.text(targets[0]));
            assertEquals("defg", Bytes.text(targets[2]));
            assertEquals("h", Bytes.text(targets[3]));
        }
    }

    @Test
    void offsetAndLengthSelectTheBuffersThatAreUsed() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            ByteBuffer[] sources = {Bytes.of("no"), Bytes.of("yes"), Bytes.of("no"), null};
            assertEquals(3, pair.near().write(sources, 1, 1));
            assertEquals(2, sources[0].remaining());
            assertEquals(2, sources[2].remaining());
            ByteBuffer[] targets = {ByteBuffer.allocate(2), ByteBuffer.allocate(2),
                ByteBuffer.allocate(2)};
            assertEquals(3, pair.far().read(targets, 1, 2));
            assertEquals(0, targets[0].position());
            assertEquals("ye", Bytes.text(targets[1]));
            assertEquals("s", Bytes.text(targets[2]));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 15, 16, 17, 100, VECTOR_LIMIT - 1, VECTOR_LIMIT})
    void blockingGatheringWriteIsNeverShortUpToTheVectorLimit(int count) throws Exception {
        byte[] sent = Bytes.pattern(count * 3000);
        try (Connections.Pair pair = Connections.open()) {
            Task<byte[]> reader =
                    Threads.start(() -> Bytes.readFully(pair.far(), sent.length));
            assertEquals(sent.length, pair.near().write(holding(sent, count)));
            assertArrayEquals(sent, reader.join());
        }
    }

    @Test
    void moreBuffersThanTheVectorLimitAreWrittenInSeveralCalls() throws IOException {
        byte[] sent = Bytes.pattern(3000);
        try (Connections.Pair pair = Connections.open()) {
            ByteBuffer[] sources = holding(sent, 3000);
            long first = pair.near().write(sources);
            assertTrue(first >= VECTOR_LIMIT, () -> "only " + first);
            long total = first;
            while (total < sent.length) {
                total += pair.near().write(sources, (int) total, sources.length - (int) total);
            }
            assertArrayEquals(sent, Bytes.readFully(pair.far(), sent.length));
        }
    }

    @Test
    void emptyBuffersDoNotHideTheFullOnesBehindThem() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            ByteBuffer[] sources = new ByteBuffer[VECTOR_LIMIT + 100];
            Arrays.setAll(sources, i -> Bytes.of(i < VECTOR_LIMIT ? "" : "x"));
            assertEquals(100, pair.near().write(sources));
            assertEquals("x".repeat(100), Bytes.readText(pair.far(), 100));
        }
    }

    @Test
    void thousandsOfTargetsAreFilledInSeveralCalls() throws IOException {
        byte[] sent = Bytes.pattern(3000);
        try (Connections.Pair pair = Connections.open()) {
            pair.near().write(ByteBuffer.wrap(sent));
            ByteBuffer[] targets = mixed(3000, 1);
            int total = 0;
            while (total < sent.length) {
                long n = pair.far().read(targets, total, targets.length - total);
                assertTrue(n > 0);
                total += (int) n;
            }
            assertArrayEquals(sent, content(targets));
        }
    }

    @Test
    void nonBlockingVectorsMoveEverythingThroughShortCounts() throws Exception {
        byte[] sent = Bytes.pattern(200 * 20_000);
        try (Connections.Pair pair = Connections.openNonBlocking()) {
            ByteBuffer[] sources = holding(sent, 200);
            ByteBuffer[] targets = mixed(200, 20_000);
            long[] moved = new long[2];
            Deadline.await("all has arrived", () -> {
                moved[0] += pair.near().write(sources);
                moved[1] += pair.far().read(targets);
                assertEquals(moved[0], positions(sources));
                assertEquals(moved[1], positions(targets));
                return moved[1] == sent.length;
            });
            assertArrayEquals(sent, content(targets));
        }
    }

    private static long positions(ByteBuffer[] buffers) {
        return Stream.of(buffers).mapToLong(ByteBuffer::position).sum();
    }

    @Test
    void gatheringWriteIsOneDatagramAndScatteringReadTakesItApart() throws IOException {
        try (DatagramChannel one = DatagramChannel.open().bind(Connections.anyPort());
                DatagramChannel other = DatagramChannel.open().bind(Connections.anyPort())) {
            one.connect(other.getLocalAddress());
            other.connect(one.getLocalAddress());
            assertEquals(9, one.write(
                    new ByteBuffer[] {Bytes.of("one "), Bytes.of("packet").limit(5)}));
            ByteBuffer[] targets = {ByteBuffer.allocate(2), ByteBuffer.allocateDirect(20)};
            assertEquals(9, other.read(targets));
            assertEquals("on", Bytes.text(targets[0]));
            assertEquals("e packe", Bytes.text(targets[1]));
        }
    }

    @Test
    void pipeGathersAndScatters() throws IOException {
        byte[] sent = Bytes.pattern(3000);
        Pipe pipe = Pipe.open();
        try (Pipe.SinkChannel sink = pipe.sink(); Pipe.SourceChannel source = pipe.source()) {
            assertEquals(sent.length, sink.write(holding(sent, 30)));
            ByteBuffer[] targets = mixed(30, 100);
            assertEquals(sent.length, source.read(targets));
            assertArrayEquals(sent, content(targets));
        }
    }

    private static void assertChecksBounds(ScatteringByteChannel in, GatheringByteChannel out) {
        ByteBuffer[] two = {ByteBuffer.allocate(4), ByteBuffer.allocateDirect(4)};
        int[][] bad = {{-1, 1}, {0, -1}, {0, 3}, {1, 2}, {3, 0}, {2, Integer.MAX_VALUE}};
        assertAll(Stream.of(bad).map(range -> () -> {
            assertThrows(IndexOutOfBoundsException.class, () -> in.read(two, range[0], range[1]));
            assertThrows(IndexOutOfBoundsException.class,
                    () -> out.write(two, range[0], range[1]));
        }));
    }

    @Test
    void badOffsetOrLengthIsOutOfBounds() throws IOException {
        Pipe pipe = Pipe.open();
        try (Connections.Pair pair = Connections.open();
                DatagramChannel datagram = DatagramChannel.open();
                Pipe.SinkChannel sink = pipe.sink();
                Pipe.SourceChannel source = pipe.source()) {
            assertChecksBounds(pair.near(), pair.near());
            assertChecksBounds(datagram, datagram);
            assertChecksBounds(source, sink);
        }
    }

    @Test
    void nullArrayAndNullElementsAreRefused() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            assertThrows(NullPointerException.class, () -> pair.near().read((ByteBuffer[]) null));
            assertThrows(NullPointerException.class, () -> pair.near().write((ByteBuffer[]) null));
            assertThrows(NullPointerException.class,
                    () -> pair.near().read(new ByteBuffer[] {null}));
            assertThrows(NullPointerException.class,
                    () -> pair.near().write(new ByteBuffer[] {Bytes.of("x"), null}));
        }
    }

    @Test
    void readOnlyElementMakesTheWholeReadFail() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().write(Bytes.of("intact"));
            ByteBuffer[] targets =
                {ByteBuffer.allocate(3), ByteBuffer.allocate(3).asReadOnlyBuffer()};
            Exception e = assertThrows(IllegalArgumentException.class,
                    () -> pair.far().read(targets));
            assertEquals("Read-only buffer", e.getMessage());
            assertEquals(0, targets[0].position());
            assertEquals("intact", Bytes.readText(pair.far(), 6));
        }
    }

    @Test
    void emptyArrayMovesNothing() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            assertEquals(0, pair.near().write(new ByteBuffer[0]));
            assertEquals(0, pair.near().write(new ByteBuffer[] {ByteBuffer.allocate(0)}));
            assertEquals(0, pair.near().read(new ByteBuffer[0]));
        }
    }
}
