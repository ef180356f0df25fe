package org.nioselect.internal.adaptor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ServerSocketChannel;
import java.util.Set;
import org.nioselect.internal.channel.NioselectServerSocketChannel;

/**
 * The socket of a listening channel.
 *
 * <p>The methods are the channel's, with the exceptions of a socket and a time limit for
 * {@link #accept}.
 */
public final class ServerSocketAdaptor extends ServerSocket {
    private static final int DEFAULT_BACKLOG = 0;
    /** The JDK's own socket had another exception then for who comes too late. */
    private static final boolean BEFORE_21 = Runtime.version().feature() < 21;

    private final NioselectServerSocketChannel channel;
    private final Options options;

    private ServerSocketAdaptor(NioselectServerSocketChannel channel) {
        super(new UnusedSocketImpl());
        this.channel = channel;
        this.options = new Options(channel);
    }

    /**
     * Makes the socket of a channel.
     *
     * @param channel the channel
     * @return a new socket
     */
    public static ServerSocket of(NioselectServerSocketChannel channel) {
        return new ServerSocketAdaptor(channel);
    }

    @Override
    public void bind(SocketAddress local) throws IOException {
        bind(local, DEFAULT_BACKLOG);
    }

    @Override
    public void bind(SocketAddress local, int backlog) throws IOException {
        try {
            channel.bind(local, backlog);
        } catch (RuntimeException e) {
            throw Translation.ofUnchecked(e);
        }
    }

    @Override
    public Socket accept() throws IOException {
        if (BEFORE_21 && isClosed()) {
            throw new AsynchronousCloseException();
        }
        try {
            return channel.blockingAccept(options.timeoutNanos()).socket();
        } catch (RuntimeException e) {
            throw Translation.ofUnchecked(e);
        }
    }

    @Override
    public InetAddress getInetAddress() {
        InetSocketAddress local = local();
        return local == null ? null : local.getAddress();
    }

    @Override
    public int getLocalPort() {
        InetSocketAddress local = local();
        return local == null ? -1 : local.getPort();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return local();
    }

    private InetSocketAddress local() {
        return (InetSocketAddress) channel.localAddress();
    }

    @Override
    public ServerSocketChannel getChannel() {
        return channel;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public boolean isBound() {
        return channel.localAddress() != null;
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public void setSoTimeout(int timeout) throws SocketException {
        options.setTimeout(timeout);
    }

    @Override
    public int getSoTimeout() throws IOException {
        return options.timeout();
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        options.set(StandardSocketOptions.SO_REUSEADDR, on);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return options.get(StandardSocketOptions.SO_REUSEADDR);
    }

    @Override
    public void setReceiveBufferSize(int size) throws SocketException {
        options.setSize(StandardSocketOptions.SO_RCVBUF, size, "size cannot be 0 or negative");
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return options.get(StandardSocketOptions.SO_RCVBUF);
    }

    /** There is only one protocol, so there is nothing to prefer. */
    @Override
    public void setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
    }

    @Override
    public <T> ServerSocket setOption(SocketOption<T> name, T value) throws IOException {
        channel.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return channel.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return channel.supportedOptions();
    }

    @Override
    public String toString() {
        if (!isBound()) {
            return "ServerSocket[unbound]";
        }
        return "ServerSocket[addr=" + getInetAddress() + ",localport=" + getLocalPort() + "]";
    }
}
