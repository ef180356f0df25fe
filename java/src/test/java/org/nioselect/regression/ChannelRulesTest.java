package org.nioselect.regression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.StandardSocketOptions;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.internal.io.Transfer;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** Waiting, closing and odd buffers of channels. */
@Timeout(60)
class ChannelRulesTest {
    private static final int NO_DESCRIPTOR = -1;

    @Test
    void urgentDataWaitsForRoomInBlockingMode() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Bytes.fill(pair);
            AtomicBoolean enough = new AtomicBoolean();
            Task<Void> sending = Threads.run(() -> {
                while (!enough.get()) {
                    pair.near().socket().sendUrgentData('!');
                }
            }).awaitBlockedIn("sendUrgentData");
            enough.set(true);
            Threads.run(() -> {
                ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
                while (pair.far().read(buffer.clear()) > 0) {
                    Thread.onSpinWait();
                }
            });
            sending.join();
        }
    }

    @Test
    void closeEndsUrgentDataThatWaits() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Bytes.fill(pair);
            Task<Void> sending = Threads.run(() -> {
                while (pair.near().isOpen()) {
                    pair.near().socket().sendUrgentData('!');
                }
            }).awaitBlockedIn("sendUrgentData");
            pair.near().close();
            assertThrows(AsynchronousCloseException.class, sending::join);
        }
    }

    @Test
    void blockedReaderDoesNotLingerForWhoClosesTheChannel() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Bytes.fill(pair);
            pair.near().setOption(StandardSocketOptions.SO_LINGER, 600);
            Task<Integer> reading =
                    Threads.start(() -> pair.near().read(ByteBuffer.allocate(1)))
                            .awaitBlockedIn("read");
            pair.near().close();
            assertThrows(AsynchronousCloseException.class, reading::join);
        }
    }

    @Test
    void bufferTwiceInAListDoesNotLoseBytesSilently() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            ByteBuffer twice = ByteBuffer.allocate(4);
            ByteBuffer next = ByteBuffer.allocate(4);
            pair.far().write(Bytes.of("onetwo"));
            pair.near().read(ByteBuffer.allocate(1));
            assertThrows(BufferOverflowException.class,
                    () -> pair.near().read(new ByteBuffer[] {twice, twice, next}));
            assertEquals("netw", Bytes.text(twice));
            assertEquals(0, next.position());
        }
    }

    @Test
    void readIntoBuffersThatWereFilledMeanwhileIsNotTheEndOfInput() {
        ByteBuffer full = ByteBuffer.allocate(0);
        assertEquals(Transfer.NOTHING_TO_DO, Transfer.read(NO_DESCRIPTOR, full));
        assertEquals(Transfer.NOTHING_TO_DO,
                Transfer.read(NO_DESCRIPTOR, new ByteBuffer[] {full, full}, 0, 2));
    }

    @Test
    void valueOfTheWrongTypeIsRefusedEvenIfTheChannelIsClosed() throws Exception {
        for (NetworkChannel channel : List.of(SocketChannel.open(), ServerSocketChannel.open(),
                DatagramChannel.open())) {
            channel.close();
            Exception e = assertThrows(IllegalArgumentException.class,
                    () -> channel.setOption(StandardSocketOptions.SO_RCVBUF, null));
            assertEquals("Invalid value 'null'", e.getMessage());
        }
    }
}
