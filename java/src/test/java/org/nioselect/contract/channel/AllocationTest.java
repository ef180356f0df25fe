package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nioselect.support.Connections;
import org.nioselect.support.Garbage;
import org.nioselect.support.Providers;

/** In the steady state channels make no garbage, whatever moves through them. */
@Timeout(120)
class AllocationTest {
    private static final int SMALL = 64;
    private static final int LARGE = 16 * 1024;
    private static final int SENDERS = 4;

    static Stream<Named<ByteBuffer>> buffers() {
        return Stream.of(
                Named.of("small heap", ByteBuffer.allocate(SMALL)),
                Named.of("small direct", ByteBuffer.allocateDirect(SMALL)),
                Named.of("large heap", ByteBuffer.allocate(LARGE)),
                Named.of("large direct", ByteBuffer.allocateDirect(LARGE)));
    }

    @BeforeEach
    void assumeOurs() {
        Providers.assumeOurs();
    }

    @ParameterizedTest
    @MethodSource("buffers")
    void nonBlockingReadsAndWritesMakeNoGarbage(ByteBuffer buffer) throws Exception {
        try (Connections.Pair pair = Connections.openNonBlocking()) {
            Garbage.assertNone(() -> pass(pair.near(), pair.far(), buffer));
        }
    }

    @ParameterizedTest
    @MethodSource("buffers")
    void blockingReadsAndWritesMakeNoGarbage(ByteBuffer buffer) throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Garbage.assertNone(() -> pass(pair.near(), pair.far(), buffer));
        }
    }

    @ParameterizedTest
    @MethodSource("buffers")
    void pipesMakeNoGarbage(ByteBuffer buffer) throws Exception {
        Pipe pipe = Pipe.open();
        try (Pipe.SourceChannel source = pipe.source(); Pipe.SinkChannel sink = pipe.sink()) {
            source.configureBlocking(false);
            sink.configureBlocking(false);
            Garbage.assertNone(() -> pass(sink, source, buffer));
        }
    }

    private static void pass(WritableByteChannel from, ReadableByteChannel to, ByteBuffer buffer)
            throws IOException {
        buffer.clear();
        while (buffer.hasRemaining()) {
            from.write(buffer);
        }
        buffer.clear();
        while (buffer.hasRemaining()) {
            to.read(buffer);
        }
    }

    @Test
    void gatheringAndScatteringMakesNoGarbage() throws Exception {
        ByteBuffer[] buffers = new ByteBuffer[20];
        Arrays.setAll(buffers, i -> i % 2 == 0
                ? ByteBuffer.allocate(SMALL) : ByteBuffer.allocateDirect(2 * LARGE / 20));
        try (Connections.Pair pair = Connections.openNonBlocking()) {
            Garbage.assertNone(() -> {
                clear(buffers);
                while (buffers[buffers.length - 1].hasRemaining()) {
                    pair.near().write(buffers);
                }
                clear(buffers);
                while (buffers[buffers.length - 1].hasRemaining()) {
                    pair.far().read(buffers);
                }
            });
        }
    }

    private static void clear(ByteBuffer[] buffers) {
        for (ByteBuffer buffer : buffers) {
            buffer.clear();
        }
    }

    @Test
    void readsThatFindNothingMakeNoGarbage() throws Exception {
        ByteBuffer buffer = ByteBuffer.allocate(SMALL);
        try (Connections.Pair pair = Connections.openNonBlocking()) {
            Garbage.assertNone(() -> assertEquals(0, pair.near().read(buffer)));
        }
    }

    private static DatagramChannel datagrams() throws IOException {
        DatagramChannel channel = DatagramChannel.open().bind(Connections.anyPort());
        channel.configureBlocking(false);
        return channel;
    }

    private static SocketAddress receive(DatagramChannel channel, ByteBuffer buffer)
            throws IOException {
        SocketAddress sender = channel.receive(buffer.clear());
        while (sender == null) {
            sender = channel.receive(buffer);
        }
        return sender;
    }

    @Test
    void receivingFromAlternatingSendersMakesNoGarbage() throws Exception {
        DatagramChannel[] senders = new DatagramChannel[SENDERS];
        try (DatagramChannel receiver = datagrams()) {
            SocketAddress target = receiver.getLocalAddress();
            for (int i = 0; i < SENDERS; i++) {
                senders[i] = datagrams();
            }
            ByteBuffer buffer = ByteBuffer.allocate(SMALL);
            Garbage.assertNone(() -> {
                for (DatagramChannel sender : senders) {
                    sender.send(buffer.clear(), target);
                    assertNotNull(receive(receiver, buffer));
                }
            });
        } finally {
            for (DatagramChannel sender : senders) {
                if (sender != null) {
                    sender.close();
                }
            }
        }
    }

    @Test
    void answeringWhoeverHasSentMakesNoGarbage() throws Exception {
        try (DatagramChannel client = datagrams(); DatagramChannel server = datagrams()) {
            SocketAddress service = server.getLocalAddress();
            ByteBuffer buffer = ByteBuffer.allocateDirect(SMALL);
            Garbage.assertNone(() -> {
                client.send(buffer.clear(), service);
                SocketAddress asking = receive(server, buffer);
                server.send(buffer.clear(), asking);
                assertNotNull(receive(client, buffer));
            });
        }
    }

    @ParameterizedTest
    @MethodSource("buffers")
    void connectedDatagramChannelsMakeNoGarbage(ByteBuffer buffer) throws Exception {
        try (DatagramChannel one = datagrams(); DatagramChannel other = datagrams()) {
            one.connect(other.getLocalAddress());
            other.connect(one.getLocalAddress());
            Garbage.assertNone(() -> pass(one, other, buffer));
        }
    }

    @Test
    void receivesThatFindNothingMakeNoGarbage() throws Exception {
        try (DatagramChannel channel = datagrams()) {
            ByteBuffer buffer = ByteBuffer.allocate(SMALL);
            Garbage.assertNone(() -> assertNull(channel.receive(buffer)));
        }
    }
}
