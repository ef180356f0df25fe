package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nioselect.support.Deadline;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** Who holds a monitor of a selector keeps selections out, also if none finds anything. */
class IdleSelectorMonitorTest extends SelectorFixture {
    private static final int MANY = 300;

    private final AtomicLong selections = new AtomicLong();
    private final AtomicBoolean over = new AtomicBoolean();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theMonitorOfTheSelectorKeepsThemOut(boolean withAction) throws Exception {
        assertKeptOutBy(selector, withAction);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theMonitorOfTheSelectedKeysKeepsThemOut(boolean withAction) throws Exception {
        assertKeptOutBy(selector.selectedKeys(), withAction);
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
