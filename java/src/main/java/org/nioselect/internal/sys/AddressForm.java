package org.nioselect.internal.sys;

/**
 * The form in which socket addresses are in native memory: the same on every system, unlike the
 * system's own, and without an object for each.
 *
 * <p>Four ints in native byte order, then bytes: the family; the port; the scope identifier of an
 * IPv6 address, or 0; the number of bytes; the bytes of the IP address in network order or those
 * of the path. What is beyond the bytes is undefined.
 */
public final class AddressForm {
    /** The size of the form in bytes. */
    public static final int SIZE = 128;

    /** Offset of the family, an int. */
    public static final int FAMILY = 0;
    /** Offset of the port, an int. */
    public static final int PORT = 4;
    /** Offset of the scope identifier, an int. */
    public static final int SCOPE = 8;
    /** Offset of the number of bytes, an int. */
    public static final int LENGTH = 12;
    /** Offset of the bytes. */
    public static final int BYTES = 16;

    /** Family: no address. */
    public static final int NONE = 0;
    /** Family: a path in the file system, or no name. */
    public static final int UNIX = 1;
    /** Family: IPv4. */
    public static final int IPV4 = 4;
    /** Family: IPv6. */
    public static final int IPV6 = 6;

    private AddressForm() {
    }
}
