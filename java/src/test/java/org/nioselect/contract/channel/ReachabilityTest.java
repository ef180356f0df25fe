package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** The garbage collector takes no channel of which any part is in use. */
@Timeout(120)
class ReachabilityTest {
    private static final int TIMED_OUT_READS = 20;

    /** Collects garbage, and what an unreachable channel would leave to a cleaner. */
    private static void collectGarbage() throws Exception {
        WeakReference<Object> canary = new WeakReference<>(new Object());
        Deadline.await("garbage is collected", () -> {
            System.gc();
            return canary.get() == null;
        });
        System.gc();
    }

    /** A connection whose near end is referred to by nothing but what is made of it. */
    private static <T> T dropped(SocketChannel[] far, Extraction<T> part) throws Exception {
        Connections.Pair pair = Connections.open();
        far[0] = pair.far();
        return part.from(pair.near());
    }

    /** Takes a part out of a channel, which is forgotten. */
    @FunctionalInterface
    private interface Extraction<T> {
        T from(SocketChannel channel) throws IOException;
    }

    @Test
    void aStreamKeepsItsChannel() throws Exception {
        SocketChannel[] far = new SocketChannel[1];
        InputStream in = dropped(far, channel -> channel.socket().getInputStream());
        collectGarbage();
        try (in; SocketChannel peer = far[0]) {
            peer.write(Bytes.of("alive"));
            assertArrayEquals("alive".getBytes(), in.readNBytes(5));
        }
    }

    @Test
    void aSocketKeepsItsChannel() throws Exception {
        SocketChannel[] far = new SocketChannel[1];
        Socket socket = dropped(far, SocketChannel::socket);
        collectGarbage();
        try (socket; SocketChannel peer = far[0]) {
            peer.write(Bytes.of("alive"));
            assertArrayEquals("alive".getBytes(), socket.getInputStream().readNBytes(5));
        }
    }

    @Test
    void aRegisteredChannelIsKeptByItsSelector() throws Exception {
        try (Selector selector = Selector.open()) {
            SocketChannel[] far = new SocketChannel[1];
            dropped(far, channel -> {
                channel.configureBlocking(false);
                return channel.register(selector, SelectionKey.OP_READ).interestOps();
            });
            collectGarbage();
            try (SocketChannel peer = far[0]) {
                peer.write(Bytes.of("x"));
                assertEquals(1, selector.select());
                SelectionKey key = selector.selectedKeys().iterator().next();
                try (SocketChannel channel = (SocketChannel) key.channel()) {
                    assertEquals(1, channel.read(ByteBuffer.allocate(8)));
                }
            }
        }
    }

    @Test
    void eachEndKeepsAPipe() throws Exception {
        Pipe pipe = Pipe.open();
        try (Pipe.SourceChannel source = pipe.source(); Pipe.SinkChannel sink = pipe.sink()) {
            pipe = null;
            collectGarbage();
            sink.write(Bytes.of("alive"));
            assertEquals("alive", Bytes.readText(source, 5));
        }
    }

    @Test
    void aBlockedReadKeepsItsChannel() throws Exception {
        SocketChannel[] far = new SocketChannel[1];
        Task<String> reader = dropped(far,
                channel -> Threads.start(() -> Bytes.readText(channel, 5)));
        reader.awaitBlockedIn("read");
        collectGarbage();
        try (SocketChannel peer = far[0]) {
            peer.write(Bytes.of("alive"));
            assertEquals("alive", reader.join());
        }
    }

    @Test
    void timedOutReadsGoOnWhileGarbageIsCollected() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().socket().setSoTimeout(5);
            InputStream in = pair.near().socket().getInputStream();
            whileGarbageIsCollected(() -> assertThrows(SocketTimeoutException.class, in::read));
            pair.far().write(Bytes.of("x"));
            pair.near().socket().setSoTimeout(60_000);
            assertEquals('x', in.read());
        }
    }

    @Test
    void timedOutAcceptsGoOnWhileGarbageIsCollected() throws Exception {
        try (ServerSocket listener = Connections.listen().socket()) {
            listener.setSoTimeout(5);
            whileGarbageIsCollected(
                    () -> assertThrows(SocketTimeoutException.class, listener::accept));
            listener.setSoTimeout(60_000);
            try (SocketChannel near = SocketChannel.open(listener.getLocalSocketAddress());
                    Socket far = listener.accept()) {
                assertTrue(near.isConnected() && far.isConnected());
            }
        }
    }

    @Test
    void timedOutReceivesGoOnWhileGarbageIsCollected() throws Exception {
        try (DatagramChannel channel = DatagramChannel.open().bind(Connections.anyPort());
                DatagramChannel sender = DatagramChannel.open()) {
            DatagramSocket socket = channel.socket();
            DatagramPacket packet = new DatagramPacket(new byte[8], 8);
            socket.setSoTimeout(5);
            whileGarbageIsCollected(
                    () -> assertThrows(SocketTimeoutException.class, () -> socket.receive(packet)));
            sender.send(Bytes.of("alive"), channel.getLocalAddress());
            socket.setSoTimeout(60_000);
            socket.receive(packet);
            assertEquals(5, packet.getLength());
        }
    }

    private static void whileGarbageIsCollected(Threads.Action action) throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        Task<Void> collector = Threads.run(() -> {
            while (!over.get()) {
                collectGarbage();
            }
        });
        for (int i = 0; i < TIMED_OUT_READS; i++) {
            action.run();
        }
        over.set(true);
        collector.join();
    }
}
