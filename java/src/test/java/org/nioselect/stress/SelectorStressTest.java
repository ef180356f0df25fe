package org.nioselect.stress;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Deadline;
import org.nioselect.support.Descriptors;

/**
 * Threads that register, cancel, change interest, write, close, interrupt and wake up at random
 * against running selectors. No event may be lost, no descriptor leaked and no foreign key
 * selected. The system property {@code nioselect.stress.seconds} tells how long.
 */
class SelectorStressTest {
    private static final Duration LENGTH =
            Duration.ofSeconds(Long.getLong("nioselect.stress.seconds", 5));
    private static final Duration WARM_UP = Duration.ofMillis(300);
    private static final int LOOPS = 3;
    private static final int TROUBLEMAKERS = 3;
    /** Descriptors that the JVM or a provider may open once and keep. */
    private static final int SPARE_DESCRIPTORS = 16;

    @Test
    @Timeout(value = 1, unit = TimeUnit.DAYS)
    void noEventIsLostNoDescriptorLeaksAndNoForeignKeyIsSelected() throws Exception {
        makeTrouble(WARM_UP);
        int allowed = Descriptors.count() + SPARE_DESCRIPTORS;
        makeTrouble(LENGTH);
        Deadline.await("the descriptors are released", () -> Descriptors.count() <= allowed);
    }

    private static void makeTrouble(Duration length) throws Exception {
        List<SelectorLoop> loops = new ArrayList<>();
        for (int i = 0; i < LOOPS; i++) {
            loops.add(new SelectorLoop());
        }
        List<Troublemaker> troublemakers = new ArrayList<>();
        for (int i = 0; i < TROUBLEMAKERS; i++) {
            troublemakers.add(new Troublemaker(loops, Deadline.in(length)));
        }
        Thread.sleep(length.toMillis());
        try {
            assertTrue(end(troublemakers, loops) > 0, "nothing happened");
        } catch (Exception | Error e) {
            loops.forEach(loop -> loop.addFailureTo(e));
            throw e;
        }
    }

    private static long end(List<Troublemaker> troublemakers, List<SelectorLoop> loops)
            throws Exception {
        for (Troublemaker troublemaker : troublemakers) {
            troublemaker.join();
        }
        long events = 0;
        for (SelectorLoop loop : loops) {
            events += loop.end();
        }
        return events;
    }
}
