package org.nioselect.internal.channel;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.util.Objects;
import org.nioselect.internal.io.Datagrams;
import org.nioselect.internal.io.TimeLimit;
import org.nioselect.internal.io.Transfer;
import org.nioselect.internal.io.VectorTransfer;
import org.nioselect.internal.net.Errors;
import org.nioselect.internal.net.TargetCache;
import org.nioselect.internal.sys.Descriptors;
import org.nioselect.internal.sys.Errno;

/**
 * The direction of a datagram channel in which datagrams go out: sending to anybody, writing to
 * the peer. A datagram is sent as a whole or not at all.
 */
final class DatagramOutput extends DatagramDirection {
    private final int family;
    /** Made when it is needed, by who has the turn. */
    private TargetCache targets;

    DatagramOutput(BlockingChannel channel, DatagramEnds ends, int family) {
        super(channel, ends, Descriptors.WRITABLE);
        this.family = family;
    }

    /** Sends to an address that was checked. */
    int send(ByteBuffer src, InetSocketAddress target) throws IOException {
        lane.lock();
        try {
            channel.ensureUsable();
            return sendTo(src, target);
        } finally {
            lane.unlock();
        }
    }

    /** Sends in blocking mode only. */
    void sendBlocking(ByteBuffer src, InetSocketAddress target) throws IOException {
        lane.lock();
        try {
            channel.ensureUsable();
            ensureBlocking();
            sendTo(src, target);
        } finally {
            lane.unlock();
        }
    }

    private int sendTo(ByteBuffer src, InetSocketAddress target) throws IOException {
        InetSocketAddress peer = ends.remote();
        if (peer != null && !peer.equals(target)) {
            throw new AlreadyConnectedException();
        }
        bindIfUnbound();
        if (target.getPort() == 0) {
            throw new SocketException("Can't send to port 0");
        }
        long form = peer == null ? form(target) : Datagrams.NO_ADDRESS;
        long n = channel.isBlocking()
                ? patiently(TimeLimit.NONE, () -> send(src, form))
                : send(src, form);
        if (n < 0 && n != -Errno.EAGAIN && peer == null) {
            throw failure(n, Errors.socket((int) -n));
        }
        return (int) result(n);
    }

    private long form(InetSocketAddress target) {
        if (targets == null) {
            targets = new TargetCache();
        }
        return targets.form(target);
    }

    int write(ByteBuffer src) throws IOException {
        Objects.requireNonNull(src);
        lane.lock();
        try {
            ensureConnected();
            return (int) result(channel.isBlocking()
                    ? patiently(TimeLimit.NONE, () -> sendToPeer(src))
                    : sendToPeer(src));
        } finally {
            lane.unlock();
        }
    }

    long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, srcs.length);
        lane.lock();
        try {
            ensureConnected();
            return result(channel.isBlocking()
                    ? patiently(TimeLimit.NONE, () -> sendToPeer(srcs, offset, length))
                    : sendToPeer(srcs, offset, length));
        } finally {
            lane.unlock();
        }
    }

    private long send(ByteBuffer src, long target) throws ClosedChannelException {
        int fd = channel.enter();
        try {
            long n;
            do {
                n = Datagrams.send(fd, family, src, target);
            } while (isOfFormerPeer(n));
            return n;
        } finally {
            channel.leave();
        }
    }

    // A write of nothing sends nothing, as of other channels; who means a datagram sends it.
    private long sendToPeer(ByteBuffer src) throws ClosedChannelException {
        return src.hasRemaining() ? send(src, Datagrams.NO_ADDRESS) : 0;
    }

    private long sendToPeer(ByteBuffer[] srcs, int offset, int length)
            throws ClosedChannelException {
        if (!VectorTransfer.haveRemaining(srcs, offset, length)) {
            return 0;
        }
        int fd = channel.enter();
        try {
            return Transfer.write(fd, srcs, offset, length);
        } finally {
            channel.leave();
        }
    }
}
