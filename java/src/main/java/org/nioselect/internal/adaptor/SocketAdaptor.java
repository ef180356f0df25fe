package org.nioselect.internal.adaptor;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.util.Set;
import org.nioselect.internal.channel.NioselectSocketChannel;
import org.nioselect.internal.net.OptionName;

/**
 * The socket of a channel.
 *
 * <p>The methods are the channel's, with the exceptions of a socket and the time limits, which
 * channels do not have. Its streams read and write at the same time, unlike those of
 * {@code java.nio.channels.Channels}.
 */
public final class SocketAdaptor extends Socket {
    /** From 24 on every failure to connect closes a socket, this one too (JDK-8343791). */
    private static final boolean CLOSED_BY_UNRESOLVED = Runtime.version().feature() >= 24;

    private final NioselectSocketChannel channel;
    private final Options options;

    private SocketAdaptor(NioselectSocketChannel channel) throws SocketException {
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
    public static Socket of(NioselectSocketChannel channel) {
        try {
            return new SocketAdaptor(channel);
        } catch (SocketException e) {
            throw new InternalError(e);
        }
    }

    @Override
    public void connect(SocketAddress remote) throws IOException {
        connect(remote, 0);
    }

    @Override
    public void connect(SocketAddress remote, int timeout) throws IOException {
        if (remote == null) {
            throw new IllegalArgumentException("connect: The address can't be null");
        }
        boolean unresolved = remote instanceof InetSocketAddress inet && inet.isUnresolved();
        if (unresolved && CLOSED_BY_UNRESOLVED) {
            ensureConnectable();
            close();
            throw new UnknownHostException(remote.toString());
        }
        if (timeout < 0) {
            throw new IllegalArgumentException("connect: timeout can't be negative");
        }
        if (unresolved) {
            throw new UnknownHostException(remote.toString());
        }
        try {
            channel.blockingConnect(remote, Options.nanos(timeout));
        } catch (RuntimeException e) {
            throw Translation.ofUnchecked(e);
        }
    }

    private void ensureConnectable() throws SocketException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
        if (isConnected()) {
            throw new SocketException("Already connected");
        }
    }

    @Override
    public void bind(SocketAddress local) throws IOException {
        try {
            channel.bind(local);
        } catch (RuntimeException e) {
            throw Translation.ofUnchecked(e);
        }
    }

    @Override
    public InetAddress getInetAddress() {
        InetSocketAddress remote = remote();
        return remote == null ? null : remote.getAddress();
    }

    @Override
    public InetAddress getLocalAddress() {
        InetSocketAddress local = channel.isOpen() ? local() : null;
        return (local == null ? new InetSocketAddress(0) : local).getAddress();
    }

    @Override
    public int getPort() {
        InetSocketAddress remote = remote();
        return remote == null ? 0 : remote.getPort();
    }

    @Override
    public int getLocalPort() {
        InetSocketAddress local = local();
        return local == null ? -1 : local.getPort();
    }

    @Override
    public SocketAddress getRemoteSocketAddress() {
        return remote();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return local();
    }

    private InetSocketAddress local() {
        return (InetSocketAddress) channel.localAddress();
    }

    private InetSocketAddress remote() {
        return (InetSocketAddress) channel.remoteAddress();
    }

    @Override
    public SocketChannel getChannel() {
        return channel;
    }

    @Override
    public InputStream getInputStream() throws IOException {
        ensureConnected();
        if (isInputShutdown()) {
            throw new SocketException("Socket input is shutdown");
        }
        return new SocketInput(channel, options);
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        ensureConnected();
        if (isOutputShutdown()) {
            throw new SocketException("Socket output is shutdown");
        }
        return new SocketOutput(channel);
    }

    private void ensureConnected() throws SocketException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
        if (!isConnected()) {
            throw new SocketException("Socket is not connected");
        }
    }

    @Override
    public void sendUrgentData(int data) throws IOException {
        channel.sendUrgentData(data);
    }

    @Override
    public void shutdownInput() throws IOException {
        try {
            channel.shutdownInput();
        } catch (RuntimeException e) {
            throw Translation.ofUnchecked(e);
        }
    }

    @Override
    public void shutdownOutput() throws IOException {
        try {
            channel.shutdownOutput();
        } catch (RuntimeException e) {
            throw Translation.ofUnchecked(e);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public boolean isConnected() {
        return channel.isConnected();
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
    public boolean isInputShutdown() {
        return !channel.isInputOpen();
    }

    @Override
    public boolean isOutputShutdown() {
        return !channel.isOutputOpen();
    }

    @Override
    public void setSoTimeout(int timeout) throws SocketException {
        options.setTimeout(timeout);
    }

    @Override
    public int getSoTimeout() throws SocketException {
        return options.timeout();
    }

    @Override
    public void setTcpNoDelay(boolean on) throws SocketException {
        options.set(StandardSocketOptions.TCP_NODELAY, on);
    }

    @Override
    public boolean getTcpNoDelay() throws SocketException {
        return options.get(StandardSocketOptions.TCP_NODELAY);
    }

    @Override
    public void setSoLinger(boolean on, int linger) throws SocketException {
        options.set(StandardSocketOptions.SO_LINGER, on ? linger : -1);
    }

    @Override
    public int getSoLinger() throws SocketException {
        return options.get(StandardSocketOptions.SO_LINGER);
    }

    @Override
    public void setOOBInline(boolean on) throws SocketException {
        options.set(OptionName.SO_OOBINLINE, on);
    }

    @Override
    public boolean getOOBInline() throws SocketException {
        return options.get(OptionName.SO_OOBINLINE);
    }

    @Override
    public void setSendBufferSize(int size) throws SocketException {
        options.setSize(StandardSocketOptions.SO_SNDBUF, size, "Invalid send size");
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return options.get(StandardSocketOptions.SO_SNDBUF);
    }

    @Override
    public void setReceiveBufferSize(int size) throws SocketException {
        options.setSize(StandardSocketOptions.SO_RCVBUF, size, "Invalid receive size");
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return options.get(StandardSocketOptions.SO_RCVBUF);
    }

    @Override
    public void setKeepAlive(boolean on) throws SocketException {
        options.set(StandardSocketOptions.SO_KEEPALIVE, on);
    }

    @Override
    public boolean getKeepAlive() throws SocketException {
        return options.get(StandardSocketOptions.SO_KEEPALIVE);
    }

    @Override
    public void setTrafficClass(int trafficClass) throws SocketException {
        options.set(StandardSocketOptions.IP_TOS, trafficClass);
    }

    @Override
    public int getTrafficClass() throws SocketException {
        return options.get(StandardSocketOptions.IP_TOS);
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        options.set(StandardSocketOptions.SO_REUSEADDR, on);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return options.get(StandardSocketOptions.SO_REUSEADDR);
    }

    /** There is only one protocol, so there is nothing to prefer. */
    @Override
    public void setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
    }

    @Override
    public <T> Socket setOption(SocketOption<T> name, T value) throws IOException {
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
        if (!isConnected()) {
            return "Socket[unconnected]";
        }
        return "Socket[addr=" + getInetAddress() + ",port=" + getPort()
                + ",localport=" + getLocalPort() + "]";
    }
}
