package org.nioselect.stress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Deadline;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/**
 * Threads select with the same selectors, each for as long as it likes, and all at once: what one
 * of them looks at is replaced by the others. Nothing that was written may be missed. The system
 * property {@code nioselect.stress.seconds} tells how long.
 */
class TakingTurnsTest {
    private static final Duration LENGTH =
            Duration.ofSeconds(Long.getLong("nioselect.stress.seconds", 2));
    private static final int SELECTORS = 3;
    private static final int THREADS = 3;
    private static final int LONGEST_TURN = 300;

    // More than it may be told to take. Whatever it waits for has a limit of its own.
    @Test
    @Timeout(value = 1, unit = TimeUnit.HOURS)
    void nobodyMissesAnything() throws Exception {
        List<Watched> all = new ArrayList<>();
        try {
            for (int i = 0; i < SELECTORS; i++) {
                all.add(new Watched());
            }
            Deadline end = Deadline.in(LENGTH);
            List<Task<Integer>> tasks = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                tasks.add(Threads.start(() -> takeTurns(all, end)));
            }
            Thread.sleep(LENGTH.toMillis());
            int turns = 0;
            for (Task<Integer> task : tasks) {
                turns += task.join();
            }
            assertTrue(turns > 0);
        } finally {
            for (Watched watched : all) {
                watched.close();
            }
        }
    }

    private static int takeTurns(List<Watched> all, Deadline end) throws Exception {
        SplittableRandom random = new SplittableRandom();
        int turns = 0;
        while (!end.passed()) {
            Watched watched = all.get(random.nextInt(SELECTORS));
            for (int i = random.nextInt(LONGEST_TURN); i > 0; i--) {
                watched.selector.selectNow(key -> { });
            }
            watched.writeAndRead();
            turns++;
        }
        return turns;
    }

    /** A selector over the end of a pipe. */
    private static final class Watched implements AutoCloseable {
        final Selector selector = Selector.open();
        private final Pipe pipe = Pipe.open();

        Watched() throws IOException {
            pipe.source().configureBlocking(false);
            pipe.source().register(selector, SelectionKey.OP_READ);
        }

        /** The lock keeps another thread from reading what this one has written. */
        synchronized void writeAndRead() throws IOException {
            assertEquals(1, pipe.sink().write(ByteBuffer.allocate(1)));
            assertEquals(1, selector.selectNow(key -> { }));
            assertEquals(1, pipe.source().read(ByteBuffer.allocate(2)));
            assertEquals(0, selector.selectNow(key -> { }));
        }

        @Override
        public void close() throws IOException {
            selector.close();
            pipe.source().close();
            pipe.sink().close();
        }
    }
}
