package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Providers;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/**
 * Buffers over memory segments work like any other. The API is reached by reflection, as the
 * tests are compiled for a Java that does not have it.
 */
@Timeout(60)
class MemorySegmentTest {
    /** The first release with java.lang.foreign as a final API. */
    private static final int FOREIGN_MEMORY = 22;

    @BeforeEach
    void assumeSupported() {
        assumeTrue(Providers.javaRelease() >= FOREIGN_MEMORY, "no memory segments before Java 22");
    }

    /** A java.lang.foreign.Arena. */
    private record Arena(Object arena) {
        static Arena of(String kind) throws ReflectiveOperationException {
            return new Arena(type().getMethod(kind).invoke(null));
        }

        private static Class<?> type() throws ReflectiveOperationException {
            return Class.forName("java.lang.foreign.Arena");
        }

        ByteBuffer buffer(int size) throws ReflectiveOperationException {
            Object segment = type().getMethod("allocate", long.class).invoke(arena, (long) size);
            Method asByteBuffer =
                    Class.forName("java.lang.foreign.MemorySegment").getMethod("asByteBuffer");
            return (ByteBuffer) asByteBuffer.invoke(segment);
        }

        ByteBuffer holding(String text) throws ReflectiveOperationException {
            ByteBuffer content = Bytes.of(text);
            return buffer(content.remaining()).put(content).flip();
        }

        void close() throws ReflectiveOperationException {
            type().getMethod("close").invoke(arena);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"global", "ofAuto", "ofConfined", "ofShared"})
    void segmentsOfEveryArenaAreReadIntoAndWrittenFrom(String kind) throws Exception {
        Arena arena = Arena.of(kind);
        try (Connections.Pair pair = Connections.open()) {
            assertEquals(5, pair.near().write(arena.holding("hello")));
            ByteBuffer in = arena.buffer(5);
            assertEquals(5, pair.far().read(in));
            assertEquals("hello", Bytes.text(in));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"global", "ofAuto", "ofConfined", "ofShared"})
    void segmentsOfEveryArenaAreGatheredAndScattered(String kind) throws Exception {
        Arena arena = Arena.of(kind);
        try (Connections.Pair pair = Connections.open()) {
            ByteBuffer[] out = {arena.holding("seg"), Bytes.of("heap"), arena.holding("ment")};
            assertEquals(11, pair.near().write(out));
            ByteBuffer[] in = {arena.buffer(4), ByteBuffer.allocateDirect(3), arena.buffer(4)};
            assertEquals(11, pair.far().read(in));
            assertEquals("segh", Bytes.text(in[0]));
            assertEquals("eap", Bytes.text(in[1]));
            assertEquals("ment", Bytes.text(in[2]));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"global", "ofAuto", "ofConfined", "ofShared"})
    void segmentsOfEveryArenaCarryDatagrams(String kind) throws Exception {
        Arena arena = Arena.of(kind);
        try (DatagramChannel one = DatagramChannel.open().bind(Connections.anyPort());
                DatagramChannel other = DatagramChannel.open().bind(Connections.anyPort())) {
            assertEquals(4, one.send(arena.holding("ping"), other.getLocalAddress()));
            ByteBuffer in = arena.buffer(16);
            assertEquals(one.getLocalAddress(), other.receive(in));
            assertEquals("ping", Bytes.text(in));
        }
    }

    @Test
    void confinedSegmentIsUsableInItsOwnThreadOnly() throws Exception {
        Arena arena = Arena.of("ofConfined");
        try (Connections.Pair pair = Connections.open()) {
            ByteBuffer mine = arena.holding("mine");
            Task<Integer> foreign = Threads.start(() -> pair.near().write(mine));
            Exception e = assertThrows(RuntimeException.class, foreign::join);
            assertEquals("java.lang.WrongThreadException", e.getClass().getName());
            assertEquals(4, mine.remaining());
            assertEquals(4, pair.near().write(mine));
        }
    }

    @Test
    void segmentOfAClosedArenaIsRefused() throws Exception {
        Arena arena = Arena.of("ofShared");
        ByteBuffer gone = arena.holding("gone");
        arena.close();
        try (Connections.Pair pair = Connections.open()) {
            assertThrows(IllegalStateException.class, () -> pair.near().write(gone));
            assertThrows(IllegalStateException.class, () -> pair.near().read(gone));
            pair.far().write(Bytes.of("still fine"));
            assertEquals("still fine", Bytes.readText(pair.near(), 10));
        }
    }

    @Test
    void closingTheArenaOfABlockedReadIsRefusedOrMakesTheReadFail() throws Exception {
        Arena arena = Arena.of("ofShared");
        try (Connections.Pair pair = Connections.open()) {
            ByteBuffer in = arena.buffer(8);
            Task<Integer> reader =
                    Threads.start(() -> pair.near().read(in)).awaitBlockedIn("read");
            boolean closed = tryToClose(arena);
            pair.far().write(Bytes.of("x"));
            if (closed) {
                assertThrows(IllegalStateException.class, reader::join);
            } else {
                assertEquals(1, reader.join());
                assertEquals('x', in.get(0));
                assertTrue(tryToClose(arena));
            }
        }
    }

    private static boolean tryToClose(Arena arena) throws ReflectiveOperationException {
        try {
            arena.close();
            return true;
        } catch (InvocationTargetException e) {
            assertEquals(IllegalStateException.class, e.getCause().getClass());
            return false;
        }
    }
}
