package org.nioselect.internal.channel;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import org.nioselect.internal.adaptor.SocketAdaptor;
import org.nioselect.internal.io.Descriptor;
import org.nioselect.internal.io.TimeLimit;
import org.nioselect.internal.net.Errors;
import org.nioselect.internal.net.OptionSet;
import org.nioselect.internal.sys.AddressForm;
import org.nioselect.internal.sys.Sockets;

/**
 * A TCP or UNIX domain socket that connects or was accepted.
 *
 * <p>Reading and writing are {@link StreamInput} and {@link StreamOutput}, which share no lock;
 * binding and connecting are {@link StreamEnds}.
 */
public final class NioselectSocketChannel extends SocketChannel implements BlockingChannel {
    private final int family;
    private final Descriptor descriptor;
    private final Registrations registrations = new Registrations();
    private final Settings settings;
    private final Connection connection = new Connection();
    private final StreamInput input;
    private final StreamOutput output;
    private final StreamEnds ends;
    private Socket adaptor;

    /**
     * Opens a socket.
     *
     * @param provider the channel's provider
     * @param family the socket's family, of {@link AddressForm}
     * @throws IOException if the system refuses
     */
    public NioselectSocketChannel(SelectorProvider provider, int family) throws IOException {
        this(provider, family, new Descriptor(
                Errors.check(Sockets.open(family, Sockets.STREAM))));
    }

    /**
     * Takes over a socket, and closes it if that fails.
     *
     * @param provider the channel's provider
     * @param family the socket's family, of {@link AddressForm}
     * @param fd a non-blocking socket
     * @param connected whether it is connected
     * @throws IOException if the system refuses
     */
    public NioselectSocketChannel(SelectorProvider provider, int family, int fd,
            boolean connected) throws IOException {
        this(provider, family, new Descriptor(fd));
        adopt(connected, null);
    }

    /** Takes over an accepted socket, whose peer may have gone already. */
    NioselectSocketChannel(SelectorProvider provider, int family, Descriptor accepted,
            SocketAddress peer) throws IOException {
        this(provider, family, accepted);
        adopt(true, peer);
    }

    private NioselectSocketChannel(SelectorProvider provider, int family, Descriptor descriptor) {
        super(provider);
        this.family = family;
        this.descriptor = descriptor;
        this.settings = new Settings(this, family,
                family == AddressForm.UNIX ? OptionSet.UNIX_STREAM : OptionSet.STREAM);
        this.input = new StreamInput(this);
        this.output = new StreamOutput(this);
        this.ends = new StreamEnds(this, family, connection, input.lane(), output.lane());
    }

    private void adopt(boolean connected, SocketAddress knownPeer) throws IOException {
        int fd = descriptor.fd();
        try {
            SocketAddress local = AddressCalls.local(fd);
            if (connected) {
                connection.connected(local,
                        knownPeer != null ? knownPeer : AddressCalls.remote(fd));
            } else if (LocalNames.isName(local)) {
                connection.bound(local);
            }
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    @Override
    public Descriptor descriptor() {
        return descriptor;
    }

    @Override
    public int kind() {
        return connection.isConnected() ? ChannelKind.CONNECTED : ChannelKind.CONNECTING;
    }

    @Override
    public Registrations registrations() {
        return registrations;
    }

    @Override
    public void beginBlocking() {
        begin();
    }

    @Override
    public void endBlocking(boolean completed) throws AsynchronousCloseException {
        end(completed);
    }

    @Override
    public void ensureUsable() throws ClosedChannelException {
        ensureOpen();
        connection.ensureConnected();
    }

    @Override
    public int read(ByteBuffer dst) throws IOException {
        return input.read(dst);
    }

    @Override
    public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        return input.read(dsts, offset, length);
    }

    @Override
    public int write(ByteBuffer src) throws IOException {
        return output.write(src);
    }

    @Override
    public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        return output.write(srcs, offset, length);
    }

