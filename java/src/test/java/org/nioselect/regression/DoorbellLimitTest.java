package org.nioselect.regression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nioselect.support.Deadline;
import org.nioselect.support.Descriptors;
import org.nioselect.support.Providers;

/** Without a descriptor for a doorbell a selector does without, says why, and tries again. */
class DoorbellLimitTest {
    private static final String RIGHT = "right";
    private static final String NONE_HERE = "no doorbell";

    @BeforeEach
    void onlyOurs() {
        Providers.assumeOurs();
    }

    @Test
    void itIsUnavailableUntilThereIsADescriptorAgain() throws Exception {
        String printed = ScarceJvm.limit(IdleAtTheLimit.class, "-n 300")
                .property("nioselect.doorbell", "eager").run();
        assumeTrue(!printed.startsWith(NONE_HERE), printed);
        assertEquals(RIGHT, printed);
    }

    /** Prints that all is right, or that there is no doorbell here. */
    static final class IdleAtTheLimit {
        private static final int MANY = 100;
        private static final int ATTEMPTS = 10;

        public static void main(String[] args) throws Exception {
            Pipe pipe = Pipe.open();
            pipe.source().configureBlocking(false);
            try (Selector first = Selector.open()) {
                pipe.source().register(first, SelectionKey.OP_READ);
                idle(first);
                if (!isArmed(first)) {
                    System.out.println(NONE_HERE + ": " + first);
                    return;
                }
                // Classes have to be loaded, for which a descriptor is needed.
                find(first, pipe);
                // Not closed before the end: the thread would keep the ring of one that is armed.
                List<Selector> opened = new ArrayList<>();
                while (!isAtTheLimit(pipe, opened)) {
                    check(opened.size() < ATTEMPTS, "a descriptor was left: " + opened);
                }
                for (Selector selector : opened) {
                    selector.close();
                }
            }
            System.out.println(RIGHT);
        }

        /**
         * Takes all descriptors from a new selector, which has a doorbell when it gets them back.
         * False if it has one at once: the JVM closes what it reads, such as its limits of memory,
         * at any time.
         */
        private static boolean isAtTheLimit(Pipe pipe, List<Selector> opened) throws Exception {
            Selector limited = Selector.open();
            opened.add(limited);
            pipe.source().register(limited, SelectionKey.OP_READ);
            List<FileInputStream> taken = Descriptors.exhaust();
            idle(limited);
            boolean isWithout = !isArmed(limited);
            String text = limited.toString();
            find(limited, pipe);
            for (FileInputStream file : taken) {
                file.close();
            }
            if (isWithout) {
                check(text.matches(
                        ".*, 1 keys, doorbell unavailable \\(.+\\): 0 answered, 0 rung]"), text);
                Deadline.await("it is armed", () -> {
                    idle(limited);
                    return isArmed(limited);
                });
                find(limited, pipe);
            }
            return isWithout;
        }

        private static boolean isArmed(Selector selector) {
            return selector.toString().contains("doorbell armed: ");
        }

        private static void idle(Selector selector) throws IOException {
            for (int i = 0; i < MANY; i++) {
                check(selector.selectNow() == 0, "there is nothing");
            }
        }

        private static void find(Selector selector, Pipe pipe) throws IOException {
            pipe.sink().write(ByteBuffer.allocate(1));
            check(selector.selectNow() == 1, "it is missed");
            selector.selectedKeys().clear();
            pipe.source().read(ByteBuffer.allocate(1));
        }

        private static void check(boolean isTrue, String otherwise) {
            if (!isTrue) {
                throw new AssertionError(otherwise);
            }
        }
    }
}
