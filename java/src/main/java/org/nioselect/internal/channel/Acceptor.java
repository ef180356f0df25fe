package org.nioselect.internal.channel;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SocketChannel;
import org.nioselect.internal.io.Descriptor;
import org.nioselect.internal.io.Lane;
import org.nioselect.internal.io.Scratch;
import org.nioselect.internal.io.TimeLimit;
import org.nioselect.internal.net.Errors;
import org.nioselect.internal.net.SocketAddresses;
import org.nioselect.internal.sys.AddressForm;
import org.nioselect.internal.sys.Descriptors;
import org.nioselect.internal.sys.Errno;
import org.nioselect.internal.sys.Memory;
import org.nioselect.internal.sys.Sockets;

/**
 * How a listener accepts connections. The caller has the turn in the lane.
 */
final class Acceptor {
    private final NioselectServerSocketChannel channel;
    private final Descriptor descriptor;
    private final int family;
    private final Lane lane;

    Acceptor(NioselectServerSocketChannel channel, int family, Lane lane) {
        this.channel = channel;
        this.descriptor = channel.descriptor();
        this.family = family;
        this.lane = lane;
    }

    /** Gives null if there is no connection. */
    SocketChannel acceptNow() throws IOException {
        Scratch scratch = Scratch.take(AddressForm.SIZE);
        try {
            Memory peer = scratch.memory();
            int fd = channel.enter();
            int accepted;
            try {
                accepted = Sockets.accept(fd, peer.address());
            } finally {
                channel.leave();
            }
            return accepted == -Errno.EAGAIN ? null : result(accepted, peer);
        } finally {
            scratch.release();
        }
    }

    SocketChannel acceptWaiting(TimeLimit limit) throws IOException {
        Scratch scratch = Scratch.take(AddressForm.SIZE);
        try {
            Memory peer = scratch.memory();
            int accepted = -Errno.EAGAIN;
            try {
                channel.beginBlocking();
                if (descriptor.enter()) {
                    try {
                        accepted = await(peer.address(), limit);
                    } finally {
                        descriptor.leave();
                    }
                }
            } finally {
                end(accepted);
            }
            return result(accepted, peer);
        } finally {
            scratch.release();
        }
    }

    private int await(long peer, TimeLimit limit) throws IOException {
        int accepted = Sockets.accept(descriptor.fd(), peer);
        while (accepted == -Errno.EAGAIN && !limit.isOver()
                && lane.await(descriptor, Descriptors.READABLE, limit.left())) {
            accepted = Sockets.accept(descriptor.fd(), peer);
        }
        return accepted;
    }

    /** An interrupted thread gets an exception instead of the connection. */
    private void end(int accepted) throws AsynchronousCloseException {
        try {
            channel.endBlocking(accepted >= 0);
        } catch (AsynchronousCloseException e) {
            if (accepted >= 0) {
                Descriptors.close(accepted);
            }
            throw e;
        }
    }

    private SocketChannel result(int accepted, Memory peer) throws IOException {
        if (accepted == -Errno.EAGAIN) {
            throw new SocketTimeoutException("Accept timed out");
        }
        if (accepted < 0) {
            throw channel.failed(Errors.io(-accepted));
        }
        Descriptor owned = new Descriptor(accepted);
        try {
            return new NioselectSocketChannel(channel.provider(), family, owned,
                    SocketAddresses.read(peer, 0));
        } catch (Throwable e) {
            owned.close();
            throw e;
        }
    }
}
