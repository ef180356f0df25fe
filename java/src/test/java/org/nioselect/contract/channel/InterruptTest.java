package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Pipe;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Callable;
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

/** Interrupting a thread that is blocked on a channel, or about to be, closes the channel. */
@Timeout(60)
class InterruptTest {
    static Stream<Named<BlockingOperation.Kind>> operations() {
        return BlockingOperation.all();
    }

    /** How a call ended: with which exception, and whether the interrupt status was set then. */
    private record Ending(Class<?> exception, boolean interrupted) {
    }

    private static Ending ending(Callable<?> call) throws Exception {
        try {
            call.call();
            return new Ending(null, Thread.currentThread().isInterrupted());
        } catch (IOException e) {
            return new Ending(e.getClass(), Thread.currentThread().isInterrupted());
        }
    }

    private static Ending endingOfInterrupted(Callable<?> call) throws Exception {
        Thread.currentThread().interrupt();
        return ending(call);
    }

    @ParameterizedTest
    @MethodSource("operations")
    void interruptClosesTheChannelAndKeepsTheStatus(BlockingOperation.Kind kind)
            throws Exception {
        try (BlockingOperation operation = kind.open()) {
            Task<Ending> blocked = Threads.start(() -> ending(operation.call()))
                    .awaitBlockedIn(operation.method());
            blocked.interrupt();
            assertEquals(new Ending(ClosedByInterruptException.class, true), blocked.join());
            assertFalse(operation.channel().isOpen());
        }
    }

    @ParameterizedTest
    @MethodSource("operations")
    void interruptBeforeTheCallHasTheSameEffectAtOnce(BlockingOperation.Kind kind)
            throws Exception {
        try (BlockingOperation operation = kind.open()) {
            Task<Ending> task = Threads.start(() -> endingOfInterrupted(operation.call()));
            assertEquals(new Ending(ClosedByInterruptException.class, true), task.join());
            assertFalse(operation.channel().isOpen());
        }
    }

    @Test
    void interruptOfTheReaderWakesTheWriterWithAsynchronousCloseException() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            SocketChannel near = pair.near();
            Bytes.fill(pair);
            Task<Ending> writer =
                    Threads.start(() -> ending(() -> near.write(ByteBuffer.allocate(1 << 24))))
                            .awaitBlockedIn("write");
            Task<Ending> reader =
                    Threads.start(() -> ending(() -> near.read(ByteBuffer.allocate(8))))
                            .awaitBlockedIn("read");
            reader.interrupt();
            assertEquals(new Ending(ClosedByInterruptException.class, true), reader.join());
            assertEquals(new Ending(AsynchronousCloseException.class, false), writer.join());
        }
    }

    @Test
    void interruptedThreadMayUseANonBlockingChannel() throws Exception {
        try (Connections.Pair pair = Connections.openNonBlocking()) {
            Task<Ending> task = Threads.start(
                    () -> endingOfInterrupted(() -> pair.near().read(ByteBuffer.allocate(8))));
            assertEquals(new Ending(null, true), task.join());
            assertTrue(pair.near().isOpen());
        }
    }

    @Test
    void interruptedThreadFindsAClosedChannelClosed() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().close();
            Task<Ending> task = Threads.start(
                    () -> endingOfInterrupted(() -> pair.near().read(ByteBuffer.allocate(8))));
            assertSame(ClosedChannelException.class, task.join().exception());
        }
    }

    @Test
    void pipeOpensInAnInterruptedThreadAndKeepsTheStatus() throws Exception {
        Task<Pipe> task = Threads.start(() -> {
            Thread.currentThread().interrupt();
            Pipe pipe = Pipe.open();
            assertTrue(Thread.currentThread().isInterrupted());
            return pipe;
        });
        Pipe pipe = task.join();
        try (Pipe.SinkChannel sink = pipe.sink(); Pipe.SourceChannel source = pipe.source()) {
            sink.write(Bytes.of("through"));
            assertEquals("through", Bytes.readText(source, 7));
        }
    }

    @Test
    void interruptedConnectClosesTheChannelForGood() throws Exception {
        try (SocketChannel channel = SocketChannel.open()) {
            Task<Ending> task = Threads.start(
                    () -> endingOfInterrupted(() -> channel.connect(Connections.refusing())));
            assertSame(ClosedByInterruptException.class, task.join().exception());
            assertThrows(ClosedChannelException.class, channel::getLocalAddress);
        }
    }
}
