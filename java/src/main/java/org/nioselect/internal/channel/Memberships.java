package org.nioselect.internal.channel;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.MulticastChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.nioselect.internal.io.Descriptor;
import org.nioselect.internal.io.Scratch;
import org.nioselect.internal.net.Errors;
import org.nioselect.internal.net.Interfaces;
import org.nioselect.internal.net.SocketAddresses;
import org.nioselect.internal.sys.AddressForm;
import org.nioselect.internal.sys.Errno;
import org.nioselect.internal.sys.Memory;
import org.nioselect.internal.sys.MulticastCalls;

/**
 * A datagram channel's memberships in multicast groups. No system call about them blocks.
 *
 * <p>The system knows whether a socket is a member of a group on an interface either for all
 * sources or for some; each source of the latter is a membership of its own in Java.
 */
final class Memberships {
    private static final int ANY_INTERFACE = 0;

    private final MulticastChannel channel;
    private final Descriptor descriptor;
    private final int family;
    private final List<NioselectMembershipKey> keys = new ArrayList<>();

    Memberships(MulticastChannel channel, Descriptor descriptor, int family) {
        this.channel = channel;
        this.descriptor = descriptor;
        this.family = family;
    }

    MulticastChannel channel() {
        return channel;
    }

    /**
     * Joins a group.
     *
     * @param where the interface; null for the one that the system's routes lead to
     * @param source the source; null for all of them
     */
    synchronized NioselectMembershipKey join(InetAddress group, NetworkInterface where,
            InetAddress source) throws IOException {
        checkGroup(group);
        if (source != null) {
            checkSource(source, group);
        }
        int index = where == null ? ANY_INTERFACE : index(group, where);
        if (!channel.isOpen()) {
            throw new ClosedChannelException();
        }
        NioselectMembershipKey known = find(group, where, source);
        if (known != null) {
            return known;
        }
        checkOthers(group, where, source);
        change(MulticastCalls.JOIN, group, index, source);
        NioselectMembershipKey key = new NioselectMembershipKey(this, group, where, source);
        keys.add(key);
        return key;
    }

    private void checkGroup(InetAddress group) {
        if (!group.isMulticastAddress()) {
            throw new IllegalArgumentException("Group not a multicast address");
        }
        if (family == AddressForm.IPV4 && !(group instanceof Inet4Address)) {
            throw new IllegalArgumentException(
                    "Only IPv6 sockets can join IPv6 multicast group");
        }
    }

    private static void checkSource(InetAddress source, InetAddress group) {
        if (source.isAnyLocalAddress()) {
            throw new IllegalArgumentException("Source address is a wildcard address");
        }
        if (source.isMulticastAddress()) {
            throw new IllegalArgumentException("Source address is multicast address");
        }
        if (source.getClass() != group.getClass()) {
            throw new IllegalArgumentException("Source address is different type to group");
        }
    }

    private static int index(InetAddress group, NetworkInterface where) throws IOException {
        if (group instanceof Inet4Address) {
            Interfaces.checkIpv4(where);
        }
        return Interfaces.index(where);
    }

    private void checkOthers(InetAddress group, NetworkInterface where, InetAddress source) {
        for (NioselectMembershipKey other : keys) {
            if (isFor(other, group, where)) {
                if (other.sourceAddress() == null) {
                    throw new IllegalStateException("Already a member to receive all packets");
                }
                if (source == null) {
                    throw new IllegalStateException("Already have source-specific membership");
                }
            }
        }
    }

    /** The valid key of such a membership, or null. */
    synchronized NioselectMembershipKey find(InetAddress group, NetworkInterface where,
            InetAddress source) {
        for (NioselectMembershipKey key : keys) {
            if (isFor(key, group, where) && Objects.equals(key.sourceAddress(), source)) {
                return key;
            }
        }
        return null;
    }

    private static boolean isFor(NioselectMembershipKey key, InetAddress group,
            NetworkInterface where) {
        return key.group().equals(group) && Objects.equals(key.networkInterface(), where);
    }

    synchronized void drop(NioselectMembershipKey key) {
        if (!key.isValid()) {
            return;
        }
        key.invalidate();
        keys.remove(key);
        try {
            change(MulticastCalls.LEAVE, key, key.sourceAddress());
        } catch (IOException e) {
            // The channel or the interface has gone, and the membership with it.
        }
    }

    synchronized void block(NioselectMembershipKey key, InetAddress source) throws IOException {
        if (!key.isValid()) {
            throw new IllegalStateException("key is no longer valid");
        }
        if (key.sourceAddress() != null) {
            throw new IllegalStateException("key is source-specific");
        }
        checkSource(source, key.group());
        if (!key.blocked().contains(source)) {
            change(MulticastCalls.BLOCK, key, source);
            key.blocked().add(source);
        }
    }

    synchronized void unblock(NioselectMembershipKey key, InetAddress source) {
        if (!key.isValid() || !key.blocked().remove(source)) {
            throw new IllegalStateException("not blocked");
        }
        try {
            change(MulticastCalls.UNBLOCK, key, source);
        } catch (IOException e) {
            // The channel or the interface has gone: nothing comes from that source any more.
        }
    }

    /** The channel is closed, and the system forgets its memberships. */
    synchronized void invalidate() {
        keys.forEach(NioselectMembershipKey::invalidate);
        keys.clear();
    }

    private void change(int action, NioselectMembershipKey key, InetAddress source)
            throws IOException {
        NetworkInterface where = key.networkInterface();
        change(action, key.group(), where == null ? ANY_INTERFACE : where.getIndex(), source);
    }

    private void change(int action, InetAddress group, int index, InetAddress source)
            throws IOException {
        if (!descriptor.enter()) {
            throw new ClosedChannelException();
        }
        Scratch scratch = Scratch.take(2 * AddressForm.SIZE);
        try {
            Memory memory = scratch.memory();
            SocketAddresses.write(group, memory, 0);
            long sourceForm = 0;
            if (source != null) {
                SocketAddresses.write(source, memory, AddressForm.SIZE);
                sourceForm = memory.address() + AddressForm.SIZE;
            }
            check(MulticastCalls.change(descriptor.fd(), action, memory.address(), index,
                    sourceForm));
        } finally {
            scratch.release();
            descriptor.leave();
        }
    }

    private static void check(int answer) throws IOException {
        if (answer == -Errno.ENOPROTOOPT || answer == -Errno.EOPNOTSUPP) {
            throw new UnsupportedOperationException("Not supported by this system");
        }
        Errors.check(answer);
    }
}
