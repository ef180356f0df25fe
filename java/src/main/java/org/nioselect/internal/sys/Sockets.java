package org.nioselect.internal.sys;

/**
 * System calls on sockets of all kinds. Results are not negative, or error numbers negated.
 *
 * <p>Addresses are passed in native memory, in the form that {@link AddressForm} describes. The
 * parameter {@code family} is always the socket's: an IPv6 socket takes and gives IPv4 addresses
 * too.
 */
public final class Sockets {
    static {
        NativeLibrary.load();
    }

    /** A stream socket. */
    public static final int STREAM = 0;
    /** A stream socket that will listen. */
    public static final int LISTENER = 1;
    /** A datagram socket. */
    public static final int DATAGRAM = 2;

    /** To shut down reading. */
    public static final int SHUT_READ = 0;
    /** To shut down writing. */
    public static final int SHUT_WRITE = 1;
    /** To shut down both. */
    public static final int SHUT_BOTH = 2;

    private Sockets() {
    }

    /**
     * Opens a socket, non-blocking and closed on exec, with the options that java.nio demands of
     * a new one.
     *
     * @param family {@link AddressForm#IPV4}, {@link AddressForm#IPV6} or {@link AddressForm#UNIX}
     * @param type {@link #STREAM}, {@link #LISTENER} or {@link #DATAGRAM}
     * @return its descriptor
     */
    public static native int open(int family, int type);

    /**
     * Whether sockets of a family can be opened on this system.
     *
     * @param family {@link AddressForm#IPV4}, {@link AddressForm#IPV6} or {@link AddressForm#UNIX}
     * @return 1 or 0
     */
    public static native int isAvailable(int family);

    /**
     * bind(2).
     *
     * @param fd a socket
     * @param family its family
     * @param address the address
     * @return 0
     */
    public static native int bind(int fd, int family, long address);

    /**
     * listen(2).
     *
     * @param fd a socket
     * @param backlog at most how many connections wait to be accepted
     * @return 0
     */
    public static native int listen(int fd, int backlog);

    /**
     * connect(2), also of datagram sockets.
     *
     * @param fd a socket
     * @param family its family
     * @param address the address
     * @return 0, or among others {@link Errno#EINPROGRESS} negated
     */
    public static native int connect(int fd, int family, long address);

    /**
     * Dissolves the association of a datagram socket with its peer.
     *
     * @param fd a datagram socket
     * @param family its family
     * @return 0
     */
    public static native int disconnect(int fd, int family);

    /**
     * Takes the pending error off a socket (SO_ERROR).
     *
     * @param fd a socket
     * @return 0, or the pending error negated
     */
    public static native int takeError(int fd);

    /**
     * accept(2): the new socket is non-blocking and closed on exec. A connection that was aborted
     * while it waited is passed over.
     *
     * @param fd a listening socket
     * @param address where to put the peer's address
     * @return the new socket
     */
    public static native int accept(int fd, long address);

    /**
     * shutdown(2). That the peer has gone already is no error.
     *
     * @param fd a socket
     * @param how {@link #SHUT_READ}, {@link #SHUT_WRITE} or {@link #SHUT_BOTH}
     * @return 0
     */
    public static native int shutdown(int fd, int how);

    /**
     * getsockname(2).
     *
     * @param fd a socket
     * @param address where to put the address
     * @return 0
     */
    public static native int localAddress(int fd, long address);

    /**
     * getpeername(2).
     *
     * @param fd a socket
     * @param address where to put the address
     * @return 0
     */
    public static native int remoteAddress(int fd, long address);

    /**
     * Sends one byte of urgent data.
     *
     * @param fd a stream socket
     * @param data the byte, in the lowest 8 bits
     * @return 1
     */
    public static native int sendUrgent(int fd, int data);

    /**
     * How many bytes can be read without waiting (FIONREAD).
     *
     * @param fd a socket
     * @return the number of bytes
     */
    public static native int available(int fd);

    /**
     * recvfrom(2): receives one datagram, cut to the given length.
     *
     * @param fd a datagram socket
     * @param memory where to put it
     * @param length at most how many bytes, possibly 0
     * @param address where to put the sender's address, or 0
     * @return how many bytes
     */
    public static native int receive(int fd, long memory, int length, long address);

    /**
     * sendto(2): sends one datagram.
     *
     * @param fd a datagram socket
     * @param family its family
     * @param memory where the bytes are
     * @param length how many bytes, possibly 0
     * @param address whom to, or 0 for the peer of a connected socket
     * @return how many bytes
     */
    public static native int send(int fd, int family, long memory, int length, long address);

    /**
     * What kind of socket a descriptor is that this process was started with.
     *
     * @param fd a descriptor
     * @param memory where to put four ints: the family as in {@link AddressForm}, or 0 for others;
     *     {@link #STREAM}, {@link #LISTENER} or {@link #DATAGRAM}; 1 if it is connected, else 0;
     *     0
     * @return 0, or among others {@link Errno#ENOTSOCK} or {@link Errno#EBADF} negated
     */
    public static native int inspect(int fd, long memory);

    /**
     * A copy of a descriptor with another number, non-blocking and closed on exec.
     *
     * @param fd a descriptor
     * @return the copy
     */
    public static native int duplicate(int fd);

    /**
     * Puts the null device in place of a standard stream, in one step: nothing that is opened at
     * the same time can get its number.
     *
     * @param fd an open descriptor
     * @return 0
     */
    public static native int replaceByNull(int fd);

    /**
     * The credentials of the peer of a UNIX domain socket.
     *
     * @param fd a connected UNIX domain socket
     * @param memory where to put two ints: the user's and the group's number
     * @return 0
     */
    public static native int peerCredentials(int fd, long memory);

    /**
     * The name of a user.
     *
     * @param uid the user's number
     * @return the name; the number in digits if it has none
     */
    public static native String userName(int uid);

    /**
     * The name of a group.
     *
     * @param gid the group's number
     * @return the name; the number in digits if it has none
     */
    public static native String groupName(int gid);
}
