package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;
import org.nioselect.support.VirtualThreads;
import org.nioselect.support.VirtualThreads.Virtual;

/** A virtual thread that blocks on a channel parks: its carrier is free for others. */
@Timeout(120)
class VirtualThreadTest {
    /** More than the carriers that the scheduler may ever have. */
    private static final int MANY = 300;

    @BeforeEach
    void assumeSupported() {
        VirtualThreads.assumeSupported();
    }

    static Stream<Named<BlockingOperation.Kind>> operations() {
        return BlockingOperation.all();
    }

    private static Throwable failureOf(Virtual<?> thread) {
        return assertThrows(ExecutionException.class, thread::join).getCause();
    }

    @ParameterizedTest
    @MethodSource("operations")
    void blockedCallParksAndCloseUnparksIt(BlockingOperation.Kind kind) throws Exception {
        try (BlockingOperation operation = kind.open()) {
            Virtual<?> blocked =
                    VirtualThreads.start(operation.call()).awaitParkedIn(operation.method());
            operation.channel().close();
            assertSame(AsynchronousCloseException.class, failureOf(blocked).getClass());
        }
    }

    @ParameterizedTest
    @MethodSource("operations")
    void interruptUnparksABlockedCallAndClosesTheChannel(BlockingOperation.Kind kind)
            throws Exception {
        try (BlockingOperation operation = kind.open()) {
            Virtual<?> blocked =
                    VirtualThreads.start(operation.call()).awaitParkedIn(operation.method());
            blocked.thread().interrupt();
            assertSame(ClosedByInterruptException.class, failureOf(blocked).getClass());
            assertFalse(operation.channel().isOpen());
        }
    }

    @ParameterizedTest
    @MethodSource("operations")
    void strayUnparkDoesNotEndABlockedCall(BlockingOperation.Kind kind) throws Exception {
        try (BlockingOperation operation = kind.open()) {
            Virtual<?> blocked =
                    VirtualThreads.start(operation.call()).awaitParkedIn(operation.method());
            for (int i = 0; i < 5; i++) {
                LockSupport.unpark(blocked.thread());
                blocked.awaitParkedIn(operation.method());
            }
            operation.channel().close();
            assertSame(AsynchronousCloseException.class, failureOf(blocked).getClass());
        }
    }

    @Test
    void readWriteAcceptAndConnectWorkBetweenVirtualThreads() throws Exception {
        byte[] sent = Bytes.pattern(4 << 20);
        try (ServerSocketChannel listener = Connections.listen()) {
            Virtual<byte[]> server = VirtualThreads.start(() -> {
                try (SocketChannel far = listener.accept()) {
                    return Bytes.readFully(far, sent.length);
                }
            });
            Virtual<Boolean> client = VirtualThreads.start(() -> {
                ByteBuffer rest = ByteBuffer.wrap(sent);
                try (SocketChannel near = SocketChannel.open(listener.getLocalAddress())) {
                    while (rest.hasRemaining()) {
                        near.write(rest);
                    }
                }
                return true;
            });
            assertTrue(client.join());
            assertArrayEquals(sent, server.join());
        }
    }

    @Test
    void manyBlockedThreadsLeaveTheCarriersFree() throws Exception {
        List<DatagramChannel> channels = new ArrayList<>();
        List<Virtual<String>> blocked = new ArrayList<>();
        try {
            for (int i = 0; i < MANY; i++) {
                DatagramChannel channel = DatagramChannel.open();
                channels.add(channel);
                channel.bind(Connections.anyPort());
                blocked.add(VirtualThreads.start(() -> {
                    ByteBuffer buffer = ByteBuffer.allocate(16);
                    channel.receive(buffer);
                    return Bytes.text(buffer);
                }));
            }
            for (Virtual<String> thread : blocked) {
                thread.awaitParkedIn("receive");
            }
            assertEquals("free", VirtualThreads.start(() -> "free").join());
            for (int i = MANY - 1; i >= 0; i--) {
                channels.get(0).send(Bytes.of("to " + i), channels.get(i).getLocalAddress());
                assertEquals("to " + i, blocked.get(i).join());
            }
        } finally {
            for (DatagramChannel channel : channels) {
                channel.close();
            }
        }
    }

