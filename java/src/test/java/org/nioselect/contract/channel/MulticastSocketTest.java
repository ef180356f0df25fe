package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;

/** Multicast through DatagramChannel.socket(). */
@Timeout(60)
class MulticastSocketTest {
    private NetworkInterface network;
    private InetSocketAddress group;

    @BeforeEach
    void findInterface() throws IOException {
        network = MulticastNetwork.assumeOne();
        group = new InetSocketAddress(InetAddress.getByName("225.4.5.6"), 0);
    }

    private static DatagramChannel open() throws IOException {
        return DatagramChannel.open(StandardProtocolFamily.INET).bind(null);
    }

    @Test
    void groupIsJoinedAndLeft() throws IOException {
        try (DatagramChannel receiver = open();
                DatagramChannel sender =
                        MulticastNetwork.sender(StandardProtocolFamily.INET, network)) {
            receiver.socket().joinGroup(group, network);
            sender.send(Bytes.of("group"),
                    new InetSocketAddress(group.getAddress(), receiver.socket().getLocalPort()));
            DatagramPacket packet = new DatagramPacket(new byte[8], 8);
            receiver.socket().receive(packet);
            assertEquals(5, packet.getLength());
            receiver.socket().leaveGroup(group, network);
            assertThrows(SocketException.class,
                    () -> receiver.socket().leaveGroup(group, network));
        }
    }

    @Test
    void joinTwiceIsRefused() throws IOException {
        try (DatagramChannel receiver = open()) {
            receiver.socket().joinGroup(group, network);
            assertThrows(SocketException.class,
                    () -> receiver.socket().joinGroup(group, network));
        }
    }

    @Test
    void illegalGroupsAreRefused() throws IOException {
        InetSocketAddress unicast = new InetSocketAddress("127.0.0.1", 0);
        try (DatagramChannel receiver = open()) {
            assertThrows(IllegalArgumentException.class,
                    () -> receiver.socket().joinGroup(null, network));
            assertThrows(SocketException.class,
                    () -> receiver.socket().joinGroup(unicast, network));
            assertThrows(IllegalArgumentException.class,
                    () -> receiver.socket().joinGroup(UnixSockets.freshAddress(), network));
            assertThrows(IllegalArgumentException.class,
                    () -> receiver.socket().leaveGroup(null, network));
        }
    }

    @Test
    void closedSocketRefusesToJoin() throws IOException {
        DatagramChannel receiver = open();
        receiver.close();
        assertThrows(SocketException.class, () -> receiver.socket().joinGroup(group, network));
        assertThrows(SocketException.class, () -> receiver.socket().leaveGroup(group, network));
    }

    @Test
    void networkInterfaceIsThatOfTheChannel() throws IOException {
        try (DatagramChannel channel = open()) {
            MulticastSocket socket = (MulticastSocket) channel.socket();
            socket.setNetworkInterface(network);
            assertEquals(network, socket.getNetworkInterface());
            assertEquals(network, channel.getOption(StandardSocketOptions.IP_MULTICAST_IF));
        }
    }

    @Test
    void timeToLiveIsThatOfTheChannel() throws IOException {
        try (DatagramChannel channel = open()) {
            MulticastSocket socket = (MulticastSocket) channel.socket();
            socket.setTimeToLive(7);
            assertEquals(7, socket.getTimeToLive());
            assertEquals(7, channel.getOption(StandardSocketOptions.IP_MULTICAST_TTL));
            channel.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 9);
            assertEquals(9, socket.getTimeToLive());
        }
    }

    @Test
    void socketAndChannelShareTheirMemberships() throws IOException {
        try (DatagramChannel channel = open()) {
            channel.join(group.getAddress(), network);
            assertThrows(SocketException.class,
                    () -> channel.socket().joinGroup(group, network));
            channel.socket().leaveGroup(group, network);
            assertTrue(channel.join(group.getAddress(), network).isValid());
        }
    }
}
