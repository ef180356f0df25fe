package org.nioselect.internal.io;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import org.nioselect.internal.sys.Memory;
import org.nioselect.internal.sys.Sockets;

/**
 * Moves single datagrams between buffers and sockets, each with its address, by the rules of
 * {@link Transfer}; but 0 is an empty datagram, which takes a system call as well.
 */
public final class Datagrams {
    /** Instead of memory for an address. */
    public static final long NO_ADDRESS = 0;

    /** No datagram is as long as that: what is beyond need not be copied to be refused. */
    private static final int TOO_LONG = 64 * 1024;

    private Datagrams() {
    }

    /**
     * Receives a datagram, cut to what remains in the buffer.
     *
     * @param fd a datagram socket
     * @param dst a buffer that is not read-only
     * @param address where the sender's address goes, or {@link #NO_ADDRESS}
     * @return how many bytes, or an error
     */
    public static int receive(int fd, ByteBuffer dst, long address) {
        int position = dst.position();
        int length = Transfer.length(dst, position);
        long memory = Transfer.addressOf(dst, length);
        if (memory == 0) {
            return receiveCopied(fd, dst, position, Math.min(length, TOO_LONG), address);
        }
        try {
            int n = Sockets.receive(fd, memory + position, length, address);
            return Transfer.moved(dst, position, n);
        } finally {
            Reference.reachabilityFence(dst);
        }
    }

    private static int receiveCopied(int fd, ByteBuffer dst, int position, int length,
            long address) {
        if (length > 0) {
            Transfer.touch(dst, position);
        }
        Scratch scratch = Scratch.take(Math.max(1, length));
        try {
            Memory memory = scratch.memory();
            int n = Sockets.receive(fd, memory.address(), length, address);
            if (n > 0) {
                dst.put(position, memory.buffer(), 0, n);
            }
            return Transfer.moved(dst, position, n);
        } finally {
            scratch.release();
        }
    }

    /**
     * Drops a received datagram.
     *
     * @param fd a datagram socket
     * @return 0, or an error
     */
    public static int drop(int fd) {
        Scratch scratch = Scratch.take(1);
        try {
            return Sockets.receive(fd, scratch.memory().address(), 0, NO_ADDRESS);
        } finally {
            scratch.release();
        }
    }

    /**
     * Sends what remains in a buffer as one datagram.
     *
     * @param fd a datagram socket
     * @param family its family
     * @param src a buffer
     * @param address where the receiver's address is, or {@link #NO_ADDRESS} for the peer
     * @return how many bytes, or an error
     */
    public static int send(int fd, int family, ByteBuffer src, long address) {
        int position = src.position();
        int length = Transfer.length(src, position);
        long memory = Transfer.addressOf(src, length);
        if (memory == 0) {
            return sendCopied(fd, family, src, position, Math.min(length, TOO_LONG), address);
        }
        try {
            int n = Sockets.send(fd, family, memory + position, length, address);
            return Transfer.moved(src, position, n);
        } finally {
            Reference.reachabilityFence(src);
        }
    }

    private static int sendCopied(int fd, int family, ByteBuffer src, int position, int length,
            long address) {
        Scratch scratch = Scratch.take(Math.max(1, length));
        try {
            Memory memory = scratch.memory();
            memory.buffer().put(0, src, position, length);
            int n = Sockets.send(fd, family, memory.address(), length, address);
            return Transfer.moved(src, position, n);
        } finally {
            scratch.release();
        }
    }
}
