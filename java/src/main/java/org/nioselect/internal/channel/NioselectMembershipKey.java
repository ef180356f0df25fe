package org.nioselect.internal.channel;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.channels.MembershipKey;
import java.nio.channels.MulticastChannel;
import java.util.HashSet;
import java.util.Set;

/**
 * A channel's membership in a multicast group.
 */
final class NioselectMembershipKey extends MembershipKey {
    private final Memberships memberships;
    private final InetAddress group;
    private final NetworkInterface networkInterface;
    private final InetAddress source;
    private final Set<InetAddress> blocked = new HashSet<>();
    private volatile boolean valid = true;

    NioselectMembershipKey(Memberships memberships, InetAddress group,
            NetworkInterface networkInterface, InetAddress source) {
        this.memberships = memberships;
        this.group = group;
        this.networkInterface = networkInterface;
        this.source = source;
    }

    /** The sources that the user has blocked, guarded by the memberships. */
    Set<InetAddress> blocked() {
        return blocked;
    }

    void invalidate() {
        valid = false;
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    @Override
    public void drop() {
        memberships.drop(this);
    }

    @Override
    public MembershipKey block(InetAddress source) throws IOException {
        memberships.block(this, source);
        return this;
    }

    @Override
    public MembershipKey unblock(InetAddress source) {
        memberships.unblock(this, source);
        return this;
    }

    @Override
    public MulticastChannel channel() {
        return memberships.channel();
    }

    @Override
    public InetAddress group() {
        return group;
    }

    @Override
    public NetworkInterface networkInterface() {
        return networkInterface;
    }

    @Override
    public InetAddress sourceAddress() {
        return source;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("<").append(group.getHostAddress());
        if (networkInterface != null) {
            text.append(',').append(networkInterface.getName());
        }
        if (source != null) {
            text.append(',').append(source.getHostAddress());
        }
        return text.append('>').toString();
    }
}
