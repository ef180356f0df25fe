package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.MembershipKey;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nioselect.support.Bytes;

/**
 * Joining, leaving and filtering multicast groups. Nothing leaves this host: the time to live of
 * what is sent is 0.
 */
@Timeout(60)
class MulticastTest {
    private static final String GROUP = "225.4.5.6";
    private static final String OTHER_GROUP = "225.4.5.7";

    private final ByteBuffer buffer = ByteBuffer.allocate(16);
    private NetworkInterface network;
    private InetAddress group;
    private InetAddress otherGroup;
    private InetAddress self;

    @BeforeEach
    void findInterface() throws IOException {
        network = MulticastNetwork.assumeOne();
        self = MulticastNetwork.ipv4AddressOf(network);
        group = InetAddress.getByName(GROUP);
        otherGroup = InetAddress.getByName(OTHER_GROUP);
    }

    private static DatagramChannel receiver(StandardProtocolFamily family) throws IOException {
        DatagramChannel channel = family == null ? DatagramChannel.open()
                : DatagramChannel.open(family);
        return channel.setOption(StandardSocketOptions.SO_REUSEADDR, true).bind(null);
    }

    private DatagramChannel sender() throws IOException {
        return MulticastNetwork.sender(StandardProtocolFamily.INET, network);
    }

    private static InetSocketAddress at(InetAddress address, DatagramChannel receiver)
            throws IOException {
        return new InetSocketAddress(address,
                ((InetSocketAddress) receiver.getLocalAddress()).getPort());
    }

    /** Sends to the group and then to the receiver itself: what comes first tells the rest. */
    private String firstReceived(DatagramChannel receiver, InetAddress target)
            throws IOException {
        try (DatagramChannel sender = sender()) {
            sender.send(Bytes.of("group"), at(target, receiver));
            sender.send(Bytes.of("self"), at(self, receiver));
            receiver.receive(buffer.clear());
            String first = Bytes.text(buffer);
            if (first.equals("group")) {
                receiver.receive(buffer.clear());
                assertEquals("self", Bytes.text(buffer));
            }
            return first;
        }
    }

    private void assertDelivered(DatagramChannel receiver, InetAddress target)
            throws IOException {
        assertEquals("group", firstReceived(receiver, target));
    }

    private void assertNotDelivered(DatagramChannel receiver, InetAddress target)
            throws IOException {
        assertEquals("self", firstReceived(receiver, target));
    }

    @ParameterizedTest
    @EnumSource(names = {"INET", "INET6"})
    void memberReceivesUntilItDrops(StandardProtocolFamily family) throws IOException {
        try (DatagramChannel receiver = receiver(family)) {
            assertNotDelivered(receiver, group);
            MembershipKey key = receiver.join(group, network);
            assertTrue(key.isValid());
            assertDelivered(receiver, group);
            key.drop();
            assertFalse(key.isValid());
            assertNotDelivered(receiver, group);
            key.drop();
        }
    }

    @Test
    void defaultChannelJoinsIpv4Groups() throws IOException {
        try (DatagramChannel receiver = receiver(null)) {
            receiver.join(group, network);
            assertDelivered(receiver, group);
        }
    }

    @Test
    void sourceSpecificMemberReceivesOnlyFromItsSource() throws IOException {
        InetAddress elsewhere = InetAddress.getByName("203.0.113.7");
        try (DatagramChannel receiver = receiver(StandardProtocolFamily.INET)) {
            MembershipKey foreign = receiver.join(group, network, elsewhere);
            assertNotDelivered(receiver, group);
            MembershipKey own = receiver.join(group, network, self);
            assertDelivered(receiver, group);
            own.drop();
            assertNotDelivered(receiver, group);
            assertTrue(foreign.isValid());
        }
    }

