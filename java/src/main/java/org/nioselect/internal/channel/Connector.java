package org.nioselect.internal.channel;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.NoConnectionPendingException;
import java.util.concurrent.locks.LockSupport;
import org.nioselect.internal.io.Descriptor;
import org.nioselect.internal.io.Lane;
import org.nioselect.internal.io.TimeLimit;
import org.nioselect.internal.net.Errors;
import org.nioselect.internal.net.SocketAddresses;
import org.nioselect.internal.sys.AddressForm;
import org.nioselect.internal.sys.Descriptors;
import org.nioselect.internal.sys.Errno;
import org.nioselect.internal.sys.Sockets;

/**
 * How a stream socket gets connected: at once, while others wait, or later.
 *
 * <p>The caller has its turn in both directions. A failure leaves the channel to be closed.
 */
final class Connector {
    private static final long SHORTEST_PAUSE = 100_000;
    private static final long LONGEST_PAUSE = 10_000_000;

    private static final byte[] LOOPBACK_4 = {127, 0, 0, 1};
    private static final byte[] LOOPBACK_6 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

    private final BlockingChannel channel;
    private final Descriptor descriptor;
    private final int family;
    private final Connection connection;
    private final Lane lane;

    /** Waits in the given lane. */
    Connector(BlockingChannel channel, int family, Connection connection, Lane lane) {
        this.channel = channel;
        this.descriptor = channel.descriptor();
        this.family = family;
        this.connection = connection;
        this.lane = lane;
    }

    /** Checks an address, and gives the one to connect to: for the wildcard, this host. */
    SocketAddress check(SocketAddress remote) throws IOException {
        if (family == AddressForm.UNIX) {
            return SocketAddresses.checkUnix(remote);
        }
        InetSocketAddress inet = SocketAddresses.checkInet(remote, family);
        InetAddress address = inet.getAddress();
        if (!address.isAnyLocalAddress()) {
            return inet;
        }
        boolean four = address.getAddress().length == LOOPBACK_4.length;
        return new InetSocketAddress(
                InetAddress.getByAddress(four ? LOOPBACK_4 : LOOPBACK_6), inet.getPort());
    }

    /** Starts to connect. False if the connection is pending now, in non-blocking mode. */
    boolean connect(SocketAddress remote, TimeLimit limit) throws IOException {
        connection.ensureConnectable();
        if (channel.isBlocking()) {
            connectWaiting(remote, limit);
            return true;
        }
        channel.enter();
        try {
            return start(remote);
        } finally {
            channel.leave();
        }
    }

    private void connectWaiting(SocketAddress remote, TimeLimit limit) throws IOException {
        boolean connected = false;
        try {
            channel.beginBlocking();
            if (descriptor.enter()) {
                try {
                    connected = start(remote) || awaitEnd(limit);
                } finally {
                    descriptor.leave();
                }
            }
        } finally {
            channel.endBlocking(connected);
        }
        if (!connected) {
            throw new SocketTimeoutException("Connect timed out");
        }
    }

    private boolean start(SocketAddress remote) throws IOException {
        connection.pending(remote);
        int answer = call(remote);
        if (answer == -Errno.EAGAIN && family == AddressForm.UNIX && channel.isBlocking()) {
            answer = repeat(remote);
        }
        if (answer == -Errno.EINPROGRESS) {
            return false;
        }
        Errors.check(answer);
        established();
        return true;
    }

    /**
     * Waits for a place in the queue of a UNIX domain listener. No event tells of it, and the
     * socket is not pending until there is one: it has to call again and again. For the same
     * reason a full queue is a failure in non-blocking mode.
     */
    private int repeat(SocketAddress remote) throws IOException {
        long pause = SHORTEST_PAUSE;
        int answer = -Errno.EAGAIN;
        while (answer == -Errno.EAGAIN && !descriptor.isClosing()) {
            LockSupport.parkNanos(pause);
            pause = Math.min(2 * pause, LONGEST_PAUSE);
            answer = call(remote);
        }
        return answer;
    }

    private int call(SocketAddress remote) throws IOException {
        // The system finds fault with the argument; to users this is one more unused name.
        if (family == AddressForm.UNIX && !LocalNames.isName(remote)) {
            return -Errno.ECONNREFUSED;
        }
        return AddressCalls.connect(descriptor.fd(), family, remote);
    }

    /** Tries to end what is pending. False if it goes on, in non-blocking mode. */
    boolean finish() throws IOException {
        if (connection.isConnected()) {
            return true;
        }
        if (!connection.isPending()) {
            throw new NoConnectionPendingException();
        }
        if (channel.isBlocking()) {
            finishWaiting();
            return true;
        }
        channel.enter();
        try {
            return checkEnd();
        } finally {
            channel.leave();
        }
    }

    private void finishWaiting() throws IOException {
        boolean connected = false;
        try {
            channel.beginBlocking();
            if (descriptor.enter()) {
                try {
                    connected = awaitEnd(TimeLimit.NONE);
                } finally {
                    descriptor.leave();
                }
            }
        } finally {
            channel.endBlocking(connected);
        }
    }

    private boolean awaitEnd(TimeLimit limit) throws IOException {
        boolean connected = checkEnd();
        while (!connected && !limit.isOver()
                && lane.await(descriptor, Descriptors.WRITABLE, limit.left())) {
            connected = checkEnd();
        }
        return connected;
    }

    private boolean checkEnd() throws IOException {
        int fd = descriptor.fd();
        if (!AddressCalls.isConnected(fd)) {
            Errors.check(Sockets.takeError(fd));
            return false;
        }
        established();
        return true;
    }

    private void established() throws IOException {
        SocketAddress local = AddressCalls.local(descriptor.fd());
        connection.connected(local, connection.remote());
        channel.registrations().kindChanged();
    }
}
