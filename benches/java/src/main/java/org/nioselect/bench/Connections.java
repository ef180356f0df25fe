package org.nioselect.bench;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * TCP connections over loopback, made by the provider that is in use.
 *
 * <p>They end with a reset: many that end in the usual way would hold their ports for a minute,
 * and starve the next run.
 */
public final class Connections implements Closeable {
    private final List<SocketChannel> connected;
    private final List<SocketChannel> accepted;
    private long tookNanos;

    private Connections(int count) {
        connected = new ArrayList<>(count);
        accepted = new ArrayList<>(count);
    }

    /**
     * Connects to one listener, one after the other, and accepts each before the next: however
     * short the listener's backlog is, it cannot overflow.
     *
     * @param count how many
     * @return the connections
     * @throws IOException if one cannot be made; those before it are closed
     */
    public static Connections open(int count) throws IOException {
        Connections connections = new Connections(count);
        try (ServerSocketChannel listener = listen()) {
            SocketAddress address = listener.getLocalAddress();
            long start = System.nanoTime();
            for (int i = 0; i < count; i++) {
                connections.connected.add(connect(address));
                connections.acceptFrom(listener);
            }
            connections.tookNanos = System.nanoTime() - start;
            return connections;
        } catch (IOException | RuntimeException | Error failure) {
            connections.closeAfter(failure);
            throw failure;
        }
    }

    /**
     * Opens a listener.
     *
     * @return a listener at a port of its own, in blocking mode
     * @throws IOException if it cannot be bound
     */
    public static ServerSocketChannel listen() throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        try {
            return listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        } catch (IOException | RuntimeException failure) {
            listener.close();
            throw failure;
        }
    }

    /**
     * Connects to a listener.
     *
     * @param address the listener's
     * @return a channel in blocking mode that resets its connection when it is closed
     * @throws IOException if it cannot be connected
     */
    public static SocketChannel connect(SocketAddress address) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            channel.connect(address);
            return channel;
        } catch (IOException | RuntimeException failure) {
            channel.close();
            throw failure;
        }
    }

    private void acceptFrom(ServerSocketChannel listener) throws IOException {
        SocketChannel channel = listener.accept();
        accepted.add(channel);
        channel.configureBlocking(false);
    }

    /**
     * The ends that have connected.
     *
     * @return channels in blocking mode, in the order of {@link #accepted()}
     */
    public List<SocketChannel> connected() {
        return Collections.unmodifiableList(connected);
    }

    /**
     * The ends that have been accepted.
     *
     * @return channels in non-blocking mode
     */
    public List<SocketChannel> accepted() {
        return Collections.unmodifiableList(accepted);
    }

    /**
     * How long it took to connect and accept them all.
     *
     * @return nanoseconds
     */
    public long tookNanos() {
        return tookNanos;
    }

    private void closeAfter(Throwable failure) {
        try {
            close();
        } catch (IOException second) {
            failure.addSuppressed(second);
        }
    }

    @Override
    public void close() throws IOException {
        // Those that reset come first: the other ends then have nothing left to wait for.
        for (SocketChannel channel : connected) {
            channel.close();
        }
        for (SocketChannel channel : accepted) {
            channel.close();
        }
    }
}
