package org.nioselect.internal.io;

import org.nioselect.internal.sys.Memory;
import org.nioselect.internal.sys.Spares;

/**
 * Native memory for the time of one system call, kept for reuse.
 *
 * <p>Sizes are powers of two, with spares for each.
 */
public final class Scratch {
    /** The largest size that is kept. */
    public static final int LARGEST = 128 * 1024;

    private static final int SMALLEST_SHIFT = 12;
    private static final int LARGEST_SHIFT = Integer.numberOfTrailingZeros(LARGEST);
    private static final Spares<Scratch>[] SPARES = spares();

    private final Memory memory;

    private Scratch(int size) {
        memory = new Memory(size);
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static Spares<Scratch>[] spares() {
        Spares<Scratch>[] all = new Spares[LARGEST_SHIFT - SMALLEST_SHIFT + 1];
        for (int i = 0; i < all.length; i++) {
            all[i] = new Spares<>();
        }
        return all;
    }

    /**
     * Takes a piece of memory, whose contents are undefined.
     *
     * @param size how many bytes are needed
     * @return a piece of at least that size, to be {@linkplain #release released}
     */
    public static Scratch take(int size) {
        int shift = shiftFor(size);
        if (shift > LARGEST_SHIFT) {
            return new Scratch(size);
        }
        Scratch spare = SPARES[shift - SMALLEST_SHIFT].take();
        return spare != null ? spare : new Scratch(1 << shift);
    }

    private static int shiftFor(int size) {
        return Math.max(SMALLEST_SHIFT, Integer.SIZE - Integer.numberOfLeadingZeros(size - 1));
    }

    /**
     * The memory, in whose buffer position and limit enclose everything.
     *
     * @return the memory
     */
    public Memory memory() {
        return memory;
    }

    /** Gives the memory back. */
    public void release() {
        int shift = shiftFor(memory.size());
        if (shift <= LARGEST_SHIFT) {
            memory.buffer().clear();
            SPARES[shift - SMALLEST_SHIFT].keep(this);
        }
    }
}
