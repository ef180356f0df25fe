package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** Blocking reads and writes go on at the same time and move everything, in order. */
@Timeout(60)
class FullDuplexTest {
    private static final int MUCH = 4 * 1024 * 1024;

    @Test
    void blockingWriteIsNeverShort() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            byte[] sent = Bytes.pattern(MUCH);
            Task<byte[]> reader = Threads.start(() -> Bytes.readFully(pair.far(), MUCH));
            ByteBuffer buffer = ByteBuffer.wrap(sent);
            assertEquals(MUCH, pair.near().write(buffer));
            assertFalse(buffer.hasRemaining());
            assertArrayEquals(sent, reader.join());
        }
    }

    @Test
    void blockingWriteOfADirectBufferIsNeverShort() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            byte[] sent = Bytes.pattern(MUCH);
            Task<byte[]> reader = Threads.start(() -> Bytes.readFully(pair.far(), MUCH));
            ByteBuffer direct = ByteBuffer.allocateDirect(MUCH).put(sent).flip();
            assertEquals(MUCH, pair.near().write(direct));
            assertArrayEquals(sent, reader.join());
        }
    }

    @Test
    void blockedWriterDoesNotBlockAReader() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            long filled = Bytes.fill(pair);
            Task<Integer> writer = Threads.start(() -> pair.near().write(Bytes.of("at last")))
                    .awaitBlockedIn("write");
            pair.far().write(Bytes.of("news"));
            assertEquals("news", Bytes.readText(pair.near(), 4));
            assertFalse(writer.done());
            Bytes.readFully(pair.far(), (int) filled);
            assertEquals("at last", Bytes.readText(pair.far(), 7));
            assertEquals(7, writer.join());
        }
    }

    @Test
    void blockedReaderDoesNotBlockAWriter() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Task<String> reader =
                    Threads.start(() -> Bytes.readText(pair.near(), 6)).awaitBlockedIn("read");
            pair.near().write(Bytes.of("question"));
            assertEquals("question", Bytes.readText(pair.far(), 8));
            pair.far().write(Bytes.of("answer"));
            assertEquals("answer", reader.join());
        }
    }

    @Test
    void bothDirectionsCarryMuchDataAtOnce() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            byte[] sent = Bytes.pattern(MUCH);
            Task<Void> one = Threads.run(() -> pair.near().write(ByteBuffer.wrap(sent)));
            Task<Void> other = Threads.run(() -> pair.far().write(ByteBuffer.wrap(sent)));
            Task<byte[]> near = Threads.start(() -> Bytes.readFully(pair.near(), MUCH));
            assertArrayEquals(sent, Bytes.readFully(pair.far(), MUCH));
            assertArrayEquals(sent, near.join());
            one.join();
            other.join();
        }
    }

    @Test
    void concurrentReadersShareTheStreamWithoutLoss() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Task<Integer> first = Threads.start(() -> countToEnd(pair.far()));
            Task<Integer> second = Threads.start(() -> countToEnd(pair.far()));
            pair.near().write(ByteBuffer.wrap(Bytes.pattern(MUCH)));
            pair.near().shutdownOutput();
            assertEquals(MUCH, first.join() + second.join());
        }
    }

    private static int countToEnd(SocketChannel channel) throws Exception {
        ByteBuffer buffer = ByteBuffer.allocate(4096);
        int total = 0;
        for (int n = 0; n >= 0; n = channel.read(buffer.clear())) {
            total += n;
        }
        return total;
    }

    @Test
    void concurrentWritersNeverMixOneWriteIntoAnother() throws Exception {
        int writes = 50;
        int size = 64 * 1024;
        try (Connections.Pair pair = Connections.open()) {
            Task<Void> ones = Threads.run(() -> writeBlocks(pair.near(), (byte) 1, writes, size));
            Task<Void> twos = Threads.run(() -> writeBlocks(pair.near(), (byte) 2, writes, size));
            for (int i = 0; i < 2 * writes; i++) {
                byte[] block = Bytes.readFully(pair.far(), size);
                for (byte b : block) {
                    assertEquals(block[0], b);
                }
            }
            ones.join();
            twos.join();
        }
    }

    private static void writeBlocks(SocketChannel channel, byte value, int writes, int size)
            throws Exception {
        byte[] block = new byte[size];
        Arrays.fill(block, value);
        for (int i = 0; i < writes; i++) {
            channel.write(ByteBuffer.wrap(block));
        }
    }

    @Test
    void datagramChannelSendsWhileAnotherThreadIsBlockedInReceive() throws Exception {
        try (DatagramChannel one = DatagramChannel.open().bind(Connections.anyPort());
                DatagramChannel other = DatagramChannel.open().bind(Connections.anyPort())) {
            ByteBuffer received = ByteBuffer.allocate(16);
            Task<?> receiver =
                    Threads.start(() -> one.receive(received)).awaitBlockedIn("receive");
            assertEquals(4, one.send(Bytes.of("ping"), other.getLocalAddress()));
            ByteBuffer ping = ByteBuffer.allocate(16);
            other.send(Bytes.of("pong"), other.receive(ping));
            assertEquals(other.getLocalAddress(), receiver.join());
            assertEquals("ping", Bytes.text(ping));
            assertEquals("pong", Bytes.text(received));
        }
    }

    @Test
    void modeChangeWaitsForABlockedRead() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Task<String> reader =
                    Threads.start(() -> Bytes.readText(pair.near(), 4)).awaitBlockedIn("read");
            Task<?> changing = Threads.start(() -> pair.near().configureBlocking(false))
                    .awaitBlockedIn("configureBlocking");
            pair.far().write(Bytes.of("data"));
            assertEquals("data", reader.join());
            changing.join();
            assertFalse(pair.near().isBlocking());
        }
    }

    @Test
    void modeChangesWaitForNobodyInNonBlockingMode() throws Exception {
        try (Connections.Pair pair = Connections.openNonBlocking()) {
            assertEquals(0, pair.near().read(ByteBuffer.allocate(8)));
            pair.near().configureBlocking(true);
            assertTrue(pair.near().isBlocking());
            pair.near().configureBlocking(false);
            assertFalse(pair.near().isBlocking());
            assertEquals(0, pair.near().read(ByteBuffer.allocate(8)));
        }
    }
}
