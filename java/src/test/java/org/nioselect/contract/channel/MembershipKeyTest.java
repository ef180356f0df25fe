package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The keys of multicast memberships: which there are, and how long they are valid. */
@Timeout(60)
class MembershipKeyTest {
    private NetworkInterface network;
    private InetAddress group;
    private InetAddress otherGroup;
    private InetAddress self;

    @BeforeEach
    void findInterface() throws IOException {
        network = MulticastNetwork.assumeOne();
        self = MulticastNetwork.ipv4AddressOf(network);
        group = InetAddress.getByName("225.4.5.6");
        otherGroup = InetAddress.getByName("225.4.5.7");
    }

    @Test
    void keyTellsWhatWasJoined() throws IOException {
        try (DatagramChannel receiver = DatagramChannel.open(StandardProtocolFamily.INET)) {
            MembershipKey any = receiver.join(group, network);
            assertSame(receiver, any.channel());
            assertEquals(group, any.group());
            assertEquals(network, any.networkInterface());
            assertNull(any.sourceAddress());
            MembershipKey one = receiver.join(otherGroup, network, self);
            assertEquals(self, one.sourceAddress());
            assertNotNull(one.toString());
        }
    }

    @Test
    void joinTwiceReturnsTheSameKey() throws IOException {
        try (DatagramChannel receiver = DatagramChannel.open(StandardProtocolFamily.INET)) {
            MembershipKey key = receiver.join(group, network);
            assertSame(key, receiver.join(group, network));
            MembershipKey one = receiver.join(otherGroup, network, self);
            assertSame(one, receiver.join(otherGroup, network, self));
            key.drop();
            MembershipKey fresh = receiver.join(group, network);
            assertNotSame(key, fresh);
            assertTrue(fresh.isValid());
        }
    }

    @Test
    void joiningAllSourcesAndOneSourceExcludeEachOther() throws IOException {
        try (DatagramChannel receiver = DatagramChannel.open(StandardProtocolFamily.INET)) {
            final MembershipKey any = receiver.join(group, network);
            assertThrows(IllegalStateException.class,
                    () -> receiver.join(group, network, self));
            any.drop();
            receiver.join(group, network, self);
            assertThrows(IllegalStateException.class, () -> receiver.join(group, network));
        }
    }

    @Test
    void illegalBlocksAreRefused() throws IOException {
        try (DatagramChannel receiver = DatagramChannel.open(StandardProtocolFamily.INET)) {
            MembershipKey any = receiver.join(group, network);
            assertThrows(NullPointerException.class, () -> any.block(null));
            assertThrows(IllegalArgumentException.class, () -> any.block(otherGroup));
            any.drop();
            assertThrows(IllegalStateException.class, () -> any.block(self));
            assertThrows(IllegalStateException.class, () -> any.unblock(self));
            MembershipKey one = receiver.join(otherGroup, network, self);
            assertThrows(IllegalStateException.class, () -> one.block(self));
        }
    }

    @Test
    void illegalGroupsAreRefused() throws IOException {
        InetAddress group6 = InetAddress.getByName("ff12::a");
        try (DatagramChannel receiver = DatagramChannel.open(StandardProtocolFamily.INET)) {
            assertThrows(NullPointerException.class, () -> receiver.join(null, network));
            assertThrows(NullPointerException.class, () -> receiver.join(group, null));
            assertThrows(NullPointerException.class, () -> receiver.join(group, network, null));
            assertThrows(IllegalArgumentException.class, () -> receiver.join(self, network));
            assertThrows(IllegalArgumentException.class, () -> receiver.join(group6, network));
            assertThrows(IllegalArgumentException.class,
                    () -> receiver.join(group, network, otherGroup));
            assertThrows(IllegalArgumentException.class,
                    () -> receiver.join(group, network, InetAddress.getByName("::1")));
        }
    }

    @Test
    void closeInvalidatesEveryMembership() throws IOException {
        DatagramChannel receiver = DatagramChannel.open(StandardProtocolFamily.INET);
        MembershipKey one = receiver.join(group, network);
        MembershipKey other = receiver.join(otherGroup, network);
        receiver.close();
        assertFalse(one.isValid());
        assertFalse(other.isValid());
        one.drop();
        assertEquals(group, one.group());
        assertSame(receiver, one.channel());
    }
}
