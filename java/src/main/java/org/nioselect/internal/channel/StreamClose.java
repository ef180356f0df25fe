package org.nioselect.internal.channel;

import org.nioselect.internal.sys.SocketOptionCalls;
import org.nioselect.internal.sys.Sockets;

/**
 * What a connected socket does when its channel is closed while others use it: selectors, or
 * threads that are blocked.
 *
 * <p>Its number can be closed only when they have let go of it, which selectors do in their next
 * selections. The peer must not wait for that, so the end of the output is sent at once; unless
 * the connection is to be reset, which closing the number does.
 */
final class StreamClose {
    private StreamClose() {
    }

    // A failure would be of a connection that has ended: there is nothing left to do then.
    static void endOutput(int fd, int family) {
        long linger = SocketOptionCalls.get(fd, family, SocketOptionCalls.SO_LINGER);
        if ((int) linger > 0) {
            // Whoever lets go last would have to wait.
            SocketOptionCalls.set(fd, family, SocketOptionCalls.SO_LINGER, -1);
        }
        if ((int) linger != 0) {
            Sockets.shutdown(fd, Sockets.SHUT_WRITE);
        }
    }
}
