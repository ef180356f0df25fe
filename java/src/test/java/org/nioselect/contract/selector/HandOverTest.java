package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/**
 * What a thread has written, and told the selecting thread through memory, the next
 * {@code selectNow} finds. The system property {@code nioselect.handover.rounds} tells how often.
 */
@Timeout(value = 1, unit = TimeUnit.DAYS)
class HandOverTest {
    private static final int ROUNDS = Integer.getInteger("nioselect.handover.rounds", 500);
    /** How many idle selections there are between two rounds, at most. */
    private static final int LONGEST_PAUSE = 40;

    private volatile int written;
    private volatile int taken;
    private volatile long idle;
    private volatile boolean over;

    private SelectableChannel reading;
    private Channel writing;

    @AfterEach
    void close() throws IOException {
        reading.close();
        writing.close();
    }

    @Test
    void throughAPipe() throws Exception {
        Pipe pipe = Pipe.open();
        reading = pipe.source();
        writing = pipe.sink();
        handOver(true);
    }

    @Test
    void throughAUnixDomainConnection() throws Exception {
        Path path = Files.createTempDirectory("nio").resolve("socket");
        try (ServerSocketChannel listener =
                ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            listener.bind(UnixDomainSocketAddress.of(path));
            writing = SocketChannel.open(listener.getLocalAddress());
            reading = listener.accept();
        } finally {
            Files.delete(path);
            Files.delete(path.getParent());
        }
        handOver(true);
    }

    /** Over loopback it may take a moment until what was written is there. */
    @Test
    void throughATcpConnection() throws Exception {
        Connections.Pair pair = Connections.open();
        reading = pair.near();
        writing = pair.far();
        handOver(false);
    }

    @Test
    void byDatagrams() throws Exception {
        DatagramChannel receiver = DatagramChannel.open();
        reading = receiver;
        DatagramChannel sender = DatagramChannel.open();
        writing = sender;
        receiver.bind(Connections.anyPort());
        sender.bind(Connections.anyPort()).connect(receiver.getLocalAddress());
        receiver.connect(sender.getLocalAddress());
        handOver(false);
    }

    private void handOver(boolean isImmediate) throws Exception {
        reading.configureBlocking(false);
        try (Selector selector = Selector.open()) {
            reading.register(selector, OP_READ);
            Task<Void> writer = Threads.run(this::write);
            for (int round = 1; round <= ROUNDS && !writer.done(); round++) {
                take(selector, round, isImmediate);
            }
            over = true;
            writer.join();
            assertEquals(ROUNDS, taken);
        }
    }

    /** The number is looked at first, and then the kernel or what stands for it. */
    private void take(Selector selector, int round, boolean isImmediate) throws IOException {
        Deadline deadline = null;
        while (true) {
            boolean isTold = written == round;
            int found = selector.selectNow();
            if (found == 1) {
                selector.selectedKeys().clear();
                assertEquals(1, ((ReadableByteChannel) reading).read(ByteBuffer.allocate(8)));
                taken = round;
                return;
            }
            if (isTold) {
                deadline = deadline == null ? Deadline.patient() : deadline;
                assertTrue(!isImmediate && !deadline.passed(), () -> "lost in round " + round);
            }
            idle++;
        }
    }

    private void write() throws IOException {
        SplittableRandom random = new SplittableRandom(7);
        for (int round = 1; round <= ROUNDS; round++) {
            long resumed = idle + random.nextInt(LONGEST_PAUSE);
            while (!over && (taken != round - 1 || idle < resumed)) {
                Thread.yield();
            }
            if (over) {
                return;
            }
            assertEquals(1, ((WritableByteChannel) writing).write(ByteBuffer.allocate(1)));
            written = round;
        }
    }
}
