package org.nioselect.internal.io;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import org.nioselect.internal.sys.Descriptors;
import org.nioselect.internal.sys.Memory;

/**
 * Moves bytes between buffers and descriptors, with one system call each.
 *
 * <p>The kernel reaches a large direct buffer itself. The bytes of others are copied: of those on
 * the heap, which the garbage collector moves; of small ones, for which asking for the address
 * costs more; and of those over memory segments, whose memory may be freed meanwhile.
 *
 * <p>Answers are those of native methods: the number of bytes, by which the buffers' positions
 * have moved on; 0 at the end of input; or an error number negated. A read of nothing has an
 * answer of its own, {@link #NOTHING_TO_DO}.
 */
public final class Transfer {
    /**
     * The answer of a read that finds no room at all: another thread has filled the buffers
     * meanwhile. No error number is as large.
     */
    public static final int NOTHING_TO_DO = Integer.MIN_VALUE;

    /** Direct buffers are copied up to this size. */
    private static final int SMALL = 1024;

    private Transfer() {
    }

    /**
     * Reads into a buffer.
     *
     * @param fd a descriptor
     * @param dst a buffer that is not read-only and has something remaining
     * @return how many bytes, 0 at the end, {@link #NOTHING_TO_DO}, or an error
     */
    public static int read(int fd, ByteBuffer dst) {
        int position = dst.position();
        int length = length(dst, position);
        if (length == 0) {
            return NOTHING_TO_DO;
        }
        long address = addressOf(dst, length);
        if (address == 0) {
            return readCopied(fd, dst, position, Math.min(length, Scratch.LARGEST));
        }
        try {
            int n = Descriptors.read(fd, address + position, length);
            return moved(dst, position, n);
        } finally {
            Reference.reachabilityFence(dst);
        }
    }

    private static int readCopied(int fd, ByteBuffer dst, int position, int length) {
        touch(dst, position);
        Scratch scratch = Scratch.take(length);
        try {
            Memory memory = scratch.memory();
            int n = Descriptors.read(fd, memory.address(), length);
            if (n > 0) {
                dst.put(position, memory.buffer(), 0, n);
            }
            return moved(dst, position, n);
        } finally {
            scratch.release();
        }
    }

    /**
     * Writes from a buffer.
     *
     * @param fd a descriptor
     * @param src a buffer
     * @return how many bytes, or an error
     */
    public static int write(int fd, ByteBuffer src) {
        int position = src.position();
        int length = length(src, position);
        if (length == 0) {
            return 0;
        }
        long address = addressOf(src, length);
        if (address == 0) {
            return writeCopied(fd, src, position, Math.min(length, Scratch.LARGEST));
        }
        try {
            int n = Descriptors.write(fd, address + position, length);
            return moved(src, position, n);
        } finally {
            Reference.reachabilityFence(src);
        }
    }

    private static int writeCopied(int fd, ByteBuffer src, int position, int length) {
        Scratch scratch = Scratch.take(length);
        try {
            Memory memory = scratch.memory();
            memory.buffer().put(0, src, position, length);
            int n = Descriptors.write(fd, memory.address(), length);
            return moved(src, position, n);
        } finally {
            scratch.release();
        }
    }

    /**
     * Reads into several buffers, of which not more than {@link VectorTransfer#MOST_BUFFERS} are
     * filled.
     *
     * @param fd a descriptor
     * @param dsts buffers
     * @param offset the index of the first one
     * @param length how many buffers, of which one has something remaining
     * @return how many bytes, 0 at the end, {@link #NOTHING_TO_DO}, or an error
     * @throws IllegalArgumentException if one of them is read-only
     */
    public static long read(int fd, ByteBuffer[] dsts, int offset, int length) {
        VectorTransfer transfer = VectorTransfer.take();
        try {
            return transfer.read(fd, dsts, offset, length);
        } finally {
            transfer.release();
        }
    }

    /**
     * Writes from several buffers, of which not more than {@link VectorTransfer#MOST_BUFFERS} are
     * emptied.
     *
     * @param fd a descriptor
     * @param srcs buffers
     * @param offset the index of the first one
     * @param length how many buffers
     * @return how many bytes, or an error
     */
    public static long write(int fd, ByteBuffer[] srcs, int offset, int length) {
        VectorTransfer transfer = VectorTransfer.take();
        try {
            return transfer.write(fd, srcs, offset, length);
        } finally {
            transfer.release();
        }
    }

    /**
     * How much remains. Position and limit are read once each, so that the range is within the
     * memory even if another thread changes them at the same time.
     */
    static int length(ByteBuffer buffer, int position) {
        return Math.max(0, buffer.limit() - position);
    }

    /** The address of the byte at index 0, or 0 if the bytes are to be copied. */
    static long addressOf(ByteBuffer buffer, int length) {
        return length > SMALL && buffer.isDirect() ? Memory.addressOf(buffer) : 0;
    }

    /**
     * Throws what the buffer throws if its memory is freed or belongs to another thread: before
     * bytes are taken from the descriptor that could not be delivered.
     */
    static void touch(ByteBuffer buffer, int position) {
        buffer.get(position);
    }

    /** Moves a buffer's position on, unless the answer is an error. */
    static int moved(ByteBuffer buffer, int position, int n) {
        if (n > 0) {
            buffer.position(position + n);
        }
        return n;
    }
}
