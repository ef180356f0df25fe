package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;
import org.nioselect.support.Providers;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** FileChannel.transferTo and transferFrom with the provider's channels. */
@Timeout(60)
class TransferTest {
    private static final int SIZE = 3 * 1024 * 1024 + 17;

    private final byte[] content = Bytes.pattern(SIZE);
    private Path path;
    private FileChannel file;

    @BeforeEach
    void createFile() throws IOException {
        path = Files.createTempFile("nio", "transfer");
        Files.write(path, content);
        file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    @AfterEach
    void deleteFile() throws IOException {
        file.close();
        Files.delete(path);
    }

    private void transferAll(WritableByteChannel target) throws IOException {
        long done = 0;
        while (done < SIZE) {
            done += file.transferTo(done, SIZE - done, target);
        }
        assertEquals(SIZE, done);
    }

    @Test
    void fileGoesThroughASocketUnharmed() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Task<Void> sender = Threads.run(() -> transferAll(pair.near()));
            assertArrayEquals(content, Bytes.readFully(pair.far(), SIZE));
            sender.join();
            assertEquals(0, file.position());
        }
    }

    @Test
    void fileGoesThroughAPipeUnharmed() throws Exception {
        Pipe pipe = Pipe.open();
        try (Pipe.SinkChannel sink = pipe.sink(); Pipe.SourceChannel source = pipe.source()) {
            Task<Void> sender = Threads.run(() -> transferAll(sink));
            assertArrayEquals(content, Bytes.readFully(source, SIZE));
            sender.join();
        }
    }

    @Test
    void partOfAFileIsTransferred() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            assertEquals(1000, file.transferTo(5000, 1000, pair.near()));
            byte[] expected = Arrays.copyOfRange(content, 5000, 6000);
            assertArrayEquals(expected, Bytes.readFully(pair.far(), 1000));
        }
    }

    @Test
    void transferBeyondTheEndOfTheFileIsShort() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            assertEquals(10, file.transferTo(SIZE - 10, 1000, pair.near()));
            assertEquals(0, file.transferTo(SIZE + 10, 1000, pair.near()));
        }
    }

    @Test
    void nonBlockingTransferIsShortAndLosesNothing() throws Exception {
        try (Connections.Pair pair = Connections.openNonBlocking()) {
            ByteBuffer received = ByteBuffer.allocate(SIZE);
            long[] sent = new long[1];
            Deadline.await("the file has arrived", () -> {
                sent[0] += file.transferTo(sent[0], SIZE - sent[0], pair.near());
                pair.far().read(received);
                return !received.hasRemaining();
            });
            assertEquals(SIZE, sent[0]);
            assertArrayEquals(content, received.array());
        }
    }

    @Test
    void transferFromASocketFillsTheFile() throws Exception {
        file.truncate(0);
        try (Connections.Pair pair = Connections.open()) {
            Task<Integer> sender =
                    Threads.start(() -> pair.near().write(ByteBuffer.wrap(content)));
            long done = 0;
            while (done < SIZE) {
                done += file.transferFrom(pair.far(), done, SIZE - done);
            }
            sender.join();
            assertArrayEquals(content, Files.readAllBytes(path));
        }
    }

    @Test
    void transferFromEndsWithTheStream() throws Exception {
        file.truncate(0);
        try (Connections.Pair pair = Connections.open()) {
            pair.near().write(Bytes.of("all there is"));
            pair.near().close();
            long done = 0;
            long n;
            while ((n = file.transferFrom(pair.far(), done, 1000)) > 0) {
                done += n;
            }
            assertEquals("all there is", Files.readString(path));
        }
    }

    @Test
    void nonBlockingTransferFromAnEmptySocketReturnsZero() throws IOException {
        try (Connections.Pair pair = Connections.openNonBlocking()) {
            assertEquals(0, file.transferFrom(pair.far(), 0, 1000));
        }
    }

    /** The sendfile of Java 17's own provider knows nothing of the socket's close. */
    private static void assumeTransferIsInterruptible() {
        assumeTrue(Providers.ours() || Providers.javaRelease() >= 25, "hangs in sendfile");
    }

    @Test
    void closeOfTheSocketEndsABlockedTransfer() throws Exception {
        assumeTransferIsInterruptible();
        try (Connections.Pair pair = Connections.open()) {
            Bytes.fill(pair);
            Task<Void> sender =
                    Threads.run(() -> transferAll(pair.near())).awaitBlockedIn("transferTo");
            pair.near().close();
            assertThrows(ClosedChannelException.class, sender::join);
            assertTrue(file.isOpen());
        }
    }

    @Test
    void interruptEndsABlockedTransferAndClosesTheSocket() throws Exception {
        assumeTransferIsInterruptible();
        try (Connections.Pair pair = Connections.open()) {
            Bytes.fill(pair);
            Task<Void> sender =
                    Threads.run(() -> transferAll(pair.near())).awaitBlockedIn("transferTo");
            sender.interrupt();
            assertThrows(ClosedByInterruptException.class, sender::join);
            assertFalse(pair.near().isOpen());
        }
    }

    @Test
    void closeOfTheSourceEndsABlockedTransferFrom() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Task<Long> receiver = Threads.start(() -> file.transferFrom(pair.far(), 0, 1000))
                    .awaitBlockedIn("transferFrom");
            pair.far().close();
            assertThrows(ClosedChannelException.class, receiver::join);
            assertTrue(file.isOpen());
        }
    }
}
