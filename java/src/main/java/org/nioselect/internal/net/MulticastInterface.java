package org.nioselect.internal.net;

import java.io.IOException;
import java.net.NetworkInterface;
import java.net.StandardSocketOptions;
import org.nioselect.internal.sys.AddressForm;
import org.nioselect.internal.sys.SocketOptionCalls;

/**
 * The network interface that multicast datagrams leave by.
 */
final class MulticastInterface extends Option<NetworkInterface> {
    MulticastInterface() {
        super(StandardSocketOptions.IP_MULTICAST_IF);
    }

    @Override
    boolean isAvailable() {
        return true;
    }

    @Override
    NetworkInterface get(int fd, int family) throws IOException {
        long answer = SocketOptionCalls.get(fd, family, SocketOptionCalls.IP_MULTICAST_IF);
        if (answer < 0) {
            throw Errors.socket((int) -answer);
        }
        return answer == 0 ? null : NetworkInterface.getByIndex((int) answer);
    }

    @Override
    void set(int fd, int family, NetworkInterface value) throws IOException {
        if (family == AddressForm.IPV4) {
            Interfaces.checkIpv4(value);
        }
        Errors.check(SocketOptionCalls.set(fd, family, SocketOptionCalls.IP_MULTICAST_IF,
                Interfaces.index(value)));
    }
}