    /**
     * Reads, in blocking mode only.
     *
     * @param dst where to put what is read
     * @param nanos for how long to wait at most; negative without a limit
     * @return how many bytes, or -1 at the end of input
     * @throws IOException as {@link #read(ByteBuffer)};
     *     {@link java.net.SocketTimeoutException} if the time is over
     */
    public int blockingRead(ByteBuffer dst, long nanos) throws IOException {
        return input.read(dst, TimeLimit.of(nanos));
    }

    /**
     * Writes all that remains, in blocking mode only.
     *
     * @param src what to write
     * @throws IOException as {@link #write(ByteBuffer)}
     */
    public void blockingWriteFully(ByteBuffer src) throws IOException {
        output.writeFully(src);
    }

    /**
     * How many bytes can be read without waiting.
     *
     * @return the number of bytes
     * @throws IOException if the channel is closed, or the system refuses
     */
    public int available() throws IOException {
        return input.available();
    }

    /**
     * Sends one byte of urgent data.
     *
     * @param data the byte, in the lowest 8 bits
     * @throws IOException if there is no room for it, or as {@link #write(ByteBuffer)}
     */
    public void sendUrgentData(int data) throws IOException {
        output.sendUrgent(data);
    }

    @Override
    public SocketChannel shutdownInput() throws IOException {
        input.shutDown();
        return this;
    }

    @Override
    public SocketChannel shutdownOutput() throws IOException {
        output.shutDown();
        return this;
    }

    /**
     * Whether {@link #shutdownInput} was not called.
     *
     * @return whether the input is not shut down
     */
    public boolean isInputOpen() {
        return !input.isShut();
    }

    /**
     * Whether {@link #shutdownOutput} was not called.
     *
     * @return whether the output is not shut down
     */
    public boolean isOutputOpen() {
        return !output.isShut();
    }

    @Override
    public SocketChannel bind(SocketAddress local) throws IOException {
        ends.bind(local);
        return this;
    }

    @Override
    public boolean connect(SocketAddress remote) throws IOException {
        return ends.connect(remote);
    }

    /**
     * Connects, in blocking mode only.
     *
     * @param remote whom to
     * @param nanos for how long to wait at most; negative without a limit
     * @throws IOException as {@link #connect(SocketAddress)};
     *     {@link java.net.SocketTimeoutException} if the time is over, with the channel closed
     */
    public void blockingConnect(SocketAddress remote, long nanos) throws IOException {
        ends.connect(remote, TimeLimit.of(nanos));
    }

    @Override
    public boolean finishConnect() throws IOException {
        return ends.finishConnect();
    }

    @Override
    public boolean isConnected() {
        return connection.isConnected() && isOpen();
    }

    @Override
    public boolean isConnectionPending() {
        return connection.isPending() && isOpen();
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        ensureOpen();
        return connection.local();
    }

    @Override
    public SocketAddress getRemoteAddress() throws IOException {
        ensureOpen();
        return connection.remote();
    }

    /**
     * What the socket is or was bound to, whether the channel is open or not.
     *
     * @return the address, or null
     */
    public SocketAddress localAddress() {
        return connection.local();
    }

    /**
     * What the socket is or was connected to, whether the channel is open or not.
     *
     * @return the address, or null
     */
    public SocketAddress remoteAddress() {
        return connection.remote();
    }

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        settings.set(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return settings.get(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return settings.supported();
    }

    @Override
    public Socket socket() {
        if (family == AddressForm.UNIX) {
            throw new UnsupportedOperationException("Not supported");
        }
        synchronized (connection) {
            if (adaptor == null) {
                adaptor = SocketAdaptor.of(this);
            }
            return adaptor;
        }
    }

    // The descriptor is non-blocking in either mode.
    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        ends.awaitOperations();
    }

    // Takes no turn: it has to end operations that have theirs, in any thread.
    @Override
    protected void implCloseSelectableChannel() {
        if (connection.isConnected()) {
            descriptor.close(fd -> StreamClose.endOutput(fd, family));
        } else {
            descriptor.close();
        }
        input.lane().wake();
        output.lane().wake();
    }

    @Override
    public String toString() {
        String state = isOpen()
                ? connection.describe(input.isShut(), output.isShut())
                : "closed";
        return SocketChannel.class.getName() + '[' + state + ']';
    }
}
