package org.nioselect.internal.adaptor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.concurrent.locks.ReentrantLock;
import org.nioselect.internal.channel.NioselectDatagramChannel;
import org.nioselect.internal.sys.Fields;

/**
 * A datagram channel as a socket: its addresses and its datagrams.
 */
public final class DatagramSocketAdaptor extends DatagramOptions {
    /** Since virtual threads an interrupted receive is told from a closed socket. */
    private static final boolean TELLS_INTERRUPTION = Runtime.version().feature() >= 21;

    /** Held while the hop limit is another one for a single datagram. */
    private final ReentrantLock hopsChange = new ReentrantLock();

    private final MulticastGroups groups;

    private DatagramSocketAdaptor(NioselectDatagramChannel channel) throws IOException {
        super(channel);
        groups = new MulticastGroups(channel);
    }

    /**
     * Creates the socket of a channel. The constructor of the superclass opens a socket, for which
     * it asks the factory of the application if {@code setDatagramSocketImplFactory} was called.
     *
     * @param channel the channel
     * @return a new socket
     * @throws UncheckedIOException if no descriptor is left for the socket that the constructor of
     *     the superclass opens, or only a few when that is the first one
     */
    public static DatagramSocketAdaptor of(NioselectDatagramChannel channel) {
        try {
            JdkInitialization.demandRoom();
            DatagramSocketAdaptor created = new DatagramSocketAdaptor(channel);
            JdkInitialization.succeeded();
            return created;
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
        checkType(local);
        try {
            channel.bind(local);
        } catch (AlreadyBoundException | UnresolvedAddressException
                | UnsupportedAddressTypeException e) {
            throw Translation.ofUnchecked(e);
        } catch (IOException e) {
            throw Translation.ofChecked(e);
        }
    }

    /** Of another kind of address the JDK's sockets tell by the exception of a channel. */
    private static void checkType(SocketAddress address) {
        if (address != null && !(address instanceof InetSocketAddress)) {
            throw new UnsupportedAddressTypeException();
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
        checkType(remote);
        try {
            channel.reconnect(remote);
        } catch (UnresolvedAddressException | UnsupportedAddressTypeException e) {
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
            sender = channel.blockingReceive(dst, options.timeoutNanos());
        } catch (ClosedByInterruptException e) {
            throw TELLS_INTERRUPTION ? e : closed(e);
        } catch (ClosedChannelException e) {
            throw closed(e);
        }
        deliver(packet, dst.position() - start, sender);
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
        try {
            groups.join(group, null);
        } catch (IllegalArgumentException e) {
            // Only the newer method may throw that.
            throw Translation.withCause(e.getMessage(), e);
        }
    }

    @Override
    public void joinGroup(SocketAddress group, NetworkInterface networkInterface)
            throws IOException {
        groups.join(MulticastGroups.address(group), networkInterface);
    }

    @Override
    @Deprecated
    public void leaveGroup(InetAddress group) throws IOException {
        groups.leave(group, null);
    }

    @Override
    public void leaveGroup(SocketAddress group, NetworkInterface networkInterface)
            throws IOException {
        groups.leave(MulticastGroups.address(group), networkInterface);
    }
}
