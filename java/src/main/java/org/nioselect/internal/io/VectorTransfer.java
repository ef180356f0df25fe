package org.nioselect.internal.io;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.nioselect.internal.sys.Descriptors;
import org.nioselect.internal.sys.Memory;
import org.nioselect.internal.sys.Spares;

/**
 * One scattering read or gathering write: a list of pieces of memory for the kernel, and room for
 * the bytes that are copied. Kept for reuse.
 *
 * <p>Copied buffers that follow each other make one piece. The buffers are also kept in an array
 * of our own while the kernel uses their memory, for the caller's array can be changed meanwhile.
 */
public final class VectorTransfer {
    /** At most so many buffers take part, as the kernel does not take more pieces. */
    public static final int MOST_BUFFERS = 1024;

    private static final int WORD = "32".equals(System.getProperty("sun.arch.data.model")) ? 4 : 8;
    private static final int NOTHING = 0;
    private static final int ROOM = MOST_BUFFERS * 2 * WORD;
    private static final Spares<VectorTransfer> SPARES = new Spares<>();

    private final Memory memory = new Memory(Scratch.LARGEST);
    private final ByteBuffer[] buffers = new ByteBuffer[MOST_BUFFERS];
    /** For each buffer, where in our memory the bytes will be that are to be copied into it. */
    private final int[] deliveries = new int[MOST_BUFFERS];
    /** How many bytes of each buffer, or for it, the kernel may take or give. */
    private final int[] lengths = new int[MOST_BUFFERS];
    private int count;
    private int pieces;
    private int used;
    private boolean lastIsOurs;

    private VectorTransfer() {
    }

    static VectorTransfer take() {
        VectorTransfer spare = SPARES.take();
        return spare != null ? spare : new VectorTransfer();
    }

    void release() {
        Arrays.fill(buffers, 0, count, null);
        SPARES.keep(this);
    }

    /**
     * How many buffers take part in one transfer.
     *
     * @param all buffers
     * @param offset the index of the first one
     * @param length how many there are
     * @return how many of them, so that not more than {@link #MOST_BUFFERS} have something
     *     remaining
     */
    public static int participants(ByteBuffer[] all, int offset, int length) {
        int nonEmpty = 0;
        for (int i = 0; i < length; i++) {
            if (all[offset + i].hasRemaining()) {
                nonEmpty++;
                if (nonEmpty == MOST_BUFFERS) {
                    return i + 1;
                }
            }
        }
        return length;
    }

    /**
     * Whether there is anything to transfer.
     *
     * @param all buffers
     * @param offset the index of the first one
     * @param length how many there are
     * @return whether one of them has something remaining
     */
    public static boolean haveRemaining(ByteBuffer[] all, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            if (all[i].hasRemaining()) {
                return true;
            }
        }
        return false;
    }

    long read(int fd, ByteBuffer[] dsts, int offset, int length) {
        start();
        for (int i = offset; i < offset + length && hasRoom(); i++) {
            addDestination(dsts[i]);
        }
        if (pieces == 0) {
            return Transfer.NOTHING_TO_DO;
        }
        long n = Descriptors.readv(fd, memory.address(), pieces);
        if (!finish(n)) {
            throw new BufferOverflowException();
        }
        return n;
    }

    long write(int fd, ByteBuffer[] srcs, int offset, int length) {
        start();
        for (int i = offset; i < offset + length && hasRoom(); i++) {
            addSource(srcs[i]);
        }
        if (pieces == 0) {
            return 0;
        }
        long n = Descriptors.writev(fd, memory.address(), pieces);
        finish(n);
        return n;
    }

    private void start() {
        count = 0;
        pieces = 0;
        used = ROOM;
        lastIsOurs = false;
    }

    private boolean hasRoom() {
        return count < MOST_BUFFERS && used < memory.size();
    }

    private void addDestination(ByteBuffer buffer) {
        if (buffer.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
        int position = buffer.position();
        int length = Transfer.length(buffer, position);
        if (length > 0 && !addAsItIs(buffer, position, length)) {
            Transfer.touch(buffer, position);
            int copied = Math.min(length, memory.size() - used);
            add(buffer, used, copied);
            reserve(copied);
        }
    }

    private void addSource(ByteBuffer buffer) {
        int position = buffer.position();
        int length = Transfer.length(buffer, position);
        if (length > 0 && !addAsItIs(buffer, position, length)) {
            int copied = Math.min(length, memory.size() - used);
            memory.buffer().put(used, buffer, position, copied);
            add(buffer, NOTHING, copied);
            reserve(copied);
        }
    }

    private boolean addAsItIs(ByteBuffer buffer, int position, int length) {
        long address = Transfer.addressOf(buffer, length);
        if (address == 0) {
            return false;
        }
        add(buffer, NOTHING, length);
        addPiece(address + position, length);
        lastIsOurs = false;
        return true;
    }

    private void add(ByteBuffer buffer, int delivery, int length) {
        buffers[count] = buffer;
        lengths[count] = length;
        deliveries[count] = delivery;
        count++;
    }

    private void reserve(int length) {
        if (lastIsOurs) {
            putWord(2 * pieces - 1, word(2 * pieces - 1) + length);
        } else {
            addPiece(memory.address() + used, length);
            lastIsOurs = true;
        }
        used += length;
    }

    private void addPiece(long address, int length) {
        putWord(2 * pieces, address);
        putWord(2 * pieces + 1, length);
        pieces++;
    }

    /**
     * After the transfer of n bytes: delivers those that were read by way of our memory. False if
     * a buffer has no room for its bytes any more, such as one that is in the list twice.
     */
    private boolean finish(long n) {
        boolean complete = true;
        long left = n;
        for (int i = 0; i < count && left > 0; i++) {
            ByteBuffer buffer = buffers[i];
            int position = buffer.position();
            int length = (int) Math.min(lengths[i], left);
            int moved = Math.min(length, Transfer.length(buffer, position));
            if (deliveries[i] != NOTHING) {
                buffer.put(position, memory.buffer(), deliveries[i], moved);
            }
            buffer.position(position + moved);
            complete &= moved == length;
            left -= length;
        }
        return complete;
    }

    private long word(int index) {
        int at = index * WORD;
        return WORD == 4
                ? Integer.toUnsignedLong(memory.buffer().getInt(at))
                : memory.buffer().getLong(at);
    }

    private void putWord(int index, long value) {
        int at = index * WORD;
        if (WORD == 4) {
            memory.buffer().putInt(at, (int) value);
        } else {
            memory.buffer().putLong(at, value);
        }
    }
}
