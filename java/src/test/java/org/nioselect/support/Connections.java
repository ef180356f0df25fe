package org.nioselect.support;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Makes TCP connections over the loopback interface. */
public final class Connections {
    private Connections() {
    }

    /**
     * The loopback address with a port that the system chooses.
     *
     * @return the address to bind to
     */
    public static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /**
     * A listener on a free loopback port.
     *
     * @return the channel, in blocking mode
     * @throws IOException when it cannot be made
     */
    public static ServerSocketChannel listen() throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        try {
            return listener.bind(anyPort());
        } catch (IOException e) {
            listener.close();
            throw e;
        }
    }

    /**
     * An address at which nobody listens: a connect to it is refused.
     *
     * @return a loopback address
     * @throws IOException when no port is to be had
     */
    public static InetSocketAddress refusing() throws IOException {
        try (ServerSocketChannel listener = listen()) {
            return (InetSocketAddress) listener.getLocalAddress();
        }
    }

    /**
     * Two channels connected to each other, in blocking mode.
     *
     * @return the pair
     * @throws IOException when it cannot be made
     */
    public static Pair open() throws IOException {
        try (ServerSocketChannel listener = listen()) {
            SocketChannel near = SocketChannel.open(listener.getLocalAddress());
            try {
                return new Pair(near, accept(listener, near));
            } catch (IOException e) {
                near.close();
                throw e;
            }
        }
    }

    /**
     * Two channels connected to each other, in non-blocking mode.
     *
     * @return the pair
     * @throws IOException when it cannot be made
     */
    public static Pair openNonBlocking() throws IOException {
        Pair pair = open();
        try {
            pair.near().configureBlocking(false);
            pair.far().configureBlocking(false);
            return pair;
        } catch (IOException e) {
            pair.close();
            throw e;
        }
    }

    /** Whoever else connects to the port by chance is turned away. */
    private static SocketChannel accept(ServerSocketChannel listener, SocketChannel near)
            throws IOException {
        while (true) {
            SocketChannel far = listener.accept();
            if (near.getLocalAddress().equals(far.getRemoteAddress())) {
                return far;
            }
            far.close();
        }
    }

    /**
     * Both ends of a connection; closing the pair closes both.
     *
     * @param near the end that connected
     * @param far the end that was accepted
     */
    public record Pair(SocketChannel near, SocketChannel far) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            try {
                near.close();
            } finally {
                far.close();
            }
        }
    }
}
