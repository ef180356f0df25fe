package org.nioselect.internal.selector;

import java.nio.channels.SelectionKey;
import java.util.AbstractSet;
import java.util.Arrays;
import java.util.Collection;
import java.util.ConcurrentModificationException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The selected-key set: an array, and in each key its place there. Adding, finding and removing a
 * key take the same short time whatever the size, and make no garbage. A key that has been removed
 * keeps its former place, where another key is or none.
 *
 * <p>Users can remove but not add. As documented, whoever uses it while others select must
 * synchronize on it; iterators fail fast if that was forgotten.
 */
final class SelectedKeySet extends AbstractSet<SelectionKey> {
    private NioselectSelectionKey[] keys = new NioselectSelectionKey[64];
    private int size;
    private int modifications;

    /** Whether a key of this selector is in the set. */
    boolean has(NioselectSelectionKey key) {
        int place = key.selectedAt;
        return place < size && keys[place] == key;
    }

    /** Adds a key that is not in the set. */
    void append(NioselectSelectionKey key) {
        if (size == keys.length) {
            keys = Arrays.copyOf(keys, 2 * size);
        }
        key.selectedAt = size;
        keys[size++] = key;
        modifications++;
    }

    /** Removes a key. False if it is not in the set. */
    boolean discard(NioselectSelectionKey key) {
        if (!has(key)) {
            return false;
        }
        removeAt(key.selectedAt);
        return true;
    }

    private void removeAt(int place) {
        NioselectSelectionKey last = keys[--size];
        keys[place] = last;
        last.selectedAt = place;
        keys[size] = null;
        modifications++;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public boolean isEmpty() {
        return size == 0;
    }

    // A key of another selector has its place in another set: it is not found here.
    @Override
    public boolean contains(Object object) {
        return object instanceof NioselectSelectionKey key && has(key);
    }

    @Override
    public boolean remove(Object object) {
        return object instanceof NioselectSelectionKey key && discard(key);
    }

    @Override
    public boolean addAll(Collection<? extends SelectionKey> collection) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void clear() {
        Arrays.fill(keys, 0, size, null);
        size = 0;
        modifications++;
    }

    // The inherited one makes an iterator, which is garbage unless the compiler finds it out.
    @Override
    public void forEach(Consumer<? super SelectionKey> action) {
        Objects.requireNonNull(action);
        int expectedModifications = modifications;
        for (int i = size - 1; i >= 0; i--) {
            action.accept(keys[i]);
            if (modifications != expectedModifications) {
                throw new ConcurrentModificationException();
            }
        }
    }

    @Override
    public Iterator<SelectionKey> iterator() {
        return new FromTheEnd();
    }

    /**
     * From the last key to the first: when a key is removed the last one takes its place, which
     * has been visited by then.
     */
    private final class FromTheEnd implements Iterator<SelectionKey> {
        private int next = size;
        private boolean removable;
        private int expectedModifications = modifications;

        @Override
        public boolean hasNext() {
            return next > 0;
        }

        @Override
        public SelectionKey next() {
            ensureUnmodified();
            if (next == 0) {
                throw new NoSuchElementException();
            }
            removable = true;
            return keys[--next];
        }

        @Override
        public void remove() {
            if (!removable) {
                throw new IllegalStateException();
            }
            ensureUnmodified();
            removable = false;
            removeAt(next);
            expectedModifications = modifications;
        }

        private void ensureUnmodified() {
            if (expectedModifications != modifications) {
                throw new ConcurrentModificationException();
            }
        }
    }
}
