package org.nioselect.internal.sys;

/**
 * getsockopt(2) and setsockopt(2), with options by numbers of our own.
 *
 * <p>A value is an int: a flag is 0 or 1; {@link #SO_LINGER} is -1 for off; an interface is its
 * index, 0 for none. On an IPv6 socket the options of IP act on both stacks. Results are not
 * negative (but the value -1), or error numbers negated.
 */
public final class SocketOptionCalls {
    static {
        NativeLibrary.load();
    }

    /** {@link java.net.StandardSocketOptions#SO_SNDBUF}. */
    public static final int SO_SNDBUF = 0;
    /** {@link java.net.StandardSocketOptions#SO_RCVBUF}. */
    public static final int SO_RCVBUF = 1;
    /** {@link java.net.StandardSocketOptions#SO_KEEPALIVE}. */
    public static final int SO_KEEPALIVE = 2;
    /** {@link java.net.StandardSocketOptions#SO_REUSEADDR}. */
    public static final int SO_REUSEADDR = 3;
    /** {@link java.net.StandardSocketOptions#SO_REUSEPORT}. */
    public static final int SO_REUSEPORT = 4;
    /** {@link java.net.StandardSocketOptions#SO_BROADCAST}. */
    public static final int SO_BROADCAST = 5;
    /** {@link java.net.StandardSocketOptions#SO_LINGER}. */
    public static final int SO_LINGER = 6;
    /** {@link java.net.StandardSocketOptions#TCP_NODELAY}. */
    public static final int TCP_NODELAY = 7;
    /** {@link java.net.StandardSocketOptions#IP_TOS}. */
    public static final int IP_TOS = 8;
    /** {@link java.net.StandardSocketOptions#IP_MULTICAST_IF}, by index. */
    public static final int IP_MULTICAST_IF = 9;
    /** {@link java.net.StandardSocketOptions#IP_MULTICAST_TTL}. */
    public static final int IP_MULTICAST_TTL = 10;
    /** {@link java.net.StandardSocketOptions#IP_MULTICAST_LOOP}. */
    public static final int IP_MULTICAST_LOOP = 11;
    /** Urgent data in line. */
    public static final int SO_OOBINLINE = 12;
    /** {@code jdk.net.ExtendedSocketOptions.TCP_QUICKACK}. */
    public static final int TCP_QUICKACK = 13;
    /** {@code jdk.net.ExtendedSocketOptions.TCP_KEEPIDLE}. */
    public static final int TCP_KEEPIDLE = 14;
    /** {@code jdk.net.ExtendedSocketOptions.TCP_KEEPINTERVAL}. */
    public static final int TCP_KEEPINTERVAL = 15;
    /** {@code jdk.net.ExtendedSocketOptions.TCP_KEEPCOUNT}. */
    public static final int TCP_KEEPCOUNT = 16;
    /** {@code jdk.net.ExtendedSocketOptions.SO_INCOMING_NAPI_ID}, which can only be read. */
    public static final int SO_INCOMING_NAPI_ID = 17;
    /** {@code jdk.net.ExtendedSocketOptions.IP_DONTFRAGMENT}. */
    public static final int IP_DONTFRAGMENT = 18;
    /** For how many milliseconds sent data may be unacknowledged. */
    public static final int TCP_USER_TIMEOUT = 19;
    /** How much unsent data makes a socket not writable. */
    public static final int TCP_NOTSENT_LOWAT = 20;
    /** For how many microseconds to poll the device. */
    public static final int SO_BUSY_POLL = 21;
    /** How many connections may be opened by data in the first segment. */
    public static final int TCP_FASTOPEN = 22;
    /** The processor on which the last packet came in. */
    public static final int SO_INCOMING_CPU = 23;

    private SocketOptionCalls() {
    }

    /**
     * Whether this system has an option.
     *
     * @param option one of the constants of this class
     * @return 1 or 0
     */
    public static native int isAvailable(int option);

    /**
     * Reads an option.
     *
     * @param fd a socket
     * @param family its family
     * @param option one of the constants of this class
     * @return the value in the lower half of a number that is not negative, or a negated error
     *     number
     */
    public static native long get(int fd, int family, int option);

    /**
     * Sets an option.
     *
     * @param fd a socket
     * @param family its family
     * @param option one of the constants of this class
     * @param value the value
     * @return 0
     */
    public static native int set(int fd, int family, int option, int value);
}
