package org.nioselect.contract.channel;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;

/** A listener whose queue is full: it answers nobody, and whoever connects to it waits. */
final class SilentListener implements Closeable {
    /** Linux lets one more in than the backlog says. */
    private static final int QUEUE = 2;

    private final ServerSocketChannel listener = ServerSocketChannel.open();
    private final List<SocketChannel> queued = new ArrayList<>();

    private SilentListener() throws IOException {
    }

    static SilentListener open() throws Exception {
        SilentListener silent = new SilentListener();
        try {
            silent.listener.bind(Connections.anyPort(), QUEUE - 1);
            for (int i = 0; i < QUEUE; i++) {
                silent.enqueue();
            }
            return silent;
        } catch (Exception e) {
            silent.close();
            throw e;
        }
    }

    private void enqueue() throws Exception {
        SocketChannel channel = SocketChannel.open();
        queued.add(channel);
        channel.configureBlocking(false);
        channel.connect(address());
        Deadline.await("the connection is in the queue", channel::finishConnect);
    }

    SocketAddress address() throws IOException {
        return listener.getLocalAddress();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (SocketChannel channel : queued) {
            channel.close();
        }
    }
}
