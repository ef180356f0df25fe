package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.util.Collections;

/** The network interface that the multicast tests use, if this host has a suitable one. */
final class MulticastNetwork {
    private MulticastNetwork() {
    }

    /** An interface that is up, supports multicast and has an IPv4 address; else skips the test. */
    static NetworkInterface assumeOne() throws IOException {
        for (NetworkInterface network
                : Collections.list(NetworkInterface.getNetworkInterfaces())) {
            if (network.isUp() && network.supportsMulticast() && ipv4AddressOf(network) != null) {
                return network;
            }
        }
        assumeTrue(false, "no network interface supports multicast");
        return null;
    }

    /** The first IPv4 address of an interface, or null. */
    static InetAddress ipv4AddressOf(NetworkInterface network) {
        return network.inetAddresses().filter(Inet4Address.class::isInstance).findFirst()
                .orElse(null);
    }

    /** A channel that sends to groups through an interface, and no farther than this host. */
    static DatagramChannel sender(StandardProtocolFamily family, NetworkInterface network)
            throws IOException {
        return DatagramChannel.open(family)
                .setOption(StandardSocketOptions.IP_MULTICAST_IF, network)
                .setOption(StandardSocketOptions.IP_MULTICAST_TTL, 0);
    }
}
