package org.nioselect.internal.net;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.ProtocolException;
import java.net.SocketException;
import org.nioselect.internal.sys.Errno;

/**
 * Exceptions for the error numbers of the system, with the classes that the JDK's channels throw.
 *
 * <p>Applications tell errors apart by class and message; some want exactly {@code IOException}
 * with "Broken pipe" or "Connection reset by peer" from a write.
 */
public final class Errors {
    private Errors() {
    }

    /**
     * For reading and writing, and all else that is not about sockets alone.
     *
     * @param errno an error number, not negated
     * @return a plain exception with the system's text
     */
    public static IOException io(int errno) {
        return new IOException(Errno.text(errno));
    }

    /**
     * For what is done to sockets: open, bind, connect, options, addresses.
     *
     * @param errno an error number, not negated
     * @return the exception
     */
    public static IOException socket(int errno) {
        String text = Errno.text(errno);
        if (errno == Errno.EPROTO) {
            return new ProtocolException(text);
        }
        if (errno == Errno.ECONNREFUSED || errno == Errno.ETIMEDOUT || errno == Errno.ENOTCONN) {
            return new ConnectException(text);
        }
        if (errno == Errno.EHOSTUNREACH) {
            return new NoRouteToHostException(text);
        }
        if (errno == Errno.EADDRINUSE || errno == Errno.EADDRNOTAVAIL || errno == Errno.EACCES) {
            return new BindException(text);
        }
        return new SocketException(text);
    }

    /**
     * Checks the answer of a native method on a socket.
     *
     * @param answer a result, or an error number negated
     * @return the result
     * @throws IOException as {@link #socket} if it is an error
     */
    public static int check(int answer) throws IOException {
        if (answer < 0) {
            throw socket(-answer);
        }
        return answer;
    }
}
