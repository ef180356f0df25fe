package org.nioselect.internal.sys;

/**
 * Membership in multicast groups. Results are 0, or error numbers negated. Addresses are in the
 * form that {@link AddressForm} describes; the port and the scope do not matter.
 */
public final class MulticastCalls {
    static {
        NativeLibrary.load();
    }

    /** To join a group, of one source or of all. */
    public static final int JOIN = 0;
    /** To leave a group, of one source or of all. */
    public static final int LEAVE = 1;
    /** Not to receive from a source any more. */
    public static final int BLOCK = 2;
    /** To receive from a blocked source again. */
    public static final int UNBLOCK = 3;

    private MulticastCalls() {
    }

    /**
     * Changes a membership.
     *
     * @param fd a datagram socket
     * @param action {@link #JOIN}, {@link #LEAVE}, {@link #BLOCK} or {@link #UNBLOCK}
     * @param group the group, whose family decides which stack of an IPv6 socket is meant
     * @param interfaceIndex the index of the network interface
     * @param source the source, or 0 for all sources
     * @return 0
     */
    public static native int change(int fd, int action, long group, int interfaceIndex,
            long source);
}
