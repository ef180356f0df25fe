package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** The streams of SocketChannel.socket(), with their timeouts. */
@Timeout(60)
class SocketStreamsTest {
    private static final int MUCH = 2 * 1024 * 1024;

    private static InputStream in(SocketChannel channel) throws IOException {
        return channel.socket().getInputStream();
    }

    private static OutputStream out(SocketChannel channel) throws IOException {
        return channel.socket().getOutputStream();
    }

    @Test
    void streamsCarryBytesUntilTheEnd() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            out(pair.near()).write('a');
            out(pair.near()).write("bcd".getBytes());
            out(pair.near()).write("..ef..".getBytes(), 2, 2);
            pair.near().shutdownOutput();
            assertEquals('a', in(pair.far()).read());
            assertArrayEquals("bcdef".getBytes(), in(pair.far()).readAllBytes());
            assertEquals(-1, in(pair.far()).read());
            assertEquals(-1, in(pair.far()).read(new byte[4]));
        }
    }

    @Test
    void bytesAboveSevenBitsAreNotMistakenForTheEnd() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            out(pair.near()).write(0xFF);
            assertEquals(0xFF, in(pair.far()).read());
        }
    }

    @Test
    void zeroLengthReadAndWriteDoNothing() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            assertEquals(0, in(pair.near()).read(new byte[0]));
            out(pair.near()).write(new byte[0]);
            assertEquals(0, in(pair.far()).available());
        }
    }

    @Test
    void badRangesAreOutOfBounds() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            assertThrows(IndexOutOfBoundsException.class,
                    () -> in(pair.near()).read(new byte[4], 2, 3));
            assertThrows(IndexOutOfBoundsException.class,
                    () -> out(pair.near()).write(new byte[4], -1, 2));
            assertThrows(NullPointerException.class, () -> in(pair.near()).read(null));
            assertThrows(NullPointerException.class, () -> out(pair.near()).write(null));
        }
    }

    @Test
    void availableCountsWhatHasArrived() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            assertEquals(0, in(pair.far()).available());
            out(pair.near()).write(new byte[10]);
            Deadline.await("10 bytes are there", () -> in(pair.far()).available() == 10);
            assertEquals(4, in(pair.far()).read(new byte[4]));
            assertEquals(6, in(pair.far()).available());
        }
    }

    @Test
    void streamsOfANonBlockingChannelAreIllegal() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            InputStream in = in(pair.near());
            OutputStream out = out(pair.near());
            pair.near().configureBlocking(false);
            assertThrows(IllegalBlockingModeException.class, in::read);
            assertThrows(IllegalBlockingModeException.class, () -> in.read(new byte[4]));
            assertThrows(IllegalBlockingModeException.class, () -> out.write(1));
            pair.near().socket().setSoTimeout(10);
            assertThrows(IllegalBlockingModeException.class, in::read);
            assertTrue(pair.near().isOpen());
        }
    }

    @Test
    void streamsOfAnUnconnectedSocketAreRefused() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            Exception e = assertThrows(SocketException.class, () -> in(channel));
            assertEquals("Socket is not connected", e.getMessage());
            assertThrows(SocketException.class, () -> out(channel));
        }
    }

    @Test
    void timedOutReadLosesNothingAndLeavesTheChannelUsable() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().socket().setSoTimeout(30);
            long start = System.nanoTime();
            assertThrows(SocketTimeoutException.class, () -> in(pair.near()).read());
            assertTrue(System.nanoTime() - start >= 30_000_000L);
            assertTrue(pair.near().isOpen());
            assertTrue(pair.near().isBlocking());
            pair.far().write(Bytes.of("late"));
            pair.near().socket().setSoTimeout(30_000);
            assertArrayEquals("late".getBytes(), in(pair.near()).readNBytes(4));
        }
    }

    @Test
    void timeoutBoundsOnlyTheStreamNotTheChannel() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().socket().setSoTimeout(1);
            Task<String> reader =
                    Threads.start(() -> Bytes.readText(pair.near(), 4)).awaitBlockedIn("read");
            pair.far().write(Bytes.of("data"));
            assertEquals("data", reader.join());
        }
    }

    @Test
    void timedReadReturnsDataThatIsThere() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            pair.far().write(Bytes.of("x"));
            pair.near().socket().setSoTimeout(30_000);
            assertEquals('x', in(pair.near()).read());
            pair.far().close();
            assertEquals(-1, in(pair.near()).read());
        }
    }

    @Test
    void closeAfterATimedOutReadEndsThePeersInputAtOnce() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().socket().setSoTimeout(5);
            assertThrows(SocketTimeoutException.class, () -> in(pair.near()).read());
            pair.near().close();
            assertEquals(-1, pair.far().read(ByteBuffer.allocate(1)));
        }
    }

    @Test
    void closeWakesABlockedStreamReadWithAClosedChannelException() throws Exception {
        for (int timeout : new int[] {0, 60_000}) {
            try (Connections.Pair pair = Connections.open()) {
                pair.near().socket().setSoTimeout(timeout);
                Task<Integer> reader =
                        Threads.start(() -> in(pair.near()).read()).awaitBlockedIn("read");
                pair.near().socket().close();
                assertThrows(ClosedChannelException.class, reader::join);
                assertTrue(pair.near().socket().isClosed());
            }
        }
    }

    @Test
    void interruptWakesABlockedStreamReadAndClosesTheChannel() throws Exception {
        for (int timeout : new int[] {0, 60_000}) {
            try (Connections.Pair pair = Connections.open()) {
                pair.near().socket().setSoTimeout(timeout);
                Task<Integer> reader =
                        Threads.start(() -> in(pair.near()).read()).awaitBlockedIn("read");
                reader.interrupt();
                Exception e = assertThrows(IOException.class, reader::join);
                assertSame(ClosedByInterruptException.class, e.getClass());
                assertFalse(pair.near().isOpen());
            }
        }
    }

    @Test
    void closeWakesABlockedStreamWriteWithAClosedChannelException() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Bytes.fill(pair);
            Task<Void> writer = Threads.run(() -> out(pair.near()).write(new byte[1 << 24]))
                    .awaitBlockedIn("write");
            pair.near().socket().close();
            assertThrows(ClosedChannelException.class, writer::join);
        }
    }

    @Test
    void readAfterCloseThrowsClosedChannelException() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            InputStream in = in(pair.near());
            OutputStream out = out(pair.near());
            pair.near().close();
            assertThrows(ClosedChannelException.class, in::read);
            assertThrows(ClosedChannelException.class, () -> out.write(1));
        }
    }

    @Test
    void closingAStreamClosesTheSocketAndTheChannel() throws IOException {
        try (Connections.Pair one = Connections.open(); Connections.Pair two = Connections.open()) {
            in(one.near()).close();
            assertFalse(one.near().isOpen());
            out(two.near()).close();
            assertFalse(two.near().isOpen());
        }
    }

    @Test
    void readingAndWritingStreamsGoOnAtTheSameTime() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            byte[] sent = Bytes.pattern(MUCH);
            Task<Void> one = Threads.run(() -> out(pair.near()).write(sent));
            Task<Void> other = Threads.run(() -> out(pair.far()).write(sent));
            Task<byte[]> reader = Threads.start(() -> in(pair.near()).readNBytes(MUCH));
            assertArrayEquals(sent, in(pair.far()).readNBytes(MUCH));
            assertArrayEquals(sent, reader.join());
            one.join();
            other.join();
        }
    }

    @Test
    void blockedStreamReadDoesNotHoldUpAStreamWrite() throws Exception {
        for (int timeout : new int[] {0, 60_000}) {
            try (Connections.Pair pair = Connections.open()) {
                pair.near().socket().setSoTimeout(timeout);
                Task<Integer> reader =
                        Threads.start(() -> in(pair.near()).read()).awaitBlockedIn("read");
                out(pair.near()).write('q');
                assertEquals('q', in(pair.far()).read());
                out(pair.far()).write('a');
                assertEquals('a', reader.join());
            }
        }
    }

    @Test
    void streamOfAShutDownDirectionIsRefusedOrAtItsEnd() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            InputStream in = in(pair.near());
            OutputStream out = out(pair.near());
            pair.near().shutdownInput().shutdownOutput();
            assertEquals(-1, in.read());
            assertEquals(0, in.available());
            assertThrows(IOException.class, () -> out.write(1));
        }
    }
}
