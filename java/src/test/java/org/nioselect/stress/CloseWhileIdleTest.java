package org.nioselect.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Deadline;
import org.nioselect.support.Descriptors;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/**
 * Selectors that are closed by other threads while their owners call {@code selectNow} all the
 * time: whatever an owner looks at must still be there. A JVM that crashes fails the test. The
 * system property {@code nioselect.stress.seconds} tells how long.
 */
class CloseWhileIdleTest {
    private static final Duration LENGTH =
            Duration.ofSeconds(Long.getLong("nioselect.stress.seconds", 2));
    private static final int OWNERS = 2;
    private static final int CLOSERS = 2;
    private static final int LONGEST_LIFE = 400;
    /** Descriptors that the JVM or a provider may open once and keep. */
    private static final int SPARE_DESCRIPTORS = 32;

    private final BlockingQueue<Selector> doomed = new ArrayBlockingQueue<>(OWNERS);
    private final Deadline end = Deadline.in(LENGTH);
    private volatile boolean over;

    // More than it may be told to take. Whatever it waits for has a limit of its own.
    @Test
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void theOwnerIsToldAndNothingElseHappens() throws Exception {
        int allowed = Descriptors.count() + SPARE_DESCRIPTORS;
        List<Task<Void>> closers = start(CLOSERS, this::close);
        List<Task<Void>> owners = start(OWNERS, this::own);
        Thread.sleep(LENGTH.toMillis());
        for (Task<Void> owner : owners) {
            owner.join();
        }
        over = true;
        for (Task<Void> closer : closers) {
            closer.join();
        }
        Deadline.await("the descriptors are released", () -> Descriptors.count() <= allowed);
    }

    private static List<Task<Void>> start(int count, Threads.Action action) {
        List<Task<Void>> tasks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            tasks.add(Threads.run(action));
        }
        return tasks;
    }

    private void own() throws Exception {
        SplittableRandom random = new SplittableRandom();
        Pipe pipe = Pipe.open();
        try {
            pipe.source().configureBlocking(false);
            while (!end.passed()) {
                Selector selector = Selector.open();
                pipe.source().register(selector, SelectionKey.OP_READ);
                selectNow(selector, random.nextInt(LONGEST_LIFE));
                doomed.put(selector);
                assertThrows(ClosedSelectorException.class, () -> selectForEver(selector));
                assertFalse(selector.isOpen());
            }
        } finally {
            pipe.source().close();
            pipe.sink().close();
        }
    }

    private static void selectNow(Selector selector, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            assertEquals(0, selector.selectNow());
        }
    }

    private static void selectForEver(Selector selector) throws IOException {
        while (true) {
            assertEquals(0, selector.selectNow());
            assertEquals(0, selector.selectNow(key -> { }));
        }
    }

    private void close() throws Exception {
        while (!over) {
            Selector selector = doomed.poll(1, TimeUnit.MILLISECONDS);
            if (selector != null) {
                selector.close();
            }
        }
    }
}
