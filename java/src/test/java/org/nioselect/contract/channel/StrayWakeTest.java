package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;
import org.nioselect.support.VirtualThreads;

/** What wakes a thread from one blocking call never disturbs its next call. */
@Timeout(120)
class StrayWakeTest {
    private static final int RACES = 150;

    /** Reads from the first channel until it is closed, and then a byte from the second. */
    private static int readOneAfterTheOther(SocketChannel first, SocketChannel second,
            CyclicBarrier start) throws Exception {
        start.await();
        try {
            first.read(ByteBuffer.allocate(8));
        } catch (ClosedChannelException e) {
            assertFalse(Thread.currentThread().isInterrupted());
        }
        ByteBuffer buffer = ByteBuffer.allocate(8);
        assertEquals(1, second.read(buffer));
        return buffer.get(0);
    }

    @Test
    void closeThatRacesWithDataDoesNotDisturbTheNextRead() throws Exception {
        for (int i = 0; i < RACES; i++) {
            try (Connections.Pair one = Connections.open();
                    Connections.Pair other = Connections.open()) {
                CyclicBarrier start = new CyclicBarrier(2);
                Task<Integer> reader = Threads.start(
                        () -> readOneAfterTheOther(one.near(), other.near(), start));
                start.await();
                one.far().write(Bytes.of("a"));
                one.near().close();
                other.far().write(Bytes.of("b"));
                assertEquals('b', reader.join());
            }
        }
    }

    @Test
    void closeThatRacesWithDataDoesNotDisturbTheNextReadOfAVirtualThread() throws Exception {
        VirtualThreads.assumeSupported();
        for (int i = 0; i < RACES; i++) {
            try (Connections.Pair one = Connections.open();
                    Connections.Pair other = Connections.open()) {
                CyclicBarrier start = new CyclicBarrier(2);
                VirtualThreads.Virtual<Integer> reader = VirtualThreads.start(
                        () -> readOneAfterTheOther(one.near(), other.near(), start));
                start.await();
                one.far().write(Bytes.of("a"));
                one.near().close();
                other.far().write(Bytes.of("b"));
                assertEquals('b', reader.join());
            }
        }
    }

    /** Reads, and says whether a byte came; otherwise the thread must have been interrupted. */
    private static boolean readOrBeInterrupted(Callable<Integer> read) throws Exception {
        try {
            return read.call() == 1;
        } catch (ClosedByInterruptException e) {
            assertTrue(Thread.interrupted());
            return false;
        }
    }

    @Test
    void interruptThatRacesWithDataNeitherHangsNorIsLost() throws Exception {
        for (int i = 0; i < RACES; i++) {
            try (Connections.Pair pair = Connections.open()) {
                CyclicBarrier start = new CyclicBarrier(2);
                Task<Boolean> reader = Threads.start(() -> {
                    start.await();
                    boolean read = readOrBeInterrupted(
                            () -> pair.near().read(ByteBuffer.allocate(8)));
                    return read == pair.near().isOpen() || Thread.interrupted();
                });
                start.await();
                pair.far().write(Bytes.of("a"));
                reader.interrupt();
                assertTrue(reader.join());
            }
        }
    }

    @Test
    void threadReadsOnAfterItsInterruptStatusIsCleared() throws Exception {
        try (Connections.Pair one = Connections.open();
                Connections.Pair other = Connections.open()) {
            Task<String> reader = Threads.start(() -> {
                boolean read = readOrBeInterrupted(
                        () -> one.near().read(ByteBuffer.allocate(8)));
                assertFalse(read);
                return Bytes.readText(other.near(), 5);
            });
            reader.awaitBlockedIn("read").interrupt();
            reader.awaitBlockedIn("readText");
            other.far().write(Bytes.of("hello"));
            assertEquals("hello", reader.join());
        }
    }

    @Test
    void interruptOfAThreadThatHasLeftTheCallLeavesTheChannelOpen() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            pair.far().write(Bytes.of("a"));
            Task<Boolean> reader = Threads.start(() -> {
                pair.near().read(ByteBuffer.allocate(8));
                Thread.currentThread().interrupt();
                return pair.near().isOpen();
            });
            assertTrue(reader.join());
            assertTrue(pair.near().isOpen());
        }
    }

    @Test
    void closeOfOneChannelDoesNotDisturbThreadsBlockedOnOthers() throws Exception {
        Pipe pipe = Pipe.open();
        try (Connections.Pair pair = Connections.open();
                DatagramChannel datagram = DatagramChannel.open().bind(Connections.anyPort());
                Pipe.SinkChannel sink = pipe.sink(); Pipe.SourceChannel source = pipe.source()) {
            Task<String> fromSocket = Threads.start(() -> Bytes.readText(pair.near(), 1));
            Task<String> fromPipe = Threads.start(() -> Bytes.readText(source, 1));
            ByteBuffer buffer = ByteBuffer.allocate(8);
            Task<?> fromDatagram = Threads.start(() -> datagram.receive(buffer));
            fromSocket.awaitBlockedIn("read");
            fromPipe.awaitBlockedIn("read");
            fromDatagram.awaitBlockedIn("receive");
            for (int i = 0; i < 20; i++) {
                try (Connections.Pair closed = Connections.open()) {
                    Task<?> victim = Threads.start(
                            () -> closed.near().read(ByteBuffer.allocate(8)))
                            .awaitBlockedIn("read");
                    closed.near().close();
                    assertThrows(IOException.class, victim::join);
                }
            }
            assertFalse(fromSocket.done() || fromPipe.done() || fromDatagram.done());
            pair.far().write(Bytes.of("s"));
            sink.write(Bytes.of("p"));
            datagram.send(Bytes.of("d"), datagram.getLocalAddress());
            assertEquals("s", fromSocket.join());
            assertEquals("p", fromPipe.join());
            fromDatagram.join();
            assertEquals("d", Bytes.text(buffer));
        }
    }

    @Test
    void timedOutCallsDoNotDisturbTheNextOne() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().socket().setSoTimeout(2);
            for (int i = 0; i < 20; i++) {
                assertThrows(SocketTimeoutException.class,
                        () -> pair.near().socket().getInputStream().read());
            }
            pair.far().write(Bytes.of("x"));
            assertEquals("x", Bytes.readText(pair.near(), 1));
        }
    }
}