    @Test
    void blockedThreadLeavesTheChannelInBlockingModeToTheEye() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Virtual<Integer> reader = VirtualThreads.start(
                    () -> pair.near().read(ByteBuffer.allocate(8))).awaitParkedIn("read");
            assertTrue(pair.near().isBlocking());
            pair.far().write(Bytes.of("x"));
            assertEquals(1, reader.join());
            assertTrue(pair.near().isBlocking());
        }
    }

    @Test
    void platformAndVirtualThreadsShareAChannel() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Virtual<String> reader =
                    VirtualThreads.start(() -> Bytes.readText(pair.near(), 4));
            reader.awaitParkedIn("read");
            pair.near().write(Bytes.of("from platform"));
            assertEquals("from platform", Bytes.readText(pair.far(), 13));
            pair.far().write(Bytes.of("done"));
            assertEquals("done", reader.join());
            pair.far().write(Bytes.of("more"));
            assertEquals("more", Bytes.readText(pair.near(), 4));
        }
    }

    @Test
    void shutdownInputUnparksABlockedReadWithTheEnd() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Virtual<Integer> reader = VirtualThreads.start(
                    () -> pair.near().read(ByteBuffer.allocate(8))).awaitParkedIn("read");
            pair.near().shutdownInput();
            assertEquals(-1, reader.join());
            assertTrue(pair.near().isOpen());
        }
    }

    @Test
    void shutdownOutputUnparksABlockedWrite() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Bytes.fill(pair);
            Virtual<Integer> writer = VirtualThreads.start(
                    () -> pair.near().write(ByteBuffer.allocate(1 << 24))).awaitParkedIn("write");
            pair.near().shutdownOutput();
            assertSame(AsynchronousCloseException.class, failureOf(writer).getClass());
            assertTrue(pair.near().isOpen());
        }
    }

    @Test
    void readerAndWriterParkOnOneChannelAtOnce() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            long filled = Bytes.fill(pair);
            Virtual<Integer> writer = VirtualThreads.start(
                    () -> pair.near().write(Bytes.of("at last"))).awaitParkedIn("write");
            Virtual<String> reader =
                    VirtualThreads.start(() -> Bytes.readText(pair.near(), 4));
            reader.awaitParkedIn("read");
            pair.far().write(Bytes.of("news"));
            assertEquals("news", reader.join());
            assertFalse(writer.outcome().isDone());
            Bytes.readFully(pair.far(), (int) filled);
            assertEquals("at last", Bytes.readText(pair.far(), 7));
            assertEquals(7, writer.join());
        }
    }

    @Test
    void timedOutStreamReadOfAVirtualThreadLeavesTheSocketUsable() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Socket socket = pair.near().socket();
            socket.setSoTimeout(30);
            Virtual<Integer> reader = VirtualThreads.start(() -> socket.getInputStream().read());
            assertSame(SocketTimeoutException.class, failureOf(reader).getClass());
            pair.far().write(Bytes.of("x"));
            assertEquals('x', socket.getInputStream().read());
        }
    }

    @Test
    void timedStreamReadOfAVirtualThreadIsEndedByClose() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Socket socket = pair.near().socket();
            socket.setSoTimeout(60_000);
            Virtual<Integer> reader = VirtualThreads.start(() -> socket.getInputStream().read());
            Deadline.await("the thread waits",
                    () -> reader.thread().getState() == Thread.State.TIMED_WAITING);
            socket.close();
            assertTrue(failureOf(reader) instanceof ClosedChannelException);
        }
    }

    @Test
    void manyThreadsInTimedReadsLeaveTheCarriersFree() throws Exception {
        List<Connections.Pair> pairs = new ArrayList<>();
        List<Virtual<Integer>> readers = new ArrayList<>();
        try {
            for (int i = 0; i < MANY; i++) {
                Connections.Pair pair = Connections.open();
                pairs.add(pair);
                pair.near().socket().setSoTimeout(60_000);
                readers.add(VirtualThreads.start(
                        () -> pair.near().socket().getInputStream().read()));
            }
            for (int i = MANY - 1; i >= 0; i--) {
                pairs.get(i).far().write(Bytes.of("x"));
                assertEquals('x', readers.get(i).join());
            }
        } finally {
            for (Connections.Pair pair : pairs) {
                pair.close();
            }
        }
    }

    @Test
    void blockedStreamReadParks() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Socket socket = pair.near().socket();
            Virtual<Integer> reader = VirtualThreads.start(
                    () -> socket.getInputStream().read()).awaitParkedIn("read");
            pair.far().write(Bytes.of("x"));
            assertEquals('x', reader.join());
        }
    }

    @Test
    void nonBlockingCallsDoNotPark() throws Exception {
        try (Connections.Pair pair = Connections.openNonBlocking();
                DatagramChannel datagram = DatagramChannel.open()) {
            datagram.configureBlocking(false);
            assertEquals(0, VirtualThreads.start(
                    () -> pair.near().read(ByteBuffer.allocate(8))).join());
            assertNull(VirtualThreads.start(
                    () -> datagram.receive(ByteBuffer.allocate(8))).join());
        }
    }
}
