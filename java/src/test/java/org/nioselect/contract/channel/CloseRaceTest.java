package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** Closing a channel in the very moment in which another thread uses it. */
@Timeout(120)
class CloseRaceTest {
    private static final int RACES = 100;

    private final ByteBuffer buffer = ByteBuffer.allocate(16);

    /** Uses a registered, non-blocking channel all the time while another thread closes it. */
    private static void closeInUse(SelectableChannel channel, int ops, Callable<?> use)
            throws Exception {
        try (Selector selector = Selector.open()) {
            channel.configureBlocking(false);
            channel.register(selector, ops);
            Task<Void> user = Threads.run(() -> {
                while (true) {
                    use.call();
                }
            });
            channel.close();
            while (!user.done()) {
                selector.selectNow();
            }
            assertThrows(ClosedChannelException.class, user::join);
            Deadline.await("the key is gone", () -> {
                selector.selectNow();
                return selector.keys().isEmpty();
            });
        }
    }

    @Test
    void closeDuringAReadEndsItOnlyWithClosedChannelException() throws Exception {
        for (int i = 0; i < RACES; i++) {
            try (Connections.Pair pair = Connections.open()) {
                closeInUse(pair.near(), SelectionKey.OP_READ,
                        () -> pair.near().read(ByteBuffer.allocate(8)));
            }
        }
    }

    @Test
    void closeDuringAWriteEndsItOnlyWithClosedChannelException() throws Exception {
        for (int i = 0; i < RACES; i++) {
            try (Connections.Pair pair = Connections.open()) {
                closeInUse(pair.near(), SelectionKey.OP_WRITE,
                        () -> pair.near().write(ByteBuffer.allocate(8)));
            }
        }
    }

    @Test
    void closeDuringAnAcceptEndsItOnlyWithClosedChannelException() throws Exception {
        for (int i = 0; i < RACES; i++) {
            try (ServerSocketChannel listener = Connections.listen()) {
                closeInUse(listener, SelectionKey.OP_ACCEPT, listener::accept);
            }
        }
    }

    @Test
    void closeDuringAReceiveEndsItOnlyWithClosedChannelException() throws Exception {
        for (int i = 0; i < RACES; i++) {
            try (DatagramChannel channel =
                    DatagramChannel.open().bind(Connections.anyPort())) {
                closeInUse(channel, SelectionKey.OP_READ,
                        () -> channel.receive(ByteBuffer.allocate(8)));
            }
        }
    }

    @Test
    void closeDuringASendEndsItOnlyWithClosedChannelException() throws Exception {
        for (int i = 0; i < RACES; i++) {
            try (DatagramChannel channel = DatagramChannel.open();
                    DatagramChannel sink = DatagramChannel.open().bind(Connections.anyPort())) {
                SocketAddress target = sink.getLocalAddress();
                closeInUse(channel, SelectionKey.OP_WRITE,
                        () -> channel.send(ByteBuffer.allocate(8), target));
            }
        }
    }

    @Test
    void closeDuringAPipeReadEndsItOnlyWithClosedChannelException() throws Exception {
        for (int i = 0; i < RACES; i++) {
            Pipe pipe = Pipe.open();
            try (Pipe.SinkChannel open = pipe.sink()) {
                assertTrue(open.isOpen());
                closeInUse(pipe.source(), SelectionKey.OP_READ,
                        () -> pipe.source().read(ByteBuffer.allocate(8)));
            }
        }
    }

    @Test
    void closeDuringAConnectThatFailsNeverDeadlocks() throws Exception {
        SocketAddress nobody = Connections.refusing();
        for (int i = 0; i < 2 * RACES; i++) {
            SocketChannel channel = SocketChannel.open();
            Task<?> connecting = Threads.start(() -> channel.connect(nobody));
            channel.close();
            assertThrows(IOException.class, connecting::join);
            assertFalse(channel.isOpen());
        }
    }

    @Test
    void closeDuringAConnectThatSucceedsNeverDeadlocks() throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(Connections.anyPort(), 2 * RACES);
            for (int i = 0; i < RACES; i++) {
                SocketChannel channel = SocketChannel.open();
                Task<Boolean> connecting = Threads.start(() -> {
                    try {
                        return channel.connect(listener.getLocalAddress());
                    } catch (ClosedChannelException e) {
                        return false;
                    }
                });
                channel.close();
                connecting.join();
                assertFalse(channel.isOpen());
                assertFalse(channel.isConnected());
            }
        }
    }

    @Test
    void descriptorReusedAfterCloseReceivesNoByteMeantForTheOldOne() throws Exception {
        for (int i = 0; i < RACES; i++) {
            try (Connections.Pair old = Connections.open()) {
                Task<Void> writer = Threads.run(() -> {
                    while (true) {
                        old.near().write(Bytes.of("old"));
                    }
                });
                old.near().close();
                try (Connections.Pair fresh = Connections.open()) {
                    fresh.near().write(Bytes.of("new"));
                    fresh.near().shutdownOutput();
                    assertEquals("new", Bytes.readText(fresh.far(), 3));
                    assertEquals(-1, fresh.far().read(buffer.clear()));
                }
                assertThrows(ClosedChannelException.class, writer::join);
            }
        }
    }

    @Test
    void descriptorIsNotReusedBeforeTheBlockedReaderHasLeftIt() throws Exception {
        for (int i = 0; i < RACES / 2; i++) {
            try (Connections.Pair old = Connections.open()) {
                Task<?> reader =
                        Threads.start(() -> old.near().read(buffer)).awaitBlockedIn("read");
                old.near().close();
                try (Connections.Pair fresh = Connections.open()) {
                    assertThrows(ClosedChannelException.class, reader::join);
                    fresh.near().write(Bytes.of("new"));
                    assertEquals("new", Bytes.readText(fresh.far(), 3));
                    fresh.far().write(Bytes.of("too"));
                    assertEquals("too", Bytes.readText(fresh.near(), 3));
                }
            }
        }
    }
}
