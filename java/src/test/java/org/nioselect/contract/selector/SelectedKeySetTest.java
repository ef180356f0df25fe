package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The set of selected keys, {@code selectedKeys()}, with two keys in it. */
class SelectedKeySetTest extends SelectorFixture {
    private SelectionKey first;
    private SelectionKey second;
    private Set<SelectionKey> selected;

    @BeforeEach
    void selectBoth() throws IOException {
        first = near.register(selector, OP_WRITE);
        second = far.register(selector, OP_WRITE);
        assertEquals(2, selector.select());
        selected = selector.selectedKeys();
    }

    @Test
    void itIsTheSameObjectEachTime() throws IOException {
        selector.selectNow();
        assertSame(selected, selector.selectedKeys());
        assertNotSame(selected, selector.keys());
    }

    @Test
    void itContainsWhatWasSelected() {
        assertEquals(2, selected.size());
        assertFalse(selected.isEmpty());
        assertTrue(selected.contains(first));
        assertTrue(selected.containsAll(List.of(first, second)));
        assertFalse(selected.contains(null));
        assertFalse(selected.containsAll(List.of("no key")));
    }

    @Test
    void itEqualsAnySetOfTheSameKeys() {
        Set<SelectionKey> copy = new HashSet<>(selected);
        assertEquals(Set.of(first, second), copy);
        assertEquals(copy, selected);
        assertTrue(selected.equals(copy));
        assertFalse(selected.equals(Set.of(first)));
        assertEquals(copy.hashCode(), selected.hashCode());
    }

    @Test
    void itCanBeCopiedToArrays() {
        assertEquals(Set.of(first, second), Set.of(selected.toArray()));
        assertEquals(Set.of(first, second), Set.of(selected.toArray(new SelectionKey[0])));
        SelectionKey[] longer = {first, first, first};
        assertSame(longer, selected.toArray(longer));
        assertEquals(null, longer[2]);
    }

    @Test
    void everyWayOfLookingAtItShowsTheSameKeys() {
        List<SelectionKey> byIterator = new ArrayList<>();
        selected.forEach(byIterator::add);
        assertEquals(selected, new HashSet<>(byIterator));
        assertArrayEquals(byIterator.toArray(), selected.toArray());
        assertArrayEquals(byIterator.toArray(), selected.stream().toArray());
    }

    @Test
    void keysCanBeRemoved() {
        assertTrue(selected.remove(first));
        assertFalse(selected.remove(first));
        assertFalse(selected.remove(null));
        assertFalse(selected.remove("no key"));
        assertEquals(Set.of(second), selected);
    }

    @Test
    void keysCanBeRemovedThroughTheIterator() {
        Iterator<SelectionKey> iterator = selected.iterator();
        SelectionKey removed = iterator.next();
        iterator.remove();
        assertFalse(selected.contains(removed));
        SelectionKey kept = iterator.next();
        assertFalse(iterator.hasNext());
        assertEquals(Set.of(kept), selected);
    }

    @Test
    void allKeysCanBeRemovedThroughTheIterator() throws IOException {
        for (Iterator<SelectionKey> i = selected.iterator(); i.hasNext(); i.remove()) {
            i.next();
        }
        assertTrue(selected.isEmpty());
        assertEquals(2, selector.selectNow());
    }

    @Test
    void keysCanBeRemovedInBulk() throws IOException {
        assertTrue(selected.removeAll(List.of(first)));
        assertEquals(Set.of(second), selected);
        assertTrue(selected.retainAll(List.of(first)));
        assertTrue(selected.isEmpty());

        assertEquals(2, selector.selectNow());
        assertTrue(selected.removeIf(key -> key == second));
        assertEquals(Set.of(first), selected);
        selected.clear();
        assertTrue(selected.isEmpty());
    }

