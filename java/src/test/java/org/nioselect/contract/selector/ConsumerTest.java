package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** The forms of select that hand each ready key to an action. */
class ConsumerTest extends SelectorFixture {
    private static final int BOTH = OP_READ | OP_WRITE;

    /** The three forms. */
    enum Form {
        BLOCKING, TIMED, NOW
    }

    @ParameterizedTest
    @EnumSource
    void theActionGetsEachReadyKeyOnceWithExactlyItsReadyBits(Form form) throws IOException {
        SelectionKey reading = far.register(selector, BOTH);
        SelectionKey writing = near.register(selector, BOTH);
        send(near);
        Map<SelectionKey, Integer> ready = new HashMap<>();
        List<SelectionKey> order = new ArrayList<>();
        assertEquals(2, select(form, key -> {
            order.add(key);
            ready.put(key, key.readyOps());
        }));
        assertEquals(Map.of(reading, BOTH, writing, OP_WRITE), ready);
        assertEquals(2, order.size());
    }

    @ParameterizedTest
    @EnumSource
    void eachRoundReplacesTheReadySet(Form form) throws IOException {
        SelectionKey key = far.register(selector, BOTH);
        send(near);
        assertEquals(1, select(form, k -> assertEquals(BOTH, k.readyOps())));
        drain(far);
        assertEquals(1, select(form, k -> assertEquals(OP_WRITE, k.readyOps())));
        assertEquals(OP_WRITE, key.readyOps());
    }

    @ParameterizedTest
    @EnumSource
    void theReadySetOfAKeyInTheSelectedSetIsReplacedToo(Form form) throws IOException {
        SelectionKey key = far.register(selector, OP_WRITE);
        assertEquals(1, selector.selectNow());
        key.interestOps(OP_READ);
        send(near);
        assertEquals(1, select(form, k -> assertEquals(OP_READ, k.readyOps())));
        assertEquals(Set.of(key), selector.selectedKeys());
    }

    @ParameterizedTest
    @EnumSource
    void aReadyKeyIsCountedInEveryRound(Form form) throws IOException {
        far.register(selector, OP_WRITE);
        for (int i = 0; i < 3; i++) {
            assertEquals(1, select(form, key -> { }));
        }
    }

    @ParameterizedTest
    @EnumSource
    void theSelectedSetIsLeftAlone(Form form) throws IOException {
        SelectionKey selected = far.register(selector, OP_WRITE);
        assertEquals(1, selector.selectNow());
        near.register(selector, OP_WRITE);

        assertEquals(2, select(form, key -> { }));
        assertEquals(Set.of(selected), selector.selectedKeys());
        selector.selectedKeys().clear();
        assertEquals(2, select(form, key -> { }));
        assertTrue(selector.selectedKeys().isEmpty());
    }

    @ParameterizedTest
    @EnumSource
    void cancelledKeysLeaveTheSelectedSet(Form form) throws IOException {
        SelectionKey cancelled = far.register(selector, OP_WRITE);
        assertEquals(1, selector.selectNow());
        cancelled.cancel();
        SelectionKey other = near.register(selector, OP_WRITE);

        assertEquals(1, select(form, key -> assertSame(other, key)));
        assertTrue(selector.selectedKeys().isEmpty());
        assertEquals(Set.of(other), selector.keys());
    }

    @ParameterizedTest
    @EnumSource
    void aKeyCancelledByTheActionIsGoneAfterwards(Form form) throws IOException {
        far.register(selector, OP_WRITE);
        assertEquals(1, select(form, SelectionKey::cancel));
        selector.selectNow();
        assertFalse(far.isRegistered());
        assertTrue(selector.keys().isEmpty());
    }

    @ParameterizedTest
    @EnumSource
    void theActionRunsInTheSelectingThread(Form form) throws IOException {
        far.register(selector, OP_WRITE);
        List<Thread> threads = new ArrayList<>();
        select(form, key -> threads.add(Thread.currentThread()));
        assertEquals(List.of(Thread.currentThread()), threads);
    }

