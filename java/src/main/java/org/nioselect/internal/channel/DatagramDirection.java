package org.nioselect.internal.channel;

import java.io.IOException;
import java.net.PortUnreachableException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NotYetConnectedException;
import org.nioselect.internal.io.Lane;
import org.nioselect.internal.io.TimeLimit;
import org.nioselect.internal.net.Errors;
import org.nioselect.internal.sys.Errno;

/**
 * What receiving and sending datagrams have in common.
 */
abstract class DatagramDirection {
    final BlockingChannel channel;
    final DatagramEnds ends;
    final Lane lane = new Lane();
    private final int readiness;

    /** What is done again and again until it would no longer block. */
    interface Attempt {
        /** Gives the answer of a system call. */
        long make() throws IOException;
    }

    DatagramDirection(BlockingChannel channel, DatagramEnds ends, int readiness) {
        this.channel = channel;
        this.ends = ends;
        this.readiness = readiness;
    }

    Lane lane() {
        return lane;
    }

    final void ensureConnected() throws ClosedChannelException {
        channel.ensureUsable();
        if (ends.remote() == null) {
            throw new NotYetConnectedException();
        }
    }

    final void ensureBlocking() {
        if (!channel.isBlocking()) {
            throw new IllegalBlockingModeException();
        }
    }

    /** Any address of this host will do for who uses an unbound socket. */
    final void bindIfUnbound() throws IOException {
        if (ends.local() == null) {
            channel.enter();
            try {
                ends.bindIfUnbound();
            } finally {
                channel.leave();
            }
        }
    }

    /**
     * Makes the attempt until it does not block any more, the time is over or the channel is
     * closed.
     */
    final long patiently(TimeLimit limit, Attempt attempt) throws IOException {
        long n = -Errno.EAGAIN;
        try {
            channel.beginBlocking();
            channel.enter();
            try {
                n = attempt.make();
                while (n == -Errno.EAGAIN && !limit.isOver()
                        && lane.await(channel.descriptor(), readiness, limit.left())) {
                    n = attempt.make();
                }
            } finally {
                channel.leave();
            }
        } finally {
            channel.endBlocking(n >= 0);
        }
        return n;
    }

    /** That nobody has the port is told once. After a disconnect it concerns nobody. */
    final boolean isOfFormerPeer(long n) {
        return n == -Errno.ECONNREFUSED && ends.remote() == null;
    }

    /** How many bytes were moved to or from the peer: 0 also if none could be. */
    final long result(long n) throws IOException {
        if (n >= 0) {
            return n;
        }
        if (n == -Errno.EAGAIN) {
            return 0;
        }
        throw failure(n, Errors.io((int) -n));
    }

    final IOException failure(long n, IOException usual) {
        return channel.failed(n == -Errno.ECONNREFUSED ? new PortUnreachableException() : usual);
    }
}
