package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** Who connects to a UNIX domain listener whose queue is full waits for a place in it. */
@Timeout(60)
class UnixQueueTest {
    /** Linux lets one more in than the backlog says. */
    private static final int QUEUE = 2;

    private final UnixDomainSocketAddress address = UnixSockets.freshAddress();
    private final List<SocketChannel> channels = new ArrayList<>();
    private ServerSocketChannel listener;

    @BeforeEach
    void fillTheQueue() throws IOException {
        listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)
                .bind(address, QUEUE - 1);
        for (int i = 0; i < QUEUE; i++) {
            open().connect(address);
        }
    }

    private SocketChannel open() throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channels.add(channel);
        return channel;
    }

    private Task<Boolean> connectBlocked(SocketChannel channel) throws Exception {
        return Threads.start(() -> channel.connect(address)).awaitBlockedIn("connect");
    }

    @AfterEach
    void closeAll() throws IOException {
        listener.close();
        for (SocketChannel channel : channels) {
            channel.close();
        }
    }

    @Test
    void blockedConnectSucceedsWhenThereIsAPlace() throws Exception {
        SocketChannel channel = open();
        Task<Boolean> connecting = connectBlocked(channel);
        listener.accept().close();
        assertTrue(connecting.join());
        assertTrue(channel.isConnected());
    }

    @Test
    void closeEndsABlockedConnect() throws Exception {
        SocketChannel channel = open();
        Task<Boolean> connecting = connectBlocked(channel);
        channel.close();
        assertThrows(AsynchronousCloseException.class, connecting::join);
    }

    @Test
    void interruptEndsABlockedConnectAndClosesTheChannel() throws Exception {
        SocketChannel channel = open();
        Task<Boolean> connecting = connectBlocked(channel);
        connecting.interrupt();
        assertThrows(ClosedByInterruptException.class, connecting::join);
        assertFalse(channel.isOpen());
    }
}
