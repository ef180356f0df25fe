package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Null and malformed arguments of selectors, keys and key sets. */
class SelectorArgumentsTest extends SelectorFixture {
    private SelectionKey key;

    @BeforeEach
    void select() throws IOException {
        key = far.register(selector, OP_WRITE, "attachment");
        assertEquals(1, selector.select());
    }

    @Test
    void selectRefusesNegativeTimeouts() {
        illegal(() -> selector.select(-1));
        illegal(() -> selector.select(Long.MIN_VALUE));
        illegal(() -> selector.select(ignored -> { }, -1));
        illegal(() -> selector.select(ignored -> { }, Long.MIN_VALUE));
    }

    @Test
    void selectRefusesNullActions() {
        refusesNull(() -> selector.select(null));
        refusesNull(() -> selector.select(null, 1));
        refusesNull(() -> selector.select(null, -1));
        refusesNull(() -> selector.selectNow(null));
    }

    @Test
    void registerRefusesANullSelector() {
        refusesNull(() -> near.register(null, OP_READ));
        refusesNull(() -> near.register(null, OP_READ, "attachment"));
        assertFalse(near.isRegistered());
    }

    @Test
    void registerRefusesEveryBitThatIsNoValidOperation() {
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            int ops = 1 << bit;
            if ((ops & near.validOps()) == 0) {
                illegal(() -> near.register(selector, ops));
                illegal(() -> near.register(selector, ops | OP_READ));
                illegal(() -> key.interestOps(ops));
                illegal(() -> key.interestOpsOr(ops));
                assertEquals(OP_WRITE, key.interestOpsAnd(ops | OP_WRITE));
            }
        }
        assertFalse(near.isRegistered());
        assertEquals(OP_WRITE, key.interestOps());
    }

    @Test
    void thereIsNoKeyForANullSelector() throws IOException {
        assertNull(far.keyFor(null));
        try (Selector other = Selector.open()) {
            assertNull(far.keyFor(other));
        }
    }

    @Test
    void attachmentsMayBeNull() throws IOException {
        assertEquals("attachment", key.attach(null));
        assertNull(key.attachment());
        assertNull(near.register(selector, OP_READ, null).attachment());
    }

    @Test
    void theSelectedKeysHandleNullLikeAnySet() {
        Set<SelectionKey> selected = selector.selectedKeys();
        assertFalse(selected.contains(null));
        assertFalse(selected.contains("no key"));
        assertFalse(selected.remove(null));
        refusesNull(() -> selected.containsAll(null));
        refusesNull(() -> selected.removeAll(null));
        refusesNull(() -> selected.retainAll(null));
        refusesNull(() -> selected.forEach(null));
        refusesNull(() -> selected.removeIf((Predicate<SelectionKey>) null));
        refusesNull(() -> selected.toArray((Object[]) null));
        refusesNull(() -> selected.iterator().forEachRemaining(null));
        assertThrows(ArrayStoreException.class, () -> selected.toArray(new String[0]));
        assertEquals(Set.of(key), selected);
    }

    @Test
    void allKeysHandleNullLikeAnySet() {
        Set<SelectionKey> keys = selector.keys();
        assertFalse(keys.contains("no key"));
        refusesNull(() -> keys.containsAll(null));
        refusesNull(() -> keys.forEach(null));
        refusesNull(() -> keys.toArray((Object[]) null));
        assertThrows(ArrayStoreException.class, () -> keys.toArray(new String[0]));
        assertEquals(Set.of(key), keys);
    }

    @Test
    void selectorsKeysAndChannelsAreEqualToThemselvesOnly() throws IOException {
        SelectionKey other = near.register(selector, OP_WRITE);
        assertFalse(key.equals(other) || key.equals(null));
        assertFalse(selector.equals(null));
        assertSame(key, far.keyFor(selector));
        assertEquals(key, far.keyFor(selector));
        assertEquals(key.hashCode(), far.keyFor(selector).hashCode());
    }

    private static void illegal(Executable call) {
        assertThrows(IllegalArgumentException.class, call);
    }

    private static void refusesNull(Executable call) {
        assertThrows(NullPointerException.class, call);
    }
}
