package org.nioselect.internal.channel;

import java.io.IOException;
import java.lang.ref.Cleaner;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.nio.channels.spi.SelectorProvider;
import java.util.Objects;
import java.util.Set;
import org.nioselect.internal.adaptor.DatagramSocketAdaptor;
import org.nioselect.internal.io.Descriptor;
import org.nioselect.internal.io.TimeLimit;
import org.nioselect.internal.net.Errors;
import org.nioselect.internal.net.OptionSet;
import org.nioselect.internal.net.SocketAddresses;
import org.nioselect.internal.sys.Sockets;

/**
 * A UDP socket.
 *
 * <p>Receiving and sending are {@link DatagramInput} and {@link DatagramOutput}, which share no
 * lock.
 */
public final class NioselectDatagramChannel extends DatagramChannel implements BlockingChannel {
    private final int family;
    private final Descriptor descriptor;
    private final Cleaner.Cleanable cleanable;
    private final Registrations registrations = new Registrations();
    private final Settings settings;
    private final DatagramEnds ends;
    private final DatagramInput input;
    private final DatagramOutput output;
    private final DatagramConnector connector;
    private final Memberships memberships;
    private DatagramSocket adaptor;

    /**
     * Opens a socket.
     *
     * @param provider the channel's provider
     * @param family the socket's family, of {@link org.nioselect.internal.sys.AddressForm}
     * @throws IOException if the system refuses
     */
    public NioselectDatagramChannel(SelectorProvider provider, int family) throws IOException {
        this(provider, family, new Descriptor(
                Errors.check(Sockets.open(family, Sockets.DATAGRAM))));
    }

    /**
     * Takes over a socket, and closes it if that fails.
     *
     * @param provider the channel's provider
     * @param family the socket's family, of {@link org.nioselect.internal.sys.AddressForm}
     * @param fd a non-blocking socket
     * @param connected whether it is connected
     * @throws IOException if the system refuses
     */
    public NioselectDatagramChannel(SelectorProvider provider, int family, int fd,
            boolean connected) throws IOException {
        this(provider, family, new Descriptor(fd));
        try {
            ends.adopt(connected);
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    private NioselectDatagramChannel(SelectorProvider provider, int family,
            Descriptor descriptor) {
        super(provider);
        this.family = family;
        this.descriptor = descriptor;
        this.cleanable = descriptor.closeWhenDropped(this);
        this.settings = new Settings(this, family, OptionSet.DATAGRAM);
        this.ends = new DatagramEnds(descriptor.fd(), family);
        this.input = new DatagramInput(this, ends);
        this.output = new DatagramOutput(this, ends, family);
        this.connector = new DatagramConnector(this, family, ends, input, output);
        this.memberships = new Memberships(this, descriptor, family);
    }

    @Override
    public Descriptor descriptor() {
        return descriptor;
    }

    @Override
    public int kind() {
        return ChannelKind.DATAGRAM;
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
    public DatagramSocket socket() {
        synchronized (registrations) {
            if (adaptor == null) {
                adaptor = DatagramSocketAdaptor.of(this);
            }
            return adaptor;
        }
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return settings.supported();
    }

    @Override
    public <T> DatagramChannel setOption(SocketOption<T> name, T value) throws IOException {
        settings.set(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return settings.get(name);
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        ensureUsable();
        return ends.local();
    }

    @Override
    public SocketAddress getRemoteAddress() throws IOException {
        ensureUsable();
        return ends.remote();
    }

    @Override
    public boolean isConnected() {
        return isOpen() && ends.remote() != null;
    }

    /**
     * What the socket is or was bound to.
     *
     * @return its address, also after the channel was closed; null if it was never bound
     */
    public InetSocketAddress localAddress() {
        return ends.local();
    }

    /**
     * The peer that the socket is connected to, or was when it was closed.
     *
     * @return its address, or null
     */
    public InetSocketAddress remoteAddress() {
        return ends.remote();
    }

    @Override
    public DatagramChannel bind(SocketAddress local) throws IOException {
        connector.bind(local);
        return this;
    }

    @Override
    public DatagramChannel connect(SocketAddress remote) throws IOException {
        connector.connect(remote, false);
        return this;
    }

    /**
     * Connects the socket, also if it is connected to another peer already.
     *
     * @param remote the peer
     * @throws IOException if the channel is closed, or the system refuses
     */
    public void reconnect(SocketAddress remote) throws IOException {
        connector.connect(remote, true);
    }

    @Override
    public DatagramChannel disconnect() throws IOException {
        connector.disconnect();
        return this;
    }

    @Override
    public MembershipKey join(InetAddress group, NetworkInterface networkInterface)
            throws IOException {
        return memberships.join(group, Objects.requireNonNull(networkInterface), null);
    }

    @Override
    public MembershipKey join(InetAddress group, NetworkInterface networkInterface,
            InetAddress source) throws IOException {
        return memberships.join(group, Objects.requireNonNull(networkInterface),
                Objects.requireNonNull(source));
    }

    /**
     * Joins a group on the interface that the system's routes lead to.
     *
     * @param group the group
     * @throws IOException if the channel is closed, or the system refuses
     */
    public void joinByRoute(InetAddress group) throws IOException {
        memberships.join(group, null, null);
    }

    /**
     * The membership in a group for all sources.
     *
     * @param group the group
     * @param networkInterface the interface; null for the one of {@link #joinByRoute}
     * @return the key of the membership, or null if there is none
     */
    public MembershipKey membership(InetAddress group, NetworkInterface networkInterface) {
        return memberships.find(group, networkInterface, null);
    }

    @Override
    public SocketAddress receive(ByteBuffer dst) throws IOException {
        return input.receive(dst);
    }

    /**
     * Receives in blocking mode only.
     *
     * @param dst where the datagram goes
     * @param nanos for how long to wait at most; negative without a limit
     * @return the sender
     * @throws java.nio.channels.IllegalBlockingModeException in non-blocking mode
     * @throws java.net.SocketTimeoutException if the time is over
     * @throws IOException if the channel is closed, or the system refuses
     */
    public InetSocketAddress blockingReceive(ByteBuffer dst, long nanos) throws IOException {
        return input.receive(dst, TimeLimit.of(nanos));
    }

    @Override
    public int send(ByteBuffer src, SocketAddress target) throws IOException {
        Objects.requireNonNull(src);
        return output.send(src, SocketAddresses.checkInet(target, family));
    }

    /**
     * Sends in blocking mode only.
     *
     * @param src the datagram
     * @param target whom to
     * @throws java.nio.channels.IllegalBlockingModeException in non-blocking mode
     * @throws IOException if the channel is closed, or the system refuses
     */
    public void blockingSend(ByteBuffer src, SocketAddress target) throws IOException {
        output.sendBlocking(src, SocketAddresses.checkInet(target, family));
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

    /** Waits until the operations in progress are done, which rely on the mode. */
    @Override
    protected void implConfigureBlocking(boolean block) {
        connector.takeBothTurns();
        connector.endBothTurns();
    }

    @Override
    protected void implCloseSelectableChannel() {
        memberships.invalidate();
        cleanable.clean();
        input.lane().wake();
        output.lane().wake();
    }
}
