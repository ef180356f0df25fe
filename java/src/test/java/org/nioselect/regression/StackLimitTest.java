package org.nioselect.regression;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nioselect.support.Providers;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/**
 * A thread whose stack is exhausted somewhere in {@code selectNow}, also where it looks without the
 * monitors, is in nobody's way afterwards.
 */
class StackLimitTest {
    private static final String RIGHT = "right";

    @BeforeEach
    void onlyOurs() {
        Providers.assumeOurs();
    }

    @Test
    void theSelectorCanBeUsedAndClosedAfterwards() throws Exception {
        String printed = ScarceJvm.smallStacks(Diving.class)
                .property("nioselect.doorbell", "eager")
                .property("nioselect.doorbell.unlocked", "true").run();
        assertEquals(RIGHT, printed);
    }

    /** Prints that all is right. */
    static final class Diving {
        private static final int TIMES = 20;

        public static void main(String[] args) throws Exception {
            Pipe pipe = Pipe.open();
            pipe.source().configureBlocking(false);
            try (Selector selector = Selector.open()) {
                pipe.source().register(selector, SelectionKey.OP_READ);
                Threads.run(() -> exhaust(selector)).join();
                Task<Integer> another = Threads.start(selector::selectNow);
                if (another.join() != 0) {
                    throw new AssertionError("nothing is ready");
                }
                Threads.run(() -> exhaust(selector)).join();
                Threads.run(selector::close).join();
            }
            pipe.source().close();
            pipe.sink().close();
            System.out.println(RIGHT);
        }

        private static void exhaust(Selector selector) throws IOException {
            for (int i = 0; i < TIMES; i++) {
                selector.selectNow();
                selector.selectNow();
                try {
                    dive(selector);
                } catch (StackOverflowError e) {
                    // That is what it is for.
                }
            }
        }

        private static void dive(Selector selector) throws IOException {
            selector.selectNow();
            dive(selector);
        }
    }
}
