package org.nioselect.internal.channel;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import org.nioselect.internal.io.Datagrams;
import org.nioselect.internal.io.TimeLimit;
import org.nioselect.internal.io.Transfer;
import org.nioselect.internal.io.VectorTransfer;
import org.nioselect.internal.net.Errors;
import org.nioselect.internal.net.SenderCache;
import org.nioselect.internal.sys.Descriptors;
import org.nioselect.internal.sys.Errno;

/**
 * The direction of a datagram channel in which datagrams come in: receiving from anybody, reading
 * from the peer. What a datagram has more than the buffers have room for is lost.
 */
final class DatagramInput extends DatagramDirection {
    /** Made when it is needed, by who has the turn. */
    private SenderCache senders;

    DatagramInput(BlockingChannel channel, DatagramEnds ends) {
        super(channel, ends, Descriptors.READABLE);
    }

    /** Gives the sender, or null if there is no datagram in non-blocking mode. */
    InetSocketAddress receive(ByteBuffer dst) throws IOException {
        checkWritable(dst);
        lane.lock();
        try {
            prepareToReceive();
            long n = channel.isBlocking()
                    ? patiently(TimeLimit.NONE, () -> receive(dst, senders.form()))
                    : receive(dst, senders.form());
            return n == -Errno.EAGAIN ? null : sender(n);
        } finally {
            lane.unlock();
        }
    }

    /** Receives in blocking mode only. Throws SocketTimeoutException if the time is over. */
    InetSocketAddress receive(ByteBuffer dst, TimeLimit limit) throws IOException {
        lane.lock();
        try {
            prepareToReceive();
            ensureBlocking();
            long n = patiently(limit, () -> receive(dst, senders.form()));
            if (n == -Errno.EAGAIN) {
                throw new SocketTimeoutException("Receive timed out");
            }
            return sender(n);
        } finally {
            lane.unlock();
        }
    }

    private void prepareToReceive() throws IOException {
        channel.ensureUsable();
        bindIfUnbound();
        if (senders == null) {
            senders = new SenderCache();
        }
    }

    private InetSocketAddress sender(long n) throws IOException {
        if (n < 0) {
            throw failure(n, Errors.socket((int) -n));
        }
        return senders.sender();
    }

    int read(ByteBuffer dst) throws IOException {
        Objects.requireNonNull(dst);
        lane.lock();
        try {
            ensureConnected();
            checkWritable(dst);
            return (int) result(channel.isBlocking()
                    ? patiently(TimeLimit.NONE, () -> receiveFromPeer(dst))
                    : receiveFromPeer(dst));
        } finally {
            lane.unlock();
        }
    }

    long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, dsts.length);
        lane.lock();
        try {
            ensureConnected();
            return result(channel.isBlocking()
                    ? patiently(TimeLimit.NONE, () -> receiveFromPeer(dsts, offset, length))
                    : receiveFromPeer(dsts, offset, length));
        } finally {
            lane.unlock();
        }
    }

    private static void checkWritable(ByteBuffer dst) {
        if (dst.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
    }

    private long receive(ByteBuffer dst, long sender) throws ClosedChannelException {
        int fd = channel.enter();
        try {
            long n;
            do {
                n = Datagrams.receive(fd, dst, sender);
            } while (isOfFormerPeer(n));
            return n;
        } finally {
            channel.leave();
        }
    }

    // A read of nothing is done at once, as of other channels, and takes no datagram.
    private long receiveFromPeer(ByteBuffer dst) throws ClosedChannelException {
        return dst.hasRemaining() ? receive(dst, Datagrams.NO_ADDRESS) : 0;
    }

    private long receiveFromPeer(ByteBuffer[] dsts, int offset, int length)
            throws ClosedChannelException {
        if (!VectorTransfer.haveRemaining(dsts, offset, length)) {
            return 0;
        }
        int fd = channel.enter();
        try {
            long n = Transfer.read(fd, dsts, offset, length);
            return n == Transfer.NOTHING_TO_DO ? 0 : n;
        } finally {
            channel.leave();
        }
    }

    /** Drops what has come in so far, for which a user of the descriptor has the turn. */
    void dropAll() {
        int n;
        do {
            n = Datagrams.drop(channel.descriptor().fd());
        } while (n >= 0 || n == -Errno.ECONNREFUSED);
    }
}
