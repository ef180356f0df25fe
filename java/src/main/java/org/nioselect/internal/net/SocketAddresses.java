package org.nioselect.internal.net;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Objects;
import org.nioselect.internal.sys.AddressForm;
import org.nioselect.internal.sys.Memory;

/**
 * Socket addresses between Java and native memory, and which addresses a socket takes.
 */
public final class SocketAddresses {
    private SocketAddresses() {
    }

    /**
     * Writes an address in the form of {@link AddressForm}.
     *
     * @param address an address that was checked
     * @param memory where to
     * @param offset where the form starts in it
     * @throws SocketException if the path of a UNIX domain address is too long
     */
    public static void write(SocketAddress address, Memory memory, int offset)
            throws SocketException {
        ByteBuffer buffer = memory.buffer();
        if (address instanceof UnixDomainSocketAddress unix) {
            UnixPaths.write(unix, buffer, offset);
        } else {
            InetAddresses.write((InetSocketAddress) address, buffer, offset);
        }
    }

    /**
     * Writes an IP address without a port in the form of {@link AddressForm}.
     *
     * @param address an IP address
     * @param memory where to
     * @param offset where the form starts in it
     */
    public static void write(InetAddress address, Memory memory, int offset) {
        InetAddresses.write(address, 0, memory.buffer(), offset);
    }

    /**
     * Reads an address in the form of {@link AddressForm}.
     *
     * @param memory where from
     * @param offset where the form starts in it
     * @return the address; null if there is none
     */
    public static SocketAddress read(Memory memory, int offset) {
        ByteBuffer buffer = memory.buffer();
        switch (buffer.getInt(offset + AddressForm.FAMILY)) {
            case AddressForm.NONE:
                return null;
            case AddressForm.UNIX:
                return UnixPaths.read(buffer, offset);
            default:
                return InetAddresses.read(buffer, offset);
        }
    }

    /**
     * Checks an address for a socket of the Internet.
     *
     * @param address the address
     * @param family the socket's family
     * @return the address
     * @throws UnsupportedAddressTypeException if it is another kind of address, or one of IPv6 for
     *     a socket of IPv4
     * @throws UnresolvedAddressException if it is a name without an address
     */
    public static InetSocketAddress checkInet(SocketAddress address, int family) {
        Objects.requireNonNull(address);
        if (!(address instanceof InetSocketAddress inet)) {
            throw new UnsupportedAddressTypeException();
        }
        if (inet.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        if (family == AddressForm.IPV4 && !InetAddresses.isIpv4(inet)) {
            throw new UnsupportedAddressTypeException();
        }
        return inet;
    }

    /**
     * Checks an address for a UNIX domain socket.
     *
     * @param address the address
     * @return the address
     * @throws UnsupportedAddressTypeException if it is another kind of address
     */
    public static UnixDomainSocketAddress checkUnix(SocketAddress address) {
        Objects.requireNonNull(address);
        if (address instanceof UnixDomainSocketAddress unix) {
            return unix;
        }
        throw new UnsupportedAddressTypeException();
    }

    /**
     * What a socket of the Internet is bound to if its user does not care.
     *
     * @param family the socket's family
     * @return all addresses of this host, and any port
     */
    public static InetSocketAddress wildcard(int family) {
        return family == AddressForm.IPV4 ? InetAddresses.WILDCARD_4 : InetAddresses.WILDCARD_6;
    }
}