    @ParameterizedTest
    @EnumSource
    void exceptionsOfTheActionAreRelayedAndTheSelectorStaysUsable(Form form) throws IOException {
        far.register(selector, OP_WRITE);
        RuntimeException failure = new RuntimeException("of the action");
        assertSame(failure, assertThrows(RuntimeException.class, () -> select(form, key -> {
            throw failure;
        })));
        Error error = new Error("of the action");
        assertSame(error, assertThrows(Error.class, () -> select(form, key -> {
            throw error;
        })));
        assertFalse(Thread.holdsLock(selector));
        assertFalse(Thread.holdsLock(selector.selectedKeys()));
        assertEquals(1, select(form, key -> { }));
        assertEquals(1, selector.select());
    }

    @ParameterizedTest
    @EnumSource
    void keysNotHandedOverBecauseOfAnExceptionAreReadyInTheNextRound(Form form)
            throws IOException {
        far.register(selector, OP_WRITE);
        near.register(selector, OP_WRITE);
        assertThrows(IllegalStateException.class, () -> select(form, key -> {
            throw new IllegalStateException("of the action");
        }));
        assertEquals(2, select(form, key -> { }));
    }

    @ParameterizedTest
    @EnumSource
    void anActionThatClosesTheSelectorMakesSelectThrow(Form form) throws IOException {
        SelectionKey key = far.register(selector, OP_WRITE);
        near.register(selector, OP_WRITE);
        List<SelectionKey> seen = new ArrayList<>();
        assertThrows(ClosedSelectorException.class, () -> select(form, k -> {
            seen.add(k);
            closeUnchecked();
        }));
        assertEquals(1, seen.size());
        assertFalse(selector.isOpen());
        assertFalse(key.isValid());
        assertFalse(far.isRegistered());
    }

    @ParameterizedTest
    @EnumSource
    void anActionMustNotSelectItself(Form form) throws IOException {
        far.register(selector, OP_WRITE);
        assertEquals(1, select(form, key -> {
            refused(() -> selector.select());
            refused(() -> selector.select(1));
            refused(() -> selector.selectNow());
            refused(() -> selector.select(k -> { }));
            refused(() -> selector.select(k -> { }, 1));
            refused(() -> selector.selectNow(k -> { }));
        }));
        assertEquals(1, selector.selectNow());
    }

    @ParameterizedTest
    @EnumSource
    void anActionThatWakesUpMakesTheNextSelectReturnAtOnce(Form form) throws IOException {
        SelectionKey key = far.register(selector, OP_WRITE);
        assertEquals(1, select(form, k -> {
            k.interestOps(0);
            selector.wakeup();
        }));
        assertEquals(0, key.interestOps());
        assertEquals(0, selector.select());
        assertSleeps(selector, 50);
    }

    @ParameterizedTest
    @EnumSource
    void anActionMayChangeTheSelectedSet(Form form) throws IOException {
        far.register(selector, OP_WRITE);
        assertEquals(1, selector.selectNow());
        assertEquals(1, select(form, key -> selector.selectedKeys().remove(key)));
        assertTrue(selector.selectedKeys().isEmpty());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NOW")
    void wakeupAndEventsEndTheWait(Form form) throws Exception {
        far.register(selector, OP_READ);
        Task<Integer> select = Threads.start(() -> select(form, key -> { }));
        select.awaitBlockedIn("select");
        selector.wakeup();
        assertEquals(0, select.join());

        select = Threads.start(() -> select(form, key -> { })).awaitBlockedIn("select");
        send(near);
        assertEquals(1, select.join());
    }

    @ParameterizedTest
    @EnumSource
    void nullIsRefusedAlsoByAClosedSelector(Form form) throws IOException {
        assertThrows(NullPointerException.class, () -> select(form, null));
        selector.close();
        assertThrows(NullPointerException.class, () -> select(form, null));
    }

    @Test
    void nullIsRefusedBeforeTheTimeoutIsLookedAt() {
        assertThrows(NullPointerException.class, () -> selector.select(null, -1));
        assertThrows(IllegalArgumentException.class, () -> selector.select(key -> { }, -1));
    }

    private int select(Form form, Consumer<SelectionKey> action) throws IOException {
        return switch (form) {
            case BLOCKING -> selector.select(action);
            case TIMED -> selector.select(action, 3_600_000);
            case NOW -> selector.selectNow(action);
        };
    }

    private void closeUnchecked() {
        try {
            selector.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void refused(Executable select) {
        assertThrows(IllegalStateException.class, select);
    }
}
