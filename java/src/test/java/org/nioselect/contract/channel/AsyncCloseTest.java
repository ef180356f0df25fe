package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** Closing a channel while other threads are blocked on it wakes each of them. */
@Timeout(60)
class AsyncCloseTest {
    static Stream<Named<BlockingOperation.Kind>> operations() {
        return BlockingOperation.all();
    }

    @ParameterizedTest
    @MethodSource("operations")
    void closeWakesABlockedCallWithAsynchronousCloseException(BlockingOperation.Kind kind)
            throws Exception {
        try (BlockingOperation operation = kind.open()) {
            Task<?> blocked =
                    Threads.start(operation.call()).awaitBlockedIn(operation.method());
            operation.channel().close();
            Exception e = assertThrows(IOException.class, blocked::join);
            assertSame(AsynchronousCloseException.class, e.getClass());
            assertFalse(operation.channel().isOpen());
        }
    }

    @ParameterizedTest
    @MethodSource("operations")
    void callAfterAnAsynchronousCloseFindsTheChannelClosed(BlockingOperation.Kind kind)
            throws Exception {
        try (BlockingOperation operation = kind.open()) {
            Task<?> blocked =
                    Threads.start(operation.call()).awaitBlockedIn(operation.method());
            operation.channel().close();
            assertThrows(AsynchronousCloseException.class, blocked::join);
            assertThrows(ClosedChannelException.class, () -> operation.call().call());
        }
    }

    @Test
    void closeWakesAReaderAndAWriterAtOnce() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            SocketChannel near = pair.near();
            Bytes.fill(pair);
            Task<?> reader = Threads.start(() -> near.read(ByteBuffer.allocate(8)))
                    .awaitBlockedIn("read");
            Task<?> writer = Threads.start(() -> near.write(ByteBuffer.allocate(1 << 24)))
                    .awaitBlockedIn("write");
            near.close();
            assertThrows(AsynchronousCloseException.class, reader::join);
            assertThrows(AsynchronousCloseException.class, writer::join);
        }
    }

    @Test
    void closeWakesEveryThreadThatWaitsToAccept() throws Exception {
        ServerSocketChannel listener = Connections.listen();
        List<Task<?>> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiting.add(Threads.start(listener::accept).awaitBlockedIn("accept"));
        }
        listener.close();
        for (Task<?> task : waiting) {
            assertThrows(ClosedChannelException.class, task::join);
        }
    }

    @Test
    void closeDuringAWriteLosesNothingOfWhatWasWrittenBefore() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().write(Bytes.of("before"));
            Task<?> writer = Threads.start(() -> {
                while (true) {
                    pair.near().write(ByteBuffer.allocate(1 << 20));
                }
            });
            assertEquals("before", Bytes.readText(pair.far(), 6));
            pair.near().close();
            assertThrows(ClosedChannelException.class, writer::join);
            ByteBuffer rest = ByteBuffer.allocate(1 << 20);
            while (pair.far().read(rest.clear()) >= 0) {
                assertTrue(rest.position() > 0);
            }
        }
    }

    @Test
    void peerSeesTheEndWhenABlockedReaderIsClosed() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Task<?> reader = Threads.start(() -> pair.near().read(ByteBuffer.allocate(8)))
                    .awaitBlockedIn("read");
            pair.near().close();
            assertThrows(AsynchronousCloseException.class, reader::join);
            assertEquals(-1, pair.far().read(ByteBuffer.allocate(8)));
        }
    }

    @Test
    void closeRacingWithReadNeverHangs() throws Exception {
        for (int round = 0; round < 300; round++) {
            try (Connections.Pair pair = Connections.open()) {
                Task<?> reader = Threads.start(() -> pair.near().read(ByteBuffer.allocate(8)));
                pair.near().close();
                assertThrows(ClosedChannelException.class, reader::join);
            }
        }
    }
}
