package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nioselect.support.Threads;

/**
 * The first {@code selectNow} after many that have found nothing sees whatever has happened before
 * it, in the same thread or in another one.
 */
class IdleSelectorTest extends SelectorFixture {
    /** More than it takes a provider to believe that nothing happens. */
    private static final int MANY = 300;

    /** The forms of a selection that does not wait. */
    enum Form {
        PLAIN, WITH_ACTION
    }

    private SelectionKey key;

    @BeforeEach
    void register() throws IOException {
        key = far.register(selector, OP_READ);
    }

    /** Fills the time in which nothing happens. */
    private void idle(Form form) throws IOException {
        for (int i = 0; i < MANY; i++) {
            assertEquals(0, select(form));
        }
    }

    private int select(Form form) throws IOException {
        return form == Form.PLAIN ? selector.selectNow() : selector.selectNow(found -> { });
    }

    /** Does something in this thread or in another one, and has done it when it returns. */
    private static void act(boolean elsewhere, Threads.Action action) throws Exception {
        if (elsewhere) {
            Threads.run(action).join();
        } else {
            action.run();
        }
    }

    /** What is written to the other end arrives soon, but perhaps not at once. */
    private void await(Form form) throws IOException {
        while (select(form) == 0) {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatArrivesIsFoundUntilItIsReadAndThenNoMore(Form form) throws Exception {
        for (int round = 0; round < 3; round++) {
            idle(form);
            send(near);
            await(form);
            selector.selectedKeys().clear();
            assertEquals(1, select(form));
            selector.selectedKeys().clear();
            assertEquals(1, drain(far));
        }
        idle(form);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aChangeOfInterestCounts(boolean elsewhere) throws Exception {
        for (Form form : Form.values()) {
            idle(form);
            act(elsewhere, () -> key.interestOps(OP_READ | OP_WRITE));
            assertEquals(1, select(form));
            assertEquals(OP_WRITE, key.readyOps());
            act(elsewhere, () -> key.interestOps(OP_READ));
            selector.selectedKeys().clear();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRegistrationCounts(boolean elsewhere) throws Exception {
        idle(Form.PLAIN);
        act(elsewhere, () -> near.register(selector, OP_WRITE));
        assertEquals(1, selector.selectNow());
        assertEquals(Set.of(near.keyFor(selector)), selector.selectedKeys());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCancelledKeyIsLetGoOf(boolean elsewhere) throws Exception {
        for (Form form : Form.values()) {
            idle(form);
            act(elsewhere, key::cancel);
            assertEquals(0, select(form));
            assertTrue(selector.keys().isEmpty());
            assertNull(far.keyFor(selector));
            register();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClosedChannelIsLetGoOf(boolean elsewhere) throws Exception {
        idle(Form.PLAIN);
        act(elsewhere, far::close);
        assertEquals(0, selector.selectNow());
        assertTrue(selector.keys().isEmpty());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aWakeupIsConsumed(boolean elsewhere) throws Exception {
        for (Form form : Form.values()) {
            idle(form);
            act(elsewhere, selector::wakeup);
            assertEquals(0, select(form));
            assertSleeps(selector, 20);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClosedSelectorSelectsNoMore(boolean elsewhere) throws Exception {
        idle(Form.PLAIN);
        idle(Form.WITH_ACTION);
        act(elsewhere, selector::close);
        for (Form form : Form.values()) {
            assertThrows(ClosedSelectorException.class, () -> select(form));
        }
    }

    @Test
    void aMissingActionIsRefused() throws IOException {
        idle(Form.WITH_ACTION);
        assertThrows(NullPointerException.class, () -> selector.selectNow(null));
    }

    @Test
    void itCanStillSleepAndIsWokenByWhatArrives() throws Exception {
        idle(Form.PLAIN);
        assertSleeps(selector, 20);
        idle(Form.PLAIN);
        var selecting = Threads.start(() -> selector.select()).awaitBlockedIn("select");
        send(near);
        assertEquals(1, selecting.join());
    }

    @Test
    void anInterruptIsLeftToWhoWaits() throws Exception {
        idle(Form.PLAIN);
        Thread.currentThread().interrupt();
        assertEquals(0, selector.selectNow());
        assertTrue(Thread.interrupted());
        assertFalse(selector.selectedKeys().contains(key));
    }
}
