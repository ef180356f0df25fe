package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.Selector;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nioselect.support.Descriptors;
import org.nioselect.support.Providers;

/** The choice of what is under a selector, and how a selector tells of it. */
class BackendTest extends SelectorFixture {
    private static final String PROPERTY = "nioselect.backend";
    private static final String INSISTS = "nioselect.rt_signal";

    private final String before = System.getProperty(PROPERTY);
    private final String insistedBefore = System.getProperty(INSISTS);

    @BeforeEach
    void assumeOurs() {
        Providers.assumeOurs();
    }

    @AfterEach
    void restore() {
        choose(before);
        set(INSISTS, insistedBefore);
    }

    private static void choose(String name) {
        set(PROPERTY, name);
    }

    private static void set(String property, String value) {
        if (value == null) {
            System.clearProperty(property);
        } else {
            System.setProperty(property, value);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"poll", "select"})
    void theOneThatThePropertyNamesIsUsed(String name) throws IOException {
        choose(name);
        try (Selector chosen = Selector.open()) {
            assertTrue(chosen.toString().contains("[" + name + ","), chosen::toString);
            far.register(chosen, OP_READ);
            assertEquals(0, chosen.selectNow());
            send(near);
            assertEquals(1, chosen.select());
            assertEquals(Set.of(far.keyFor(chosen)), chosen.selectedKeys());
        }
    }

    @Test
    void anEmptyNameMeansTheDefault() throws IOException {
        choose(null);
        try (Selector standard = Selector.open()) {
            choose("");
            try (Selector other = Selector.open()) {
                assertEquals(standard.toString(), other.toString());
            }
        }
    }

    @Test
    void anUnknownNameIsRefusedAndTheKnownOnesAreTold() {
        choose("no-such-backend");
        String message =
                assertThrows(IllegalArgumentException.class, Selector::open).getMessage();
        assertTrue(message.startsWith("-Dnioselect.backend=no-such-backend is none of"), message);
        assertTrue(message.contains(" poll") && message.contains(" select"), message);
    }

    @Test
    void realTimeSignalsHaveToBeInsistedOn() throws IOException {
        choose("rt_signal");
        System.clearProperty(INSISTS);
        String message =
                assertThrows(IllegalArgumentException.class, Selector::open).getMessage();
        assertTrue(message.contains("-Dnioselect.rt_signal=true"), message);
        System.setProperty(INSISTS, "true");
        try (Selector chosen = Selector.open()) {
            assertTrue(chosen.toString().contains("[rt_signal,"), chosen::toString);
        }
    }

    @Test
    void anUnknownNameLeavesNoDescriptorBehind() throws Exception {
        choose("no-such-backend");
        Descriptors.assertNoLeak(50,
                () -> assertThrows(IllegalArgumentException.class, Selector::open));
    }

    @Test
    void theTextOfASelectorTellsBackendKeysAndClose() throws IOException {
        choose("poll");
        Selector chosen = Selector.open();
        assertTrue(chosen.toString().endsWith("[poll, 0 keys]"), chosen::toString);
        far.register(chosen, OP_READ);
        near.register(chosen, OP_READ);
        assertTrue(chosen.toString().endsWith("[poll, 2 keys]"), chosen::toString);
        chosen.close();
        assertTrue(chosen.toString().endsWith("[poll, closed]"), chosen::toString);
    }
}
