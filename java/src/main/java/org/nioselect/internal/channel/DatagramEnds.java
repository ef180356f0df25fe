package org.nioselect.internal.channel;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.nioselect.internal.net.Errors;
import org.nioselect.internal.net.SocketAddresses;
import org.nioselect.internal.sys.Sockets;

/**
 * The two ends of a datagram socket, its own address and that of its peer, and the system calls
 * that change them. None of those blocks, so this object's monitor is never held for long.
 *
 * <p>Whoever makes a system call is a user of the descriptor.
 */
final class DatagramEnds {
    private final int fd;
    private final int family;
    private volatile InetSocketAddress local;
    private volatile InetSocketAddress remote;

    /** What the socket was bound to before it was connected. */
    private InetSocketAddress boundTo;

    DatagramEnds(int fd, int family) {
        this.fd = fd;
        this.family = family;
    }

    /** The address that the socket is bound to; null if it is not bound. */
    InetSocketAddress local() {
        return local;
    }

    /** The peer that the socket is connected to; null if it is not connected. */
    InetSocketAddress remote() {
        return remote;
    }

    /** Asks the system, as others have bound the socket and perhaps connected it. */
    synchronized void adopt(boolean connected) throws IOException {
        InetSocketAddress found = askLocal();
        local = found.getPort() == 0 ? null : found;
        boundTo = local;
        remote = connected ? (InetSocketAddress) AddressCalls.remote(fd) : null;
    }

    synchronized void bind(InetSocketAddress address) throws IOException {
        AddressCalls.bind(fd, family, address);
        local = askLocal();
    }

    synchronized void bindIfUnbound() throws IOException {
        if (local == null) {
            bind(SocketAddresses.wildcard(family));
        }
    }

    synchronized void connect(InetSocketAddress address) throws IOException {
        bindIfUnbound();
        Errors.check(AddressCalls.connect(fd, family, address));
        boundTo = local;
        remote = address;
        local = askLocal();
    }

    /** Leaves the peer. A port that the system had chosen is lost by that on Linux. */
    synchronized void disconnect() throws IOException {
        if (remote == null) {
            return;
        }
        Errors.check(Sockets.disconnect(fd, family));
        remote = null;
        local = askLocal();
        if (local.getPort() == 0) {
            local = null;
            bind(boundTo);
        }
    }

    private InetSocketAddress askLocal() throws IOException {
        return (InetSocketAddress) AddressCalls.local(fd);
    }
}
