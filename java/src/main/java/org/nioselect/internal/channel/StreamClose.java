package org.nioselect.internal.channel;

import org.nioselect.internal.io.Descriptor;
import org.nioselect.internal.sys.SocketOptionCalls;
import org.nioselect.internal.sys.Sockets;

/**
 * What a connected socket does when its channel is closed while it is registered.
 *
 * <p>Its number can be closed only when the selectors have let go of it, which they do in their
 * next selections. The peer must not wait for that, so the end of the output is sent at once;
 * unless the connection is to be reset, which closing the number does.
 */
final class StreamClose {
    private StreamClose() {
    }

    static void beforeDeregistration(Descriptor descriptor, int family) {
        if (descriptor.enter()) {
            try {
                endOutput(descriptor.fd(), family);
            } finally {
                descriptor.leave();
            }
        }
    }

    // A failure would be of a connection that has ended: there is nothing left to do then.
    private static void endOutput(int fd, int family) {
        long linger = SocketOptionCalls.get(fd, family, SocketOptionCalls.SO_LINGER);
        if ((int) linger > 0) {
            // The selecting thread would have to wait.
            SocketOptionCalls.set(fd, family, SocketOptionCalls.SO_LINGER, -1);
        }
        if ((int) linger != 0) {
            Sockets.shutdown(fd, Sockets.SHUT_WRITE);
        }
    }
}