    @Test
    void blockedSourceIsSilentUntilUnblocked() throws IOException {
        try (DatagramChannel receiver = receiver(StandardProtocolFamily.INET)) {
            MembershipKey key = receiver.join(group, network);
            assertSame(key, key.block(self));
            assertSame(key, key.block(self));
            assertNotDelivered(receiver, group);
            assertSame(key, key.unblock(self));
            assertDelivered(receiver, group);
            assertThrows(IllegalStateException.class, () -> key.unblock(self));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"INET", "INET6"})
    void membershipOfAnotherChannelDoesNotCount(StandardProtocolFamily family)
            throws IOException {
        try (DatagramChannel member = receiver(family);
                DatagramChannel bystander = receiver(family)) {
            member.join(group, network);
            bystander.join(otherGroup, network);
            assertNotDelivered(bystander, group);
            assertDelivered(bystander, otherGroup);
        }
    }

    @Test
    void membershipsSurviveConnectAndDisconnect() throws IOException {
        try (DatagramChannel receiver = receiver(StandardProtocolFamily.INET);
                DatagramChannel peer = receiver(StandardProtocolFamily.INET)) {
            MembershipKey key = receiver.join(group, network);
            receiver.connect(at(self, peer));
            receiver.disconnect();
            assertTrue(key.isValid());
            assertDelivered(receiver, group);
        }
    }

    @Test
    void loopOffKeepsAHostFromHearingItself() throws IOException {
        try (DatagramChannel receiver = receiver(StandardProtocolFamily.INET);
                DatagramChannel sender = sender()) {
            receiver.join(group, network);
            sender.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, false);
            assertFalse(sender.getOption(StandardSocketOptions.IP_MULTICAST_LOOP));
            sender.send(Bytes.of("unheard"), at(group, receiver));
            sender.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, true);
            sender.send(Bytes.of("heard"), at(group, receiver));
            receiver.receive(buffer);
            assertEquals("heard", Bytes.text(buffer));
        }
    }

    @Test
    void loopAndInterfaceActOnBothStacksOfADualStackSender() throws IOException {
        try (DatagramChannel receiver = receiver(StandardProtocolFamily.INET);
                DatagramChannel dual = DatagramChannel.open()) {
            receiver.join(group, network);
            dual.setOption(StandardSocketOptions.IP_MULTICAST_IF, network);
            dual.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 0);
            dual.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, false);
            dual.send(Bytes.of("unheard"), at(group, receiver));
            dual.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, true);
            dual.send(Bytes.of("heard"), at(group, receiver));
            receiver.receive(buffer);
            assertEquals("heard", Bytes.text(buffer));
        }
    }

    @Test
    void interfaceOptionIsReadBack() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            assertNull(channel.getOption(StandardSocketOptions.IP_MULTICAST_IF));
            channel.setOption(StandardSocketOptions.IP_MULTICAST_IF, network);
            assertEquals(network, channel.getOption(StandardSocketOptions.IP_MULTICAST_IF));
            assertThrows(IllegalArgumentException.class,
                    () -> channel.setOption(StandardSocketOptions.IP_MULTICAST_IF, null));
        }
    }

    @Test
    void multicastMakesAKeyReadable() throws IOException {
        try (DatagramChannel receiver = receiver(StandardProtocolFamily.INET);
                DatagramChannel sender = sender(); Selector selector = Selector.open()) {
            receiver.join(group, network);
            receiver.configureBlocking(false);
            SelectionKey key = receiver.register(selector, SelectionKey.OP_READ);
            sender.send(Bytes.of("selected"), at(group, receiver));
            assertEquals(1, selector.select(30_000));
            assertTrue(key.isReadable());
            receiver.receive(buffer);
            assertEquals("selected", Bytes.text(buffer));
        }
    }

    @Test
    void ipv6GroupIsJoinedAndLeft() throws IOException {
        assumeTrue(network.inetAddresses().anyMatch(Inet6Address.class::isInstance), "no IPv6");
        InetAddress group6 = InetAddress.getByName("ff12::4567");
        try (DatagramChannel receiver = receiver(StandardProtocolFamily.INET6);
                DatagramChannel sender =
                        MulticastNetwork.sender(StandardProtocolFamily.INET6, network)) {
            MembershipKey key = receiver.join(group6, network);
            sender.send(Bytes.of("joined"), at(group6, receiver));
            receiver.receive(buffer);
            assertEquals("joined", Bytes.text(buffer));
            key.drop();
            sender.send(Bytes.of("left"), at(group6, receiver));
            receiver.configureBlocking(false);
            assertNull(receiver.receive(buffer.clear()));
        }
    }
}
