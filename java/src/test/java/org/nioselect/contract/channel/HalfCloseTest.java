package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** shutdownInput and shutdownOutput end one direction and leave the other alone. */
@Timeout(60)
class HalfCloseTest {
    private final ByteBuffer buffer = ByteBuffer.allocate(16);

    @Test
    void shutdownOutputEndsThePeersInputAfterAllThatWasWritten() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().write(Bytes.of("last words"));
            assertSame(pair.near(), pair.near().shutdownOutput());
            assertEquals("last words", Bytes.readText(pair.far(), 10));
            assertEquals(-1, pair.far().read(buffer));
            assertEquals(-1, pair.far().read(buffer));
        }
    }

    @Test
    void answerStillArrivesAfterShutdownOutput() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().shutdownOutput();
            pair.far().write(Bytes.of("answer"));
            assertEquals("answer", Bytes.readText(pair.near(), 6));
        }
    }

    @Test
    void writeAfterShutdownOutputThrowsClosedChannelException() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().shutdownOutput();
            assertThrows(ClosedChannelException.class,
                    () -> pair.near().write(Bytes.of("too late")));
            assertThrows(ClosedChannelException.class,
                    () -> pair.near().write(new ByteBuffer[] {Bytes.of("too late")}));
            assertTrue(pair.near().isOpen());
        }
    }

    @Test
    void readAfterShutdownInputIsAtTheEndInBothModes() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            assertSame(pair.near(), pair.near().shutdownInput());
            assertEquals(-1, pair.near().read(buffer));
            assertEquals(-1, pair.near().read(new ByteBuffer[] {buffer}));
            pair.near().configureBlocking(false);
            assertEquals(-1, pair.near().read(buffer));
        }
    }

    @Test
    void writingStillWorksAfterShutdownInput() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().shutdownInput();
            pair.near().write(Bytes.of("heard"));
            assertEquals("heard", Bytes.readText(pair.far(), 5));
        }
    }

    @Test
    void shutdownIsIdempotentAndVisibleThroughTheSocket() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            SocketChannel near = pair.near();
            assertFalse(near.socket().isInputShutdown());
            assertFalse(near.socket().isOutputShutdown());
            near.shutdownInput().shutdownInput();
            assertTrue(near.socket().isInputShutdown());
            assertFalse(near.socket().isOutputShutdown());
            near.shutdownOutput().shutdownOutput();
            assertTrue(near.socket().isOutputShutdown());
            assertTrue(near.isConnected());
            assertTrue(near.isOpen());
        }
    }

    @Test
    void shutdownOfAnUnconnectedChannelThrowsNotYetConnectedException() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            assertThrows(NotYetConnectedException.class, channel::shutdownInput);
            assertThrows(NotYetConnectedException.class, channel::shutdownOutput);
            assertTrue(channel.isOpen());
        }
    }

    @Test
    void shutdownIsSilentAfterThePeerReset() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            pair.far().setOption(StandardSocketOptions.SO_LINGER, 0);
            pair.far().close();
            assertThrows(IOException.class, () -> pair.near().read(buffer));
            assertDoesNotThrow(pair.near()::shutdownOutput);
            assertDoesNotThrow(pair.near()::shutdownInput);
        }
    }

    @Test
    void shutdownInputWakesABlockedReadWithTheEnd() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Task<Integer> reader =
                    Threads.start(() -> pair.near().read(buffer)).awaitBlockedIn("read");
            pair.near().shutdownInput();
            assertEquals(-1, reader.join());
            assertTrue(pair.near().isOpen());
        }
    }

    @Test
    void shutdownOutputWakesABlockedWriteAndKeepsTheChannelOpen() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Bytes.fill(pair);
            Task<?> writer = Threads.start(() -> pair.near().write(ByteBuffer.allocate(1 << 24)))
                    .awaitBlockedIn("write");
            pair.near().shutdownOutput();
            Exception e = assertThrows(IOException.class, writer::join);
            assertSame(AsynchronousCloseException.class, e.getClass());
            assertTrue(pair.near().isOpen());
            assertTrue(pair.near().socket().isOutputShutdown());
        }
    }

    @Test
    void shutdownOutputLeavesABlockedReaderBlockedUntilTheAnswerComes() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Task<String> reader = Threads.start(() -> Bytes.readText(pair.near(), 6))
                    .awaitBlockedIn("read");
            pair.near().shutdownOutput();
            assertEquals(-1, pair.far().read(buffer));
            assertFalse(reader.done());
            pair.far().write(Bytes.of("answer"));
            assertEquals("answer", reader.join());
        }
    }
}
