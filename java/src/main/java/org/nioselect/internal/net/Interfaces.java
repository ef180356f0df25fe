package org.nioselect.internal.net;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.NetworkInterface;

/**
 * How the system knows a network interface.
 */
public final class Interfaces {
    private Interfaces() {
    }

    /**
     * Its index.
     *
     * @param networkInterface an interface
     * @return its index; 0 for one that stands for all interfaces
     * @throws IOException if it has none
     */
    public static int index(NetworkInterface networkInterface) throws IOException {
        int index = networkInterface.getIndex();
        if (index < 0) {
            throw new IOException("Network interface cannot be identified");
        }
        return index;
    }

    /**
     * Checks that an interface can be used by IPv4.
     *
     * @param networkInterface an interface
     * @throws IllegalArgumentException if it has no such address
     */
    public static void checkIpv4(NetworkInterface networkInterface) {
        if (networkInterface.inetAddresses().noneMatch(Inet4Address.class::isInstance)) {
            throw new IllegalArgumentException("Network interface not configured for IPv4");
        }
    }
}
