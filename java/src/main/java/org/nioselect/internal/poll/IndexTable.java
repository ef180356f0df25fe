package org.nioselect.internal.poll;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * What is registered with a poller, by small numbers that events carry. Used by one thread at a
 * time.
 *
 * @param <T> what is registered
 */
public final class IndexTable<T> {
    private Object[] entries = new Object[16];
    /** Free indices below {@link #fresh}; a stack. */
    private int[] free = new int[16];
    private int freeCount;
    /** Indices from here on have never been used. */
    private int fresh;

    /** An empty table. */
    public IndexTable() {
    }

    /**
     * Puts something in.
     *
     * @param entry what to put in
     * @return its index
     */
    public int add(T entry) {
        int index = freeCount > 0 ? free[--freeCount] : fresh++;
        if (index == entries.length) {
            entries = Arrays.copyOf(entries, 2 * index);
        }
        entries[index] = entry;
        return index;
    }

    /**
     * Takes something out. Its index will be given to another.
     *
     * @param index the index of an entry
     */
    public void remove(int index) {
        entries[index] = null;
        if (freeCount == free.length) {
            free = Arrays.copyOf(free, 2 * freeCount);
        }
        free[freeCount++] = index;
    }

    /**
     * Looks something up.
     *
     * @param index an index
     * @return the entry, or null if there is none
     */
    @SuppressWarnings("unchecked")
    public T get(int index) {
        return (T) entries[index];
    }

    /**
     * Goes through all entries.
     *
     * @param action what to do with each
     */
    public void forEach(Consumer<? super T> action) {
        for (int index = 0; index < fresh; index++) {
            T entry = get(index);
            if (entry != null) {
                action.accept(entry);
            }
        }
    }
}
