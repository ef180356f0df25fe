package org.nioselect.internal.channel;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.IllegalBlockingModeException;
import java.util.Objects;
import org.nioselect.internal.io.Descriptor;
import org.nioselect.internal.io.Lane;
import org.nioselect.internal.io.TimeLimit;
import org.nioselect.internal.io.Transfer;
import org.nioselect.internal.io.VectorTransfer;
import org.nioselect.internal.net.Errors;
import org.nioselect.internal.sys.Descriptors;
import org.nioselect.internal.sys.Errno;
import org.nioselect.internal.sys.Sockets;

/**
 * The direction of a stream in which bytes come in: reading, its end, and a connection that was
 * reset.
 */
final class StreamInput {
    /** The end of input, as the answer of an attempt. No error number is as large. */
    private static final long END = Long.MIN_VALUE;

    private final BlockingChannel channel;
    private final Descriptor descriptor;
    private final Lane lane = new Lane();
    private volatile boolean shut;
    /** The system tells of a reset once; then it says that the input ends. */
    private boolean reset;

    StreamInput(BlockingChannel channel) {
        this.channel = channel;
        this.descriptor = channel.descriptor();
    }

    Lane lane() {
        return lane;
    }

    int read(ByteBuffer dst) throws IOException {
        Objects.requireNonNull(dst);
        return (int) read(dst, null, 0, 0);
    }

    long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, dsts.length);
        return read(null, dsts, offset, length);
    }

    private long read(ByteBuffer one, ByteBuffer[] many, int offset, int length)
            throws IOException {
        lane.lock();
        try {
            channel.ensureUsable();
            return channel.isBlocking()
                    ? readWaiting(one, many, offset, length, TimeLimit.NONE)
                    : readNow(one, many, offset, length);
        } finally {
            lane.unlock();
        }
    }

    /** Reads in blocking mode only. Throws SocketTimeoutException if the time is over. */
    int read(ByteBuffer dst, TimeLimit limit) throws IOException {
        lane.lock();
        try {
            channel.ensureUsable();
            if (!channel.isBlocking()) {
                throw new IllegalBlockingModeException();
            }
            return (int) readWaiting(dst, null, 0, 0, limit);
        } finally {
            lane.unlock();
        }
    }

    private long readNow(ByteBuffer one, ByteBuffer[] many, int offset, int length)
            throws IOException {
        long n;
        channel.enter();
        try {
            n = attempt(one, many, offset, length);
        } finally {
            channel.leave();
        }
        return n == -Errno.EAGAIN ? 0 : result(n);
    }

    private long readWaiting(ByteBuffer one, ByteBuffer[] many, int offset, int length,
            TimeLimit limit) throws IOException {
        long n = -Errno.EAGAIN;
        try {
            channel.beginBlocking();
            if (descriptor.enter()) {
                try {
                    n = attempt(one, many, offset, length);
                    while (n == -Errno.EAGAIN && !limit.isOver()
                            && lane.await(descriptor, Descriptors.READABLE, limit.left())) {
                        n = attempt(one, many, offset, length);
                    }
                } finally {
                    descriptor.leave();
                }
            }
        } finally {
            channel.endBlocking(n > 0);
        }
        return result(n == -Errno.EAGAIN && shut ? END : n);
    }

    private long attempt(ByteBuffer one, ByteBuffer[] many, int offset, int length)
            throws IOException {
        if (shut) {
            return END;
        }
        if (reset) {
            return -Errno.ECONNRESET;
        }
        int fd = descriptor.fd();
        long n;
        if (many != null) {
            if (!VectorTransfer.haveRemaining(many, offset, length)) {
                return 0;
            }
            n = Transfer.read(fd, many, offset, length);
        } else {
            if (one.isReadOnly()) {
                throw new IllegalArgumentException("Read-only buffer");
            }
            if (!one.hasRemaining()) {
                return 0;
            }
            n = Transfer.read(fd, one);
        }
        if (n == Transfer.NOTHING_TO_DO) {
            return 0;
        }
        return n == 0 ? END : n;
    }

    private long result(long n) throws IOException {
        if (n >= 0) {
            return n;
        }
        if (n == END) {
            return -1;
        }
        if (n == -Errno.EAGAIN) {
            throw new SocketTimeoutException("Read timed out");
        }
        if (n == -Errno.ECONNRESET) {
            reset = true;
            throw channel.failed(new SocketException("Connection reset"));
        }
        throw channel.failed(Errors.io((int) -n));
    }

    /** How many bytes of a socket can be read without waiting. */
    int available() throws IOException {
        lane.lock();
        try {
            channel.ensureUsable();
            if (shut || reset) {
                return 0;
            }
            int fd = channel.enter();
            try {
                return Errors.check(Sockets.available(fd));
            } finally {
                channel.leave();
            }
        } finally {
            lane.unlock();
        }
    }

    boolean isShut() {
        return shut;
    }

    /** Ends the input of a socket for good: also for who waits for it. */
    void shutDown() throws IOException {
        channel.ensureUsable();
        int fd = channel.enter();
        try {
            shut = true;
            Errors.check(Sockets.shutdown(fd, Sockets.SHUT_READ));
        } finally {
            channel.leave();
            lane.end();
        }
    }
}
