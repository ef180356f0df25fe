package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nioselect.support.Providers;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** A selector that spins before it blocks does all that another one does. */
class SpinTest extends SelectorFixture {
    private static final String PROPERTY = "nioselect.spin.micros";
    /** Longer than any test, so that it is the spin that ends. */
    private static final String FOR_EVER = Long.toString(Long.MAX_VALUE);

    private final String before = System.getProperty(PROPERTY);

    @BeforeEach
    void assumeOurs() {
        Providers.assumeOurs();
    }

    @AfterEach
    void restore() {
        if (before == null) {
            System.clearProperty(PROPERTY);
        } else {
            System.setProperty(PROPERTY, before);
        }
    }

    private static Selector open(String micros) throws IOException {
        System.setProperty(PROPERTY, micros);
        return Selector.open();
    }

    @ParameterizedTest
    @ValueSource(strings = {"20", "9223372036854775807"})
    void itIsEndedByWhatArrivesByAWakeupAndByAnInterrupt(String micros) throws Exception {
        try (Selector spinning = open(micros)) {
            far.register(spinning, OP_READ);
            Task<Integer> first = select(spinning);
            send(near);
            assertEquals(1, first.join());
            spinning.selectedKeys().clear();
            drain(far);
            Task<Integer> second = select(spinning);
            spinning.wakeup();
            assertEquals(0, second.join());
            Task<Integer> third = select(spinning);
            third.interrupt();
            assertEquals(0, third.join());
        }
    }

    @Test
    void itIsEndedByTheTimeout() throws IOException {
        try (Selector spinning = open(FOR_EVER)) {
            long start = System.nanoTime();
            assertEquals(0, spinning.select(20));
            assertTrue(System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    @Test
    void itIsEndedByClose() throws Exception {
        Selector spinning = open(FOR_EVER);
        Task<Integer> select = select(spinning);
        spinning.close();
        assertEquals(0, select.join());
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "many", "1.5"})
    void whatIsNoNumberOfMicrosecondsIsRefused(String micros) {
        assertEquals("-Dnioselect.spin.micros=" + micros
                        + " is no number of microseconds: 0 or more are",
                assertThrows(IllegalArgumentException.class, () -> open(micros)).getMessage());
    }

    private static Task<Integer> select(Selector spinning) throws Exception {
        return Threads.start(() -> spinning.select()).awaitBlockedIn("select");
    }
}
