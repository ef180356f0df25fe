package org.nioselect.internal.channel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.util.Objects;
import org.nioselect.internal.io.Descriptor;
import org.nioselect.internal.io.Lane;
import org.nioselect.internal.io.Transfer;
import org.nioselect.internal.io.VectorTransfer;
import org.nioselect.internal.net.Errors;
import org.nioselect.internal.sys.Descriptors;
import org.nioselect.internal.sys.Errno;
import org.nioselect.internal.sys.Sockets;

/**
 * The direction of a stream in which bytes go out: writing, and its end.
 *
 * <p>A write in blocking mode is complete, or it throws: also if the channel is closed or the
 * direction shut down when a part is written. The buffers' positions tell how much that is.
 */
final class StreamOutput {
    private final BlockingChannel channel;
    private final Descriptor descriptor;
    private final Lane lane = new Lane();
    private volatile boolean shut;

    StreamOutput(BlockingChannel channel) {
        this.channel = channel;
        this.descriptor = channel.descriptor();
    }

    Lane lane() {
        return lane;
    }

    int write(ByteBuffer src) throws IOException {
        Objects.requireNonNull(src);
        return (int) write(src, null, 0, 0);
    }

    long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, srcs.length);
        return write(null, srcs, offset, length);
    }

    private long write(ByteBuffer one, ByteBuffer[] many, int offset, int length)
            throws IOException {
        lane.lock();
        try {
            ensureWritable();
            return channel.isBlocking()
                    ? writeWaiting(one, many, offset, length)
                    : writeNow(one, many, offset, length);
        } finally {
            lane.unlock();
        }
    }

    /** Writes all, in blocking mode only. */
    void writeFully(ByteBuffer src) throws IOException {
        lane.lock();
        try {
            ensureWritable();
            if (!channel.isBlocking()) {
                throw new IllegalBlockingModeException();
            }
            writeWaiting(src, null, 0, 0);
        } finally {
            lane.unlock();
        }
    }

    private void ensureWritable() throws ClosedChannelException {
        channel.ensureUsable();
        if (shut) {
            throw new ClosedChannelException();
        }
    }

    private long writeNow(ByteBuffer one, ByteBuffer[] many, int offset, int length)
            throws IOException {
        long n = 0;
        channel.enter();
        try {
            if (haveRemaining(one, many, offset, length)) {
                n = attempt(one, many, offset, length);
            }
        } finally {
            channel.leave();
        }
        return n == -Errno.EAGAIN ? 0 : result(n);
    }

    private long writeWaiting(ByteBuffer one, ByteBuffer[] many, int offset, int length)
            throws IOException {
        int participants = many == null ? 0 : VectorTransfer.participants(many, offset, length);
        long n = -Errno.EAGAIN;
        try {
            channel.beginBlocking();
            if (descriptor.enter()) {
                try {
                    n = writeAll(one, many, offset, participants);
                } finally {
                    descriptor.leave();
                }
            }
        } finally {
            channel.endBlocking(n >= 0);
        }
        return result(n);
    }

    private long writeAll(ByteBuffer one, ByteBuffer[] many, int offset, int length)
            throws IOException {
        long written = 0;
        while (haveRemaining(one, many, offset, length)) {
            long n = attempt(one, many, offset, length);
            if (n >= 0) {
                written += n;
            } else if (n != -Errno.EAGAIN
                    || !lane.await(descriptor, Descriptors.WRITABLE, Lane.FOREVER)) {
                return n;
            }
        }
        return written;
    }

    private long attempt(ByteBuffer one, ByteBuffer[] many, int offset, int length) {
        return many == null
                ? Transfer.write(descriptor.fd(), one)
                : Transfer.write(descriptor.fd(), many, offset, length);
    }

    private static boolean haveRemaining(ByteBuffer one, ByteBuffer[] many, int offset,
            int length) {
        return many == null
                ? one.hasRemaining()
                : VectorTransfer.haveRemaining(many, offset, length);
    }

    private long result(long n) throws IOException {
        if (n >= 0) {
            return n;
        }
        if (shut) {
            throw new AsynchronousCloseException();
        }
        throw channel.failed(Errors.io((int) -n));
    }

    /** Sends one byte of urgent data to a socket. */
    void sendUrgent(int data) throws IOException {
        lane.lock();
        try {
            ensureWritable();
            if (channel.isBlocking()) {
                sendUrgentWaiting(data);
            } else {
                sendUrgentNow(data);
            }
        } finally {
            lane.unlock();
        }
    }

    private void sendUrgentNow(int data) throws IOException {
        int fd = channel.enter();
        try {
            int n = Sockets.sendUrgent(fd, data);
            if (n == -Errno.EAGAIN) {
                throw new IOException("Socket buffer full");
            }
            result(n);
        } finally {
            channel.leave();
        }
    }

    private void sendUrgentWaiting(int data) throws IOException {
        int n = -Errno.EAGAIN;
        try {
            channel.beginBlocking();
            if (descriptor.enter()) {
                try {
                    n = Sockets.sendUrgent(descriptor.fd(), data);
                    while (n == -Errno.EAGAIN
                            && lane.await(descriptor, Descriptors.WRITABLE, Lane.FOREVER)) {
                        n = Sockets.sendUrgent(descriptor.fd(), data);
                    }
                } finally {
                    descriptor.leave();
                }
            }
        } finally {
            channel.endBlocking(n >= 0);
        }
        result(n);
    }

    boolean isShut() {
        return shut;
    }

    /** Ends the output to a socket for good, and the write that waits. */
    void shutDown() throws IOException {
        channel.ensureUsable();
        int fd = channel.enter();
        try {
            shut = true;
            Errors.check(Sockets.shutdown(fd, Sockets.SHUT_WRITE));
        } finally {
            channel.leave();
            lane.end();
        }
    }
}
