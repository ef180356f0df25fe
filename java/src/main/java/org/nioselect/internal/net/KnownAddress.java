package org.nioselect.internal.net;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.nioselect.internal.sys.AddressForm;

/**
 * An IP address with its port, as an object and as the numbers that make up its native form: those
 * can be compared and written without an object.
 *
 * @param address the object
 * @param hash where a table has it
 * @param head family, port and scope
 * @param high the first 8 bytes of an IPv6 address
 * @param low the last 8 bytes of an IPv6 address, or all of an IPv4 address
 */
record KnownAddress(InetSocketAddress address, int hash, long head, long high, long low) {
    private static final int PORT_SHIFT = 8;
    private static final int SCOPE_SHIFT = 32;

    static KnownAddress of(InetSocketAddress address, int hash, ByteBuffer form) {
        return new KnownAddress(address, hash, head(form), high(form), low(form));
    }

    static long head(ByteBuffer form) {
        return (long) form.getInt(AddressForm.SCOPE) << SCOPE_SHIFT
                | (long) form.getInt(AddressForm.PORT) << PORT_SHIFT
                | form.getInt(AddressForm.FAMILY);
    }

    static long high(ByteBuffer form) {
        return isIpv6(form.getInt(AddressForm.FAMILY))
                ? form.getLong(AddressForm.BYTES)
                : 0;
    }

    static long low(ByteBuffer form) {
        return isIpv6(form.getInt(AddressForm.FAMILY))
                ? form.getLong(AddressForm.BYTES + Long.BYTES)
                : form.getInt(AddressForm.BYTES);
    }

    private static boolean isIpv6(int family) {
        return family == AddressForm.IPV6;
    }

    boolean is(long head, long high, long low) {
        return this.low == low && this.head == head && this.high == high;
    }

    /** Whether it has the same form: IPv6 addresses are equal even if their scopes differ. */
    boolean is(InetSocketAddress other) {
        return other == address
                || other.equals(address) && InetAddresses.scope(other.getAddress()) == scope();
    }

    private int scope() {
        return (int) (head >>> SCOPE_SHIFT);
    }

    void write(ByteBuffer form) {
        int family = (int) head & (1 << PORT_SHIFT) - 1;
        form.putInt(AddressForm.FAMILY, family);
        form.putInt(AddressForm.PORT, (int) head >>> PORT_SHIFT);
        form.putInt(AddressForm.SCOPE, scope());
        if (isIpv6(family)) {
            form.putInt(AddressForm.LENGTH, 2 * Long.BYTES);
            form.putLong(AddressForm.BYTES, high);
            form.putLong(AddressForm.BYTES + Long.BYTES, low);
        } else {
            form.putInt(AddressForm.LENGTH, Integer.BYTES);
            form.putInt(AddressForm.BYTES, (int) low);
        }
    }
}
