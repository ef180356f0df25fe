package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nioselect.support.Deadline;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/**
 * Who holds a monitor of a selector keeps selections out, also if none finds anything. Unlocked
 * ones that find nothing go on, those that find something do not.
 */
class IdleSelectorMonitorTest extends SelectorFixture {
    private static final String UNLOCKED = "nioselect.doorbell.unlocked";
    private static final String WITHOUT_MONITORS =
            "this JVM does without the monitors: another test of this class is for it";
    private static final int MANY = 300;

    private final AtomicLong selections = new AtomicLong();
    private final AtomicBoolean over = new AtomicBoolean();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisabledIfSystemProperty(named = UNLOCKED, matches = "true", disabledReason = WITHOUT_MONITORS)
    void theMonitorOfTheSelectorKeepsThemOut(boolean withAction) throws Exception {
        assertKeptOutBy(selector, withAction);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisabledIfSystemProperty(named = UNLOCKED, matches = "true", disabledReason = WITHOUT_MONITORS)
    void theMonitorOfTheSelectedKeysKeepsThemOut(boolean withAction) throws Exception {
        assertKeptOutBy(selector.selectedKeys(), withAction);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @EnabledIfSystemProperty(named = UNLOCKED, matches = "true")
    void unlockedOnesAreKeptOutWhenThereIsSomethingToSelect(boolean withAction) throws Exception {
        far.register(selector, OP_READ);
        Task<Void> selecting = Threads.run(() -> {
            int found = 0;
            while (found == 0) {
                found = withAction ? selector.selectNow(key -> { }) : selector.selectNow();
                selections.incrementAndGet();
            }
            assertEquals(1, found);
        });
        awaitSelections();
        synchronized (selector) {
            // On the backends without a doorbell they are kept out already.
            if (selector.toString().contains("doorbell armed")) {
                awaitSelections();
            }
            near.write(ByteBuffer.allocate(1));
            selecting.awaitState(Thread.State.BLOCKED);
        }
        selecting.join();
    }

    private void assertKeptOutBy(Object monitor, boolean withAction) throws Exception {
        far.register(selector, OP_READ);
        Task<Void> selecting = Threads.run(() -> {
            while (!over.get()) {
                assertEquals(0, withAction ? selector.selectNow(key -> { }) : selector.selectNow());
                selections.incrementAndGet();
            }
        });
        awaitSelections();
        synchronized (monitor) {
            selecting.awaitState(Thread.State.BLOCKED);
            long before = selections.get();
            Thread.sleep(20);
            assertEquals(before, selections.get());
        }
        awaitSelections();
        over.set(true);
        selecting.join();
    }

    private void awaitSelections() throws Exception {
        long enough = selections.get() + MANY;
        Deadline.await("it selects", () -> selections.get() > enough);
    }
}
