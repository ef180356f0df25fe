package org.nioselect.regression;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.channels.Selector;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nioselect.support.ChildJvm;
import org.nioselect.support.Providers;

/** A selector that becomes silent where hardly any stack is left does not end the JVM. */
class DoorbellStackLimitTest {
    private static final String RIGHT = "right";

    @BeforeEach
    void onlyOurs() {
        Providers.assumeOurs();
    }

    @Test
    void theJvmGoesOn() throws Exception {
        // Interpreted, as the compiler puts a selection into one frame.
        String printed = ChildJvm.with(Overflowing.class).option("-Xint")
                .property("nioselect.doorbell", "eager").run();
        assertEquals(RIGHT, printed);
    }

    /** Selects ever farther from where the stack ends. */
    static final class Overflowing {
        /** After so many selections it is known without a call that nothing is ready. */
        private static final int SILENT = 10;
        private static final int FARTHEST = 60;
        private static final int SHIFTS = 4;

        private final Selector selector = Selector.open();
        private final int framesLeft;
        private int framesUp;

        private Overflowing(int framesLeft) throws IOException {
            this.framesLeft = framesLeft;
        }

        public static void main(String[] args) throws Exception {
            // Classes are loaded while there is room for it.
            try (Selector first = Selector.open()) {
                for (int i = 0; i < SILENT; i++) {
                    first.selectNow();
                }
            }
            for (int framesLeft = 1; framesLeft <= FARTHEST; framesLeft++) {
                for (int shift = 0; shift < SHIFTS; shift++) {
                    new Overflowing(framesLeft).selectAndClose(shift);
                }
            }
            System.out.println(RIGHT);
        }

        private void selectAndClose(int shift) throws IOException {
            shift(shift);
            selector.close();
        }

        /** Frames of another size, so that the stack ends elsewhere in the selection. */
        private void shift(long left) {
            if (left > 0) {
                shift(left - 1);
            } else {
                descend();
            }
        }

        private void descend() {
            try {
                descend();
            } catch (StackOverflowError e) {
                // This is as deep as it goes.
            }
            framesUp++;
            if (framesUp == framesLeft) {
                select();
            }
        }

        private void select() {
            try {
                for (int i = 0; i < SILENT; i++) {
                    selector.selectNow();
                }
            } catch (StackOverflowError e) {
                // Expected, sometimes.
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
    }
}
