package org.nioselect.internal.adaptor;

import java.io.IOException;
import org.nioselect.internal.net.Errors;
import org.nioselect.internal.net.Families;
import org.nioselect.internal.sys.Descriptors;
import org.nioselect.internal.sys.Sockets;

/**
 * Guards the initialization of what the JDK has beneath its own datagram sockets.
 *
 * <p>Some Java versions open descriptors in it. Were none left just then, the class would be
 * unusable for the life of the JVM, and with it every {@link java.net.DatagramSocket}.
 */
final class JdkInitialization {
    /** Far more descriptors than it takes, as other threads open some at the same time. */
    private static final int ROOM = 16;

    private static volatile boolean done;

    private JdkInitialization() {
    }

    /**
     * To be called before a datagram socket of the JDK is opened.
     *
     * @throws IOException if it would be the first one and few descriptors are left
     */
    static void demandRoom() throws IOException {
        if (!done) {
            open(ROOM, Families.standard());
        }
    }

    /** To be called after a datagram socket of the JDK was opened. */
    static void succeeded() {
        done = true;
    }

    /** Opens so many descriptors at once, and closes them. */
    private static void open(int count, int family) throws IOException {
        int fd = Errors.check(Sockets.open(family, Sockets.DATAGRAM));
        try {
            if (count > 1) {
                open(count - 1, family);
            }
        } finally {
            Descriptors.close(fd);
        }
    }
}
