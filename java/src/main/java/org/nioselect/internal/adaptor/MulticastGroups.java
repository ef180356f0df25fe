package org.nioselect.internal.adaptor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.channels.MembershipKey;
import org.nioselect.internal.channel.NioselectDatagramChannel;

/**
 * The multicast groups of a channel as its socket has them: without keys, and on the interface by
 * which multicast datagrams leave unless another one is given.
 */
final class MulticastGroups {
    private final NioselectDatagramChannel channel;

    MulticastGroups(NioselectDatagramChannel channel) {
        this.channel = channel;
    }

    /** The IP address of what is given with a port, which does not matter. */
    static InetAddress address(SocketAddress group) {
        if (!(group instanceof InetSocketAddress inet)) {
            throw new IllegalArgumentException("Unsupported address type");
        }
        if (inet.isUnresolved()) {
            throw new IllegalArgumentException("Unresolved address");
        }
        return inet.getAddress();
    }

    void join(InetAddress group, NetworkInterface networkInterface) throws IOException {
        check(group);
        NetworkInterface where = networkInterface == null ? outgoing() : networkInterface;
        if (channel.membership(group, where) != null) {
            throw new SocketException("Already a member of group");
        }
        try {
            join(channel, group, where);
        } catch (IOException e) {
            throw Translation.ofChecked(e);
        } catch (IllegalStateException e) {
            throw Translation.withCause(e.getMessage(), e);
        }
    }

    private static void join(NioselectDatagramChannel channel, InetAddress group,
            NetworkInterface where) throws IOException {
        if (where == null) {
            channel.joinByRoute(group);
        } else {
            channel.join(group, where);
        }
    }

    void leave(InetAddress group, NetworkInterface networkInterface) throws IOException {
        check(group);
        MembershipKey key = channel.membership(group,
                networkInterface == null ? outgoing() : networkInterface);
        if (key == null) {
            throw new SocketException("Not a member of group");
        }
        key.drop();
    }

    private void check(InetAddress group) throws SocketException {
        if (!group.isMulticastAddress()) {
            throw new SocketException("Not a multicast address");
        }
        if (!channel.isOpen()) {
            throw new SocketException("Socket is closed");
        }
    }

    /** Null if the system's routes decide. */
    private NetworkInterface outgoing() throws IOException {
        return channel.getOption(StandardSocketOptions.IP_MULTICAST_IF);
    }
}
