package org.nioselect.internal.net;

import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.util.Objects;
import org.nioselect.internal.sys.AddressForm;
import org.nioselect.internal.sys.Sockets;

/**
 * Which family a socket is opened with: the JDK's rules, by which one IPv6 socket serves both
 * stacks unless the system has no IPv6 or the user does not want it.
 */
public final class Families {
    // Not knowing, as no descriptor is left to find out with, does not count as having none.
    private static final boolean IPV6 = !Boolean.getBoolean("java.net.preferIPv4Stack")
            && Sockets.isAvailable(AddressForm.IPV6) != 0;

    private Families() {
    }

    /**
     * The family of a channel that was opened without naming one.
     *
     * @return {@link AddressForm#IPV6} or {@link AddressForm#IPV4}
     */
    public static int standard() {
        return IPV6 ? AddressForm.IPV6 : AddressForm.IPV4;
    }

    /**
     * The family of a stream socket or a listener.
     *
     * @param family what the user asks for
     * @return a family of {@link AddressForm}
     * @throws UnsupportedOperationException if there is no such family here
     */
    public static int ofStream(ProtocolFamily family) {
        return family == StandardProtocolFamily.UNIX ? AddressForm.UNIX : ofDatagram(family);
    }

    /**
     * The family of a datagram socket.
     *
     * @param family what the user asks for
     * @return a family of {@link AddressForm}
     * @throws UnsupportedOperationException if there is no such family here
     */
    public static int ofDatagram(ProtocolFamily family) {
        Objects.requireNonNull(family, "'family' is null");
        if (family == StandardProtocolFamily.INET) {
            return AddressForm.IPV4;
        }
        if (family != StandardProtocolFamily.INET6) {
            throw new UnsupportedOperationException("Protocol family not supported");
        }
        if (!IPV6) {
            throw new UnsupportedOperationException("IPv6 not available");
        }
        return AddressForm.IPV6;
    }
}
