package org.nioselect.internal.sys;

/**
 * The error numbers of this system that the provider tells apart, and their texts.
 *
 * <p>The numbers differ between systems, so they are asked of the native code once; being static
 * and final they cost no more than literals. Native methods return them negated.
 */
public final class Errno {
    static {
        NativeLibrary.load();
    }

    /** No such file or directory. */
    public static final int ENOENT = number("ENOENT");
    /** The call was interrupted by a signal. */
    public static final int EINTR = number("EINTR");
    /** The descriptor is closed. */
    public static final int EBADF = number("EBADF");
    /** It would block. */
    public static final int EAGAIN = number("EAGAIN");
    /** Permission denied. */
    public static final int EACCES = number("EACCES");
    /** Invalid argument. */
    public static final int EINVAL = number("EINVAL");
    /** No descriptor is left for this process. */
    public static final int EMFILE = number("EMFILE");
    /** Nobody reads the other end. */
    public static final int EPIPE = number("EPIPE");
    /** The descriptor is not a socket. */
    public static final int ENOTSOCK = number("ENOTSOCK");
    /** The datagram is too long. */
    public static final int EMSGSIZE = number("EMSGSIZE");
    /** Protocol error. */
    public static final int EPROTO = number("EPROTO");
    /** The option or protocol is not there. */
    public static final int ENOPROTOOPT = number("ENOPROTOOPT");
    /** The socket does not support the operation. */
    public static final int EOPNOTSUPP = number("EOPNOTSUPP");
    /** The system does not have this address family. */
    public static final int EAFNOSUPPORT = number("EAFNOSUPPORT");
    /** The address is in use. */
    public static final int EADDRINUSE = number("EADDRINUSE");
    /** The address is none of this host. */
    public static final int EADDRNOTAVAIL = number("EADDRNOTAVAIL");
    /** The network cannot be reached. */
    public static final int ENETUNREACH = number("ENETUNREACH");
    /** The connection was aborted before it was accepted. */
    public static final int ECONNABORTED = number("ECONNABORTED");
    /** The peer has reset the connection. */
    public static final int ECONNRESET = number("ECONNRESET");
    /** The socket is connected. */
    public static final int EISCONN = number("EISCONN");
    /** The socket is not connected. */
    public static final int ENOTCONN = number("ENOTCONN");
    /** The connection timed out. */
    public static final int ETIMEDOUT = number("ETIMEDOUT");
    /** The peer has refused the connection. */
    public static final int ECONNREFUSED = number("ECONNREFUSED");
    /** The host cannot be reached. */
    public static final int EHOSTUNREACH = number("EHOSTUNREACH");
    /** A connection attempt is pending. */
    public static final int EALREADY = number("EALREADY");
    /** The connection attempt goes on. */
    public static final int EINPROGRESS = number("EINPROGRESS");

    private Errno() {
    }

    private static native int number(String name);

    /**
     * The system's text for an error number.
     *
     * @param errno an error number, not negated
     * @return the text of strerror(3), such as "Broken pipe"
     */
    public static native String text(int errno);
}
