package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nioselect.support.Deadline;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** The monitors that selection holds and that applications may rely on, and what never waits. */
class LockingTest extends SelectorFixture {
    /** The forms of select. */
    enum Form {
        PLAIN, TIMED, NOW, WITH_ACTION, TIMED_WITH_ACTION, NOW_WITH_ACTION
    }

    @AfterEach
    void endSelects() {
        selector.wakeup();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = {"NOW", "NOW_WITH_ACTION"})
    void aBlockedSelectHoldsTheMonitorsOfSelectorAndSelectedKeysInThisOrder(Form form)
            throws Exception {
        Task<Integer> select = select(form).awaitBlockedIn("select");
        List<Integer> held = monitorsHeldBy(select.thread());
        int first = held.lastIndexOf(System.identityHashCode(selector));
        int second = held.lastIndexOf(System.identityHashCode(selector.selectedKeys()));
        assertTrue(first >= 0, "not that of the selector");
        assertTrue(second >= 0, "not that of the selected keys");
        assertTrue(second < first, "the inner frames come first, so the selector must be last");
        assertFalse(held.contains(System.identityHashCode(selector.keys())));
        selector.wakeup();
        assertEquals(0, select.join());
    }

    @ParameterizedTest
    @EnumSource
    void selectWaitsForTheMonitorOfTheSelector(Form form) throws Exception {
        assertWaitsFor(selector, () -> select(form));
    }

    @ParameterizedTest
    @EnumSource
    void selectWaitsForTheMonitorOfTheSelectedKeys(Form form) throws Exception {
        assertWaitsFor(selector.selectedKeys(), () -> select(form));
    }

    @Test
    void closeWaitsForTheMonitorOfTheSelector() throws Exception {
        assertWaitsFor(selector, () -> Threads.run(selector::close));
    }

    @Test
    void closeWaitsForTheMonitorOfTheSelectedKeys() throws Exception {
        assertWaitsFor(selector.selectedKeys(), () -> Threads.run(selector::close));
    }

    @Test
    void selectDoesNotWaitForTheMonitorOfAllKeys() throws Exception {
        far.register(selector, OP_WRITE);
        synchronized (selector.keys()) {
            assertEquals(1, Threads.start(() -> selector.select()).join());
        }
    }

    @Test
    void theActionRunsUnderBothMonitors() throws Exception {
        far.register(selector, OP_WRITE);
        List<Boolean> held = new ArrayList<>();
        selector.select(key -> {
            held.add(Thread.holdsLock(selector));
            held.add(Thread.holdsLock(selector.selectedKeys()));
        });
        assertEquals(List.of(true, true), held);
        assertFalse(Thread.holdsLock(selector));
    }

    @Test
    void nothingButSelectionWaitsForABlockedSelect() throws Exception {
        SelectionKey key = far.register(selector, OP_READ);
        Task<Integer> select = select(Form.PLAIN).awaitBlockedIn("select");
        Threads.run(() -> {
            SelectionKey other = near.register(selector, OP_READ);
            assertEquals(OP_READ, other.interestOps());
            other.interestOps(0);
            other.interestOpsOr(OP_READ);
            other.interestOpsAnd(0);
            other.attach("attachment");
            assertEquals(0, key.readyOps());
            assertEquals(2, selector.keys().size());
            assertTrue(selector.selectedKeys().isEmpty());
            near.register(selector, OP_READ, "again");
            other.cancel();
            assertTrue(near.isRegistered());
            assertNotNull(near.keyFor(selector));
            near.configureBlocking(true);
            near.close();
            far.register(selector, 0);
            assertTrue(selector.isOpen());
        }).join();
        selector.wakeup();
        select.join();
    }

    @Test
    void anActionMayRegisterAndChangeKeysOfItsSelector() throws Exception {
        far.register(selector, OP_WRITE);
        assertEquals(1, selector.select(key -> {
            key.interestOps(0);
            assertEquals(1, selector.keys().size());
            Threads.Action registration = () -> near.register(selector, OP_WRITE);
            join(Threads.run(registration));
        }));
        assertEquals(1, selector.select());
        assertTrue(selector.selectedKeys().contains(near.keyFor(selector)));
    }

    private Task<Integer> select(Form form) {
        return Threads.start(() -> switch (form) {
            case PLAIN -> selector.select();
            case TIMED -> selector.select(3_600_000);
            case NOW -> selector.selectNow();
            case WITH_ACTION -> selector.select(key -> { });
            case TIMED_WITH_ACTION -> selector.select(key -> { }, 3_600_000);
            case NOW_WITH_ACTION -> selector.selectNow(key -> { });
        });
    }

    private void assertWaitsFor(Object monitor, Supplier<Task<?>> start) throws Exception {
        Task<?> task;
        synchronized (monitor) {
            task = start.get();
            Thread thread = task.thread();
            Deadline.await("it waits for the monitor", () -> waitsFor(monitor, thread));
        }
        selector.wakeup();
        task.join();
    }

    private static boolean waitsFor(Object monitor, Thread thread) {
        ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId());
        return info != null && info.getThreadState() == Thread.State.BLOCKED
                && info.getLockInfo() != null
                && info.getLockInfo().getIdentityHashCode() == System.identityHashCode(monitor);
    }

    /** Identity hash codes of the monitors that a thread holds, innermost frame first. */
    private static List<Integer> monitorsHeldBy(Thread thread) {
        ThreadInfo info = ManagementFactory.getThreadMXBean()
                .getThreadInfo(new long[] {thread.getId()}, true, false)[0];
        List<Integer> held = new ArrayList<>();
        for (MonitorInfo monitor : info.getLockedMonitors()) {
            held.add(monitor.getIdentityHashCode());
        }
        return held;
    }

    private static void join(Task<Void> task) {
        try {
            task.join();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
