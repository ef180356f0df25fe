package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.channels.Selector;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nioselect.support.Providers;
import org.nioselect.support.Threads;
import org.nioselect.support.VirtualThreads;

/** Which selectors know without a system call that nothing is ready, and how they tell of it. */
class DoorbellTest extends SelectorFixture {
    private static final String PROPERTY = "nioselect.doorbell";
    private static final String BACKEND = "nioselect.backend";
    private static final int MANY = 300;
    private static final Pattern COUNTS =
            Pattern.compile("\\[epoll, \\d+ keys, doorbell armed: (\\d+) answered, (\\d+) rung]$");

    private final String policyBefore = System.getProperty(PROPERTY);
    private final String backendBefore = System.getProperty(BACKEND);

    @BeforeEach
    void assumeOurs() {
        Providers.assumeOurs();
    }

    @AfterEach
    void restore() {
        set(PROPERTY, policyBefore);
        set(BACKEND, backendBefore);
    }

    private static void set(String property, String value) {
        if (value == null) {
            System.clearProperty(property);
        } else {
            System.setProperty(property, value);
        }
    }

    private static Selector open(String policy) throws IOException {
        System.setProperty(PROPERTY, policy);
        return Selector.open();
    }

    /** A selector that has been idle, and has a doorbell; the test is skipped where none can be. */
    private static void assumeArmed(Selector idle) throws IOException {
        assumeTrue(idle.toString().contains("[epoll,"), "no backend for it");
        selectNow(idle, MANY);
        String text = idle.toString();
        assumeFalse(text.contains("doorbell unavailable ("), text);
        assertTrue(COUNTS.matcher(text).find(), text);
    }

    private static void selectNow(Selector idle, int times) throws IOException {
        for (int i = 0; i < times; i++) {
            assertEquals(0, idle.selectNow());
        }
    }

    private static long count(Selector of, int which) {
        Matcher counts = COUNTS.matcher(of.toString());
        assertTrue(counts.find(), of::toString);
        return Long.parseLong(counts.group(which));
    }

    private static long answered(Selector of) {
        return count(of, 1);
    }

    private static long rung(Selector of) {
        return count(of, 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "on", "eager"})
    void anIdleSelectorIsAnsweredByIt(String policy) throws IOException {
        try (Selector idle = open(policy)) {
            far.register(idle, OP_READ);
            assumeArmed(idle);
            long before = answered(idle);
            selectNow(idle, 100);
            for (int i = 0; i < 100; i++) {
                assertEquals(0, idle.selectNow(key -> { }));
            }
            assertEquals(before + 200, answered(idle));
        }
    }

    @Test
    void whatArrivesRingsIt() throws IOException {
        try (Selector idle = open("eager")) {
            far.register(idle, OP_READ);
            assumeArmed(idle);
            long before = rung(idle);
            send(near);
            while (idle.selectNow() == 0) {
                Thread.onSpinWait();
            }
            assertEquals(before + 1, rung(idle));
            idle.selectedKeys().clear();
            long answered = answered(idle);
            assertEquals(1, idle.selectNow());
            assertEquals(answered, answered(idle));
        }
    }

    @Test
    void aWaitThatBlocksIsNotAnsweredByIt() throws IOException {
        try (Selector idle = open("eager")) {
            far.register(idle, OP_READ);
            assumeArmed(idle);
            long before = answered(idle);
            assertSleeps(idle, 20);
            assertEquals(before, answered(idle));
        }
    }

    @Test
    void anotherThreadIsAnsweredOnceItStays() throws Exception {
        try (Selector idle = open("eager")) {
            far.register(idle, OP_READ);
            assumeArmed(idle);
            long before = answered(idle);
            Threads.run(() -> selectNow(idle, MANY)).join();
            assertTrue(answered(idle) > before);
        }
    }

    @Test
    void aVirtualThreadIsAnsweredTooButByNativeCode() throws Exception {
        VirtualThreads.assumeSupported();
        try (Selector idle = open("eager")) {
            far.register(idle, OP_READ);
            assumeArmed(idle);
            Threads.startVirtual(() -> {
                selectNow(idle, MANY);
                return null;
            }).join();
            send(near);
            while (idle.selectNow() == 0) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void offIsOff() throws IOException {
        try (Selector idle = open("off")) {
            selectNow(idle, MANY);
            assertTrue(idle.toString().endsWith(", 0 keys]"), idle::toString);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"poll", "select"})
    void otherBackendsHaveNone(String backend) throws IOException {
        System.setProperty(BACKEND, backend);
        try (Selector idle = open("eager")) {
            selectNow(idle, MANY);
            assertTrue(idle.toString().endsWith("[" + backend + ", 0 keys]"), idle::toString);
        }
    }

    @Test
    void anUnknownPolicyIsRefusedAndTheKnownOnesAreTold() {
        System.setProperty(PROPERTY, "loud");
        assertEquals("-Dnioselect.doorbell=loud is none of the policies for it: "
                        + "auto, on, off, eager",
                assertThrows(IllegalArgumentException.class, Selector::open).getMessage());
    }

    @Test
    void anEmptyPolicyIsTheDefault() throws IOException {
        try (Selector standard = open("auto"); Selector other = open("")) {
            assertEquals(standard.toString(), other.toString());
        }
    }
}
