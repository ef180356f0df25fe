package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;
import org.nioselect.support.Providers;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** Cancelled keys: invalid at once, gone with the next selection. */
class CancelTest extends SelectorFixture {
    private static final int RACES = 500;

    @Test
    void aCancelledKeyIsInvalidAtOnceButStaysUntilTheNextSelection() throws IOException {
        SelectionKey key = far.register(selector, OP_WRITE);
        selector.select();
        key.cancel();

        assertFalse(key.isValid());
        assertEquals(Set.of(key), selector.keys());
        assertEquals(Set.of(key), selector.selectedKeys());
        assertSame(key, far.keyFor(selector));
        assertTrue(far.isRegistered());
    }

    @Test
    void theNextSelectionRemovesItEverywhere() throws IOException {
        SelectionKey key = far.register(selector, OP_WRITE);
        selector.select();
        key.cancel();

        assertEquals(0, selector.selectNow());
        assertTrue(selector.keys().isEmpty());
        assertTrue(selector.selectedKeys().isEmpty());
        assertNull(far.keyFor(selector));
        assertFalse(far.isRegistered());
        assertTrue(far.isOpen());
    }

    @Test
    void everyFormOfSelectRemovesIt() throws IOException {
        far.register(selector, OP_READ).cancel();
        selector.select(1);
        assertNull(far.keyFor(selector));

        far.register(selector, OP_READ).cancel();
        selector.wakeup().select();
        assertNull(far.keyFor(selector));

        far.register(selector, OP_READ).cancel();
        selector.selectNow(key -> { });
        assertNull(far.keyFor(selector));
    }

    @Test
    void cancellingAgainDoesNothing() throws IOException {
        SelectionKey key = far.register(selector, OP_READ);
        key.cancel();
        key.cancel();
        selector.selectNow();
        SelectionKey next = far.register(selector, OP_READ);
        key.cancel();
        selector.selectNow();
        assertTrue(next.isValid());
        assertEquals(Set.of(next), selector.keys());
    }

    @Test
    void theChannelCannotBeRegisteredAgainBeforeThatSelection() throws IOException {
        far.register(selector, OP_READ).cancel();
        assertThrows(CancelledKeyException.class, () -> far.register(selector, OP_READ));
    }

    @Test
    void theChannelGetsANewKeyAfterThatSelection() throws IOException {
        SelectionKey old = far.register(selector, OP_READ);
        old.cancel();
        selector.selectNow();

        SelectionKey key = far.register(selector, OP_WRITE);
        assertNotSame(old, key);
        assertEquals(1, selector.select());
        assertEquals(Set.of(key), selector.selectedKeys());
        assertFalse(old.isValid());
    }

    @Test
    void otherKeysOfTheChannelStayValid() throws IOException {
        try (Selector other = Selector.open()) {
            SelectionKey kept = far.register(other, OP_WRITE);
            far.register(selector, OP_READ).cancel();
            selector.selectNow();
            assertTrue(kept.isValid());
            assertTrue(far.isRegistered());
            assertEquals(1, other.select());
        }
    }

    @Test
    void closingTheChannelCancelsAllItsKeys() throws IOException {
        try (Selector other = Selector.open()) {
            SelectionKey first = far.register(selector, OP_READ);
            SelectionKey second = far.register(other, OP_READ);
            far.close();
            assertFalse(first.isValid());
            assertFalse(second.isValid());
            assertEquals(Set.of(first), selector.keys());

            assertEquals(0, selector.selectNow());
            assertTrue(selector.keys().isEmpty());
            assertEquals(Set.of(second), other.keys());
            assertEquals(0, other.selectNow());
            assertTrue(other.keys().isEmpty());
        }
    }

    @Test
    void aKeyCancelledDuringASelectIsNotReportedByIt() throws Exception {
        SelectionKey key = far.register(selector, OP_READ);
        Task<Integer> select = Threads.start(() -> selector.select()).awaitBlockedIn("select");
        key.cancel();
        send(near);
        selector.wakeup();
        assertEquals(0, select.join());
        assertTrue(selector.selectedKeys().isEmpty());
        assertTrue(selector.keys().isEmpty());
    }

    @Test
    void anEventOfAKeyCancelledMeanwhileDoesNotEndABlockedSelect() throws Exception {
        Providers.assumeOurs();
        SelectionKey key = far.register(selector, OP_READ);
        Task<Integer> select = Threads.start(() -> selector.select()).awaitBlockedIn("select");
        key.cancel();
        send(near);
        Deadline.await("the cancelled key is gone", () -> selector.keys().isEmpty());
        select.awaitBlockedIn("select");
        selector.wakeup();
        assertEquals(0, select.join());
    }

    @Test
    void aChannelClosedDuringASelectIsNotReportedByIt() throws Exception {
        far.register(selector, OP_READ);
        Task<Integer> select = Threads.start(() -> selector.select()).awaitBlockedIn("select");
        far.close();
        near.close();
        selector.wakeup();
        assertEquals(0, select.join());
        assertTrue(selector.selectedKeys().isEmpty());
        assertTrue(selector.keys().isEmpty());
    }

    @Test
    void cancellationRacingWithSelectsIsNeverSeenAsAnError() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        Task<Void> selecting = Threads.run(() -> {
            while (!over.get()) {
                selector.select(1);
                selector.selectedKeys().clear();
            }
        });
        for (int i = 0; i < RACES; i++) {
            try (Connections.Pair pair = Connections.openNonBlocking()) {
                SelectionKey key = pair.far().register(selector, OP_READ | OP_WRITE);
                selector.wakeup();
                if (i % 2 == 0) {
                    key.cancel();
                }
            }
        }
        over.set(true);
        selecting.join();
        selector.selectNow();
        assertTrue(selector.keys().isEmpty());
    }
}
