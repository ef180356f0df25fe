package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nioselect.support.Deadline;
import org.nioselect.support.Descriptors;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** A channel that is registered with two selectors: neither takes anything from the other. */
class SeveralSelectorsTest extends SelectorFixture {
    private static final int CHANNELS = 100;

    private Selector other;

    @BeforeEach
    void openOther() throws IOException {
        other = Selector.open();
    }

    @AfterEach
    void closeOther() throws IOException {
        other.close();
    }

    @Test
    void anEventEndsTheSelectsOfBoth() throws Exception {
        far.register(selector, OP_READ);
        far.register(other, OP_READ);
        Task<Integer> one = Threads.start(() -> selector.select()).awaitBlockedIn("select");
        Task<Integer> two = Threads.start(() -> other.select()).awaitBlockedIn("select");
        send(near);
        assertEquals(1, one.join());
        assertEquals(1, two.join());
    }

    @Test
    void interestIsThatOfTheKeyNotOfTheChannel() throws IOException {
        SelectionKey idle = far.register(selector, OP_READ);
        SelectionKey busy = far.register(other, OP_READ);
        send(near);
        assertEquals(1, selector.select());
        idle.interestOps(0);
        selector.selectedKeys().clear();
        assertEquals(0, selector.selectNow());
        assertEquals(1, other.select());
        busy.interestOps(OP_WRITE);
        other.selectedKeys().clear();
        assertEquals(1, other.select());
        assertEquals(OP_WRITE, busy.readyOps());
        assertEquals(0, selector.selectNow());
    }

    @Test
    void closingOneLeavesTheKeyOfTheOther() throws IOException {
        SelectionKey gone = far.register(selector, OP_READ);
        SelectionKey kept = far.register(other, OP_READ);
        selector.close();
        assertFalse(gone.isValid());
        assertTrue(kept.isValid() && far.isRegistered());
        send(near);
        assertEquals(1, other.select());
        assertTrue(kept.isReadable());
    }

    @Test
    void aClosedChannelIsReleasedWhenBothHaveLetGoOfIt() throws Exception {
        List<DatagramChannel> channels = new ArrayList<>();
        for (int i = 0; i < CHANNELS; i++) {
            DatagramChannel channel = DatagramChannel.open();
            channels.add(channel);
            channel.configureBlocking(false);
            channel.register(selector, OP_READ);
            channel.register(other, OP_READ);
        }
        selector.selectNow();
        other.selectNow();
        int open = Descriptors.count();
        for (DatagramChannel channel : channels) {
            channel.close();
        }

        selector.selectNow();
        assertTrue(selector.keys().isEmpty());
        assertTrue(Descriptors.count() > open - CHANNELS / 2, "released before their time");
        other.selectNow();
        Deadline.await("the descriptors are released",
                () -> Descriptors.count() <= open - CHANNELS / 2);
    }

    @Test
    void aClosedChannelIsReleasedWhenItsSelectorsAreClosed() throws Exception {
        Descriptors.assertNoLeak(CHANNELS, () -> {
            try (Selector first = Selector.open(); Selector second = Selector.open()) {
                DatagramChannel channel = DatagramChannel.open();
                channel.configureBlocking(false);
                channel.register(first, OP_READ);
                channel.register(second, OP_READ);
                channel.close();
            }
        });
    }
}