    @Test
    void bulkRemovalsTellWhetherTheyChangedAnything() {
        assertFalse(selected.removeAll(List.of()));
        assertFalse(selected.retainAll(List.of(first, second)));
        assertFalse(selected.removeIf(key -> false));
        assertEquals(2, selected.size());
    }

    @Test
    void removedKeysAreSelectedAgainWhenReady() throws IOException {
        selected.remove(first);
        assertEquals(1, selector.select());
        assertEquals(Set.of(first, second), selected);
    }

    @Test
    void removalLeavesTheReadySetAndTheKeyAlone() {
        selected.remove(first);
        assertTrue(first.isValid());
        assertEquals(OP_WRITE, first.readyOps());
    }

    @Test
    void keysCannotBeAdded() {
        selected.remove(first);
        refused(() -> selected.add(first));
        refused(() -> selected.addAll(List.of(first)));
        assertEquals(Set.of(second), selected);
    }

    @Test
    @SuppressWarnings({"rawtypes", "unchecked"})
    void nothingCanBeAddedThroughTheRawType() {
        Set raw = selected;
        refused(() -> raw.add(new Object()));
        refused(() -> raw.add(null));
        refused(() -> raw.addAll(List.of("no key")));
    }

    @Test
    void iteratorsFailFastAfterAnyOtherRemoval() {
        Iterator<SelectionKey> iterator = selected.iterator();
        SelectionKey key = iterator.next();
        selected.remove(key);
        assertThrows(ConcurrentModificationException.class, iterator::next);
        assertThrows(ConcurrentModificationException.class, iterator::remove);
    }

    @Test
    void iteratorsFailFastAfterASelectionThatAddedKeys() throws IOException {
        selected.remove(first);
        Iterator<SelectionKey> iterator = selected.iterator();
        assertEquals(1, selector.selectNow());
        assertThrows(ConcurrentModificationException.class, iterator::next);
    }

    @Test
    void iteratorsBearASelectionThatAddedNothing() throws IOException {
        Iterator<SelectionKey> iterator = selected.iterator();
        iterator.next();
        assertEquals(0, selector.selectNow());
        iterator.next();
        assertFalse(iterator.hasNext());
    }

    @Test
    void iteratorsBearTheCancellationOfKeys() {
        Iterator<SelectionKey> iterator = selected.iterator();
        iterator.next().cancel();
        iterator.next().cancel();
        iterator.remove();
        assertEquals(1, selected.size());
    }

    @Test
    void iteratorsHaveAnEnd() {
        Iterator<SelectionKey> iterator = selected.iterator();
        iterator.next();
        iterator.next();
        assertThrows(NoSuchElementException.class, iterator::next);
        iterator.remove();
        assertEquals(1, selected.size());
    }

    @Test
    void iteratorsRemoveOnlyWhatTheyHaveReturnedAndOnlyOnce() {
        Iterator<SelectionKey> iterator = selected.iterator();
        assertThrows(IllegalStateException.class, iterator::remove);
        iterator.next();
        iterator.remove();
        assertThrows(IllegalStateException.class, iterator::remove);
        assertEquals(1, selected.size());
    }

    @Test
    void iteratorsInUseAtOnceDoNotDisturbEachOther() {
        int pairs = 0;
        for (SelectionKey outer : selected) {
            for (SelectionKey inner : selected) {
                pairs += outer == inner ? 1 : 10;
            }
        }
        assertEquals(22, pairs);
    }

    @Test
    void anIteratorLeftHalfWayDoesNotDisturbTheNext() {
        selected.iterator().next();
        Iterator<SelectionKey> iterator = selected.iterator();
        iterator.next();
        iterator.next();
        assertFalse(iterator.hasNext());
    }

    @Test
    void itIsNoLongerToBeHadOnceTheSelectorIsClosed() throws IOException {
        selector.close();
        assertThrows(ClosedSelectorException.class, () -> selector.selectedKeys());
    }

    private static void refused(Executable change) {
        assertThrows(UnsupportedOperationException.class, change);
    }
}
