package org.nioselect.internal.net;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.nioselect.internal.sys.AddressForm;

/**
 * IP addresses with ports in the form of {@link AddressForm}.
 */
final class InetAddresses {
    private static final int IPV4_BYTES = 4;
    private static final int IPV6_BYTES = 16;

    static final InetSocketAddress WILDCARD_4 =
            new InetSocketAddress(of(new byte[IPV4_BYTES], 0), 0);
    static final InetSocketAddress WILDCARD_6 =
            new InetSocketAddress(of(new byte[IPV6_BYTES], 0), 0);

    private static final InetAddress LOOPBACK_4 = of(new byte[] {127, 0, 0, 1}, 0);

    private InetAddresses() {
    }

    static boolean isIpv4(InetSocketAddress address) {
        return address.getAddress() instanceof Inet4Address;
    }

    static void write(InetSocketAddress address, ByteBuffer buffer, int offset) {
        write(address.getAddress(), address.getPort(), buffer, offset);
    }

    static void write(InetAddress address, int port, ByteBuffer buffer, int offset) {
        byte[] bytes = address.getAddress();
        int scope = scope(address);
        buffer.putInt(offset + AddressForm.FAMILY,
                bytes.length == IPV4_BYTES ? AddressForm.IPV4 : AddressForm.IPV6);
        buffer.putInt(offset + AddressForm.PORT, port);
        buffer.putInt(offset + AddressForm.SCOPE, scope);
        buffer.putInt(offset + AddressForm.LENGTH, bytes.length);
        buffer.put(offset + AddressForm.BYTES, bytes);
    }

    /**
     * Where to send what is for an address: an IPv6 socket takes the wildcard of IPv4 for that of
     * its own family, where an IPv4 socket does not receive.
     */
    static InetAddress target(InetAddress address) {
        return address.equals(WILDCARD_4.getAddress()) ? LOOPBACK_4 : address;
    }

    static int scope(InetAddress address) {
        return address instanceof Inet6Address inet6 ? inet6.getScopeId() : 0;
    }

    static InetSocketAddress read(ByteBuffer buffer, int offset) {
        byte[] bytes = new byte[buffer.getInt(offset + AddressForm.LENGTH)];
        buffer.get(offset + AddressForm.BYTES, bytes);
        int scope = buffer.getInt(offset + AddressForm.SCOPE);
        return new InetSocketAddress(of(bytes, scope), buffer.getInt(offset + AddressForm.PORT));
    }

    private static InetAddress of(byte[] bytes, int scope) {
        try {
            // An explicit scope of 0 would be one, and be printed.
            return scope == 0
                    ? InetAddress.getByAddress(bytes)
                    : Inet6Address.getByAddress(null, bytes, scope);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("Not the length of an IP address", e);
        }
    }
}
