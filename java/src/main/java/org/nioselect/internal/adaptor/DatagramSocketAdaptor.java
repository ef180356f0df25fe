package org.nioselect.internal.adaptor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.nioselect.internal.channel.NioselectDatagramChannel;
import org.nioselect.internal.sys.Fields;

/**
 * A datagram channel as a socket: its addresses, its datagrams and its multicast groups.
 */
public final class DatagramSocketAdaptor extends DatagramOptions {
    /** Since virtual threads an interrupted receive is told from a closed socket. */
    private static final boolean TELLS_INTERRUPTION = Runtime.version().feature() >= 21;

    /** Held while the hop limit is another one for a single datagram. */
    private final ReentrantLock hopsChange = new ReentrantLock();

    private DatagramSocketAdaptor(NioselectDatagramChannel channel) throws IOException {
        super(channel);
    }

    /**
     * Creates the socket of a channel.
     *
     * @param channel the channel
     * @return a new socket
     * @throws UncheckedIOException if no descriptor is left for the socket that the constructor of
     *     the superclass opens
     */
    public static DatagramSocketAdaptor of(NioselectDatagramChannel channel) {
        try {
            return new DatagramSocketAdaptor(channel);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public DatagramChannel getChannel() {
        return channel;
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public void bind(SocketAddress local) throws SocketException {
        try {
            channel.bind(local);
        } catch (AlreadyBoundException | UnresolvedAddressException e) {
            throw Translation.ofUnchecked(e);
        } catch (IOException e) {
            throw Translation.ofChecked(e);
        }
    }

    @Override
    public boolean isBound() {
        return channel.localAddress() != null;
    }

    @Override
    public InetAddress getLocalAddress() {
        if (isClosed()) {
            return null;
        }
        InetSocketAddress local = channel.localAddress();
        return local == null ? new InetSocketAddress(0).getAddress() : local.getAddress();
    }

    @Override
    public int getLocalPort() {
        if (isClosed()) {
            return -1;
        }
        InetSocketAddress local = channel.localAddress();
        return local == null ? 0 : local.getPort();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return isClosed() ? null : channel.localAddress();
    }

    @Override
    public void connect(InetAddress address, int port) {
        if (address == null) {
            throw new IllegalArgumentException("Address can't be null");
        }
        try {
            connect(new InetSocketAddress(address, port));
        } catch (SocketException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void connect(SocketAddress remote) throws SocketException {
        if (remote == null) {
            throw new IllegalArgumentException("Address can't be null");
        }
        try {
            channel.reconnect(remote);
        } catch (UnresolvedAddressException e) {
            throw Translation.ofUnchecked(e);
        } catch (ClosedChannelException e) {
            // Sockets for datagrams have always been silent about that.
        } catch (IOException e) {
            throw Translation.ofChecked(e);
        }
    }

    @Override
    public void disconnect() {
        try {
            channel.disconnect();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean isConnected() {
        return channel.remoteAddress() != null;
    }

    @Override
    public InetAddress getInetAddress() {
        InetSocketAddress remote = channel.remoteAddress();
        return remote == null ? null : remote.getAddress();
    }

    @Override
    public int getPort() {
        InetSocketAddress remote = channel.remoteAddress();
        return remote == null ? -1 : remote.getPort();
    }

    @Override
    public SocketAddress getRemoteSocketAddress() {
        return channel.remoteAddress();
    }

    @Override
    public void receive(DatagramPacket packet) throws IOException {
        ByteBuffer dst = room(packet);
        int start = dst.position();
        InetSocketAddress sender;
        try {
            sender = channel.blockingReceive(dst, nanos());
        } catch (ClosedByInterruptException e) {
            throw TELLS_INTERRUPTION ? e : closed(e);
        } catch (ClosedChannelException e) {
            throw closed(e);
        }
        deliver(packet, dst.position() - start, sender);
    }

    private long nanos() {
        int timeout = timeout();
        return timeout == 0 ? -1 : TimeUnit.MILLISECONDS.toNanos(timeout);
    }

    private static ByteBuffer room(DatagramPacket packet) {
        synchronized (packet) {
            return ByteBuffer.wrap(packet.getData(), packet.getOffset(),
                    Fields.capacity(packet));
        }
    }

    /** The packet may have got another buffer meanwhile, which can be a shorter one. */
    private static void deliver(DatagramPacket packet, int length, InetSocketAddress sender) {
        synchronized (packet) {
            int most = packet.getData().length - packet.getOffset();
            Fields.setReceivedLength(packet, Math.min(length, most));
            packet.setSocketAddress(sender);
        }
    }

    @Override
    public void send(DatagramPacket packet) throws IOException {
        ByteBuffer src;
        SocketAddress target;
        synchronized (packet) {
            if (isClosed()) {
                throw closed(new ClosedChannelException());
            }
            src = ByteBuffer.wrap(packet.getData(), packet.getOffset(), packet.getLength());
            target = target(packet);
        }
        try {
            channel.blockingSend(src, target);
        } catch (AlreadyConnectedException e) {
            throw new IllegalArgumentException("Connected and packet address differ", e);
        } catch (ClosedChannelException e) {
            throw closed(e);
        }
    }

    private SocketAddress target(DatagramPacket packet) {
        InetSocketAddress peer = channel.remoteAddress();
        if (packet.getAddress() != null) {
            return packet.getSocketAddress();
        }
        if (peer == null) {
            throw new IllegalArgumentException("Address not set");
        }
        packet.setSocketAddress(peer);
        return peer;
    }

    private static SocketException closed(ClosedChannelException e) {
        return Translation.withCause("Socket closed", e);
    }

    @Override
    @Deprecated
    public void send(DatagramPacket packet, byte hops) throws IOException {
        hopsChange.lock();
        try {
            int usual = getTimeToLive();
            setTimeToLive(Byte.toUnsignedInt(hops));
            try {
                send(packet);
            } finally {
                if (!isClosed()) {
                    setTimeToLive(usual);
                }
            }
        } finally {
            hopsChange.unlock();
        }
    }

    @Override
    @Deprecated
    public void joinGroup(InetAddress group) throws IOException {
        checkMulticast(group);
        join(group, null);
    }

    @Override
    public void joinGroup(SocketAddress group, NetworkInterface networkInterface)
            throws IOException {
        join(group(group), networkInterface);
    }

    @Override
    @Deprecated
    public void leaveGroup(InetAddress group) throws IOException {
        checkMulticast(group);
        leave(group, null);
    }

    @Override
    public void leaveGroup(SocketAddress group, NetworkInterface networkInterface)
            throws IOException {
        leave(group(group), networkInterface);
    }

    private static InetAddress group(SocketAddress address) throws SocketException {
        if (!(address instanceof InetSocketAddress inet)) {
            throw new IllegalArgumentException("Unsupported address type");
        }
        if (inet.isUnresolved()) {
            throw new IllegalArgumentException("Unresolved address");
        }
        checkMulticast(inet.getAddress());
        return inet.getAddress();
    }

    private static void checkMulticast(InetAddress group) throws SocketException {
        if (!group.isMulticastAddress()) {
            throw new SocketException("Not a multicast address");
        }
    }

    private void join(InetAddress group, NetworkInterface networkInterface) throws IOException {
        ensureOpen();
        NetworkInterface where = networkInterface == null ? outgoing() : networkInterface;
        if (channel.membership(group, where) != null) {
            throw new SocketException("Already a member of group");
        }
        try {
            if (where == null) {
                channel.joinByRoute(group);
            } else {
                channel.join(group, where);
            }
        } catch (ClosedChannelException e) {
            throw Translation.ofChecked(e);
        }
    }

    private void leave(InetAddress group, NetworkInterface networkInterface) throws IOException {
        ensureOpen();
        MembershipKey key = channel.membership(group,
                networkInterface == null ? outgoing() : networkInterface);
        if (key == null) {
            throw new SocketException("Not a member of group");
        }
        key.drop();
    }

    /** The interface that multicast datagrams leave by is also where to join; null for any. */
    private NetworkInterface outgoing() throws IOException {
        return channel.getOption(StandardSocketOptions.IP_MULTICAST_IF);
    }
}
