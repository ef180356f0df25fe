package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.nioselect.support.Providers;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** The set of all keys, {@code keys()}. */
class KeySetTest extends SelectorFixture {
    private static final int ROUNDS = 2_000;
    /** The JDK's own provider of Java 17 has the defect that JDK-8287580 tells of. */
    private static final int DEFECTIVE = 17;

    @Test
    void itIsTheSameObjectEachTime() throws IOException {
        Set<SelectionKey> keys = selector.keys();
        assertTrue(keys.isEmpty());
        far.register(selector, OP_READ);
        assertSame(keys, selector.keys());
    }

    @Test
    void itShowsRegisteredKeys() throws IOException {
        Set<SelectionKey> keys = selector.keys();
        SelectionKey first = far.register(selector, OP_READ);
        SelectionKey second = near.register(selector, OP_READ);
        assertEquals(Set.of(first, second), keys);
        assertEquals(2, keys.size());
        assertTrue(keys.contains(first));
        assertTrue(keys.containsAll(List.of(first, second)));
    }

    @Test
    void itDoesNotContainKeysOfOtherSelectors() throws IOException {
        try (Selector other = Selector.open()) {
            SelectionKey foreign = far.register(other, OP_READ);
            assertFalse(selector.keys().contains(foreign));
            assertFalse(selector.keys().containsAll(List.of(foreign)));
        }
    }

    @Test
    void itCannotBeModified() throws IOException {
        SelectionKey key = far.register(selector, OP_READ);
        Set<SelectionKey> keys = selector.keys();
        refused(() -> keys.add(key));
        refused(() -> keys.addAll(List.of(key)));
        refused(() -> keys.remove(key));
        refused(() -> keys.removeAll(List.of(key)));
        refused(() -> keys.retainAll(List.of()));
        refused(() -> keys.removeIf(k -> true));
        refused(keys::clear);
        Iterator<SelectionKey> iterator = keys.iterator();
        iterator.next();
        refused(iterator::remove);
        assertEquals(Set.of(key), keys);
    }

    @Test
    @SuppressWarnings({"rawtypes", "unchecked"})
    void itRefusesAdditionsOfAnyTypeThroughTheRawType() {
        Set keys = selector.keys();
        refused(() -> keys.add("no key"));
        refused(() -> keys.addAll(List.of("no key")));
    }

    @Test
    void itIsNoLongerToBeHadOnceTheSelectorIsClosed() throws IOException {
        selector.close();
        assertThrows(ClosedSelectorException.class, () -> selector.keys());
    }

    @Test
    void itsIteratorsBearRegistrationAndCancellation() throws IOException {
        SelectionKey cancelled = far.register(selector, OP_READ);
        Iterator<SelectionKey> iterator = selector.keys().iterator();
        near.register(selector, OP_READ);
        cancelled.cancel();
        selector.selectNow();
        while (iterator.hasNext()) {
            assertNotNull(iterator.next());
        }
    }

    @Test
    void itIsSafeToIterateWhileOtherThreadsRegisterAndCancel() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        Task<Void> churn = Threads.run(() -> {
            for (int i = 0; i < ROUNDS; i++) {
                far.register(selector, OP_READ).cancel();
                selector.selectNow();
            }
            over.set(true);
        });
        near.register(selector, 0);
        while (!over.get() && !churn.done()) {
            for (SelectionKey key : selector.keys()) {
                assertSame(selector, key.selector());
            }
            assertFalse(Arrays.asList(selector.keys().toArray()).contains(null));
        }
        churn.join();
    }

    @Test
    void aKeyAppearsOnlyWhenItIsComplete() throws Exception {
        assumeTrue(Providers.ours() || Providers.javaRelease() > DEFECTIVE);
        AtomicBoolean over = new AtomicBoolean();
        Task<Void> canceller = Threads.run(() -> {
            while (!over.get()) {
                selector.keys().forEach(SelectionKey::cancel);
            }
        });
        for (int i = 0; i < ROUNDS; i++) {
            try (DatagramChannel channel = DatagramChannel.open()) {
                channel.configureBlocking(false);
                channel.register(selector, OP_READ | OP_WRITE);
            }
            selector.selectNow();
        }
        over.set(true);
        canceller.join();
    }

    private static void refused(Executable change) {
        assertThrows(UnsupportedOperationException.class, change);
    }
}
