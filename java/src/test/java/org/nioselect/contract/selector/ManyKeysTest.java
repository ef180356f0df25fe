package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A selector with thousands of channels. */
class ManyKeysTest {
    private static final int CHANNELS = 3_000;
    /** What applications may expect of one selection when more keys than that are ready. */
    private static final int AT_ONCE = 100;

    private final List<DatagramChannel> channels = new ArrayList<>();
    private Selector selector;

    @BeforeEach
    void open() throws IOException {
        selector = Selector.open();
        for (int i = 0; i < CHANNELS; i++) {
            DatagramChannel channel = DatagramChannel.open();
            channels.add(channel);
            channel.configureBlocking(false);
            channel.register(selector, OP_READ, i);
        }
    }

    @AfterEach
    void close() throws IOException {
        for (DatagramChannel channel : channels) {
            channel.close();
        }
        selector.close();
    }

    @Test
    void manyReadyKeysAreReportedByOneSelection() throws IOException {
        makeReady();
        assertTrue(selector.select() >= AT_ONCE);
    }

    @Test
    void everyReadyKeyIsReportedSoonerOrLater() throws IOException {
        makeReady();
        Set<SelectionKey> seen = new HashSet<>();
        while (seen.size() < CHANNELS) {
            assertTrue(selector.select() > 0);
            for (SelectionKey key : selector.selectedKeys()) {
                assertEquals(OP_WRITE, key.readyOps());
                seen.add(key);
                key.interestOps(0);
            }
            selector.selectedKeys().clear();
        }
        assertEquals(0, selector.selectNow());
    }

    @Test
    void everyReadyKeyIsHandedToAnActionSoonerOrLater() throws IOException {
        makeReady();
        Set<SelectionKey> seen = new HashSet<>();
        while (seen.size() < CHANNELS) {
            assertTrue(selector.select(key -> {
                key.interestOps(0);
                assertTrue(seen.add(key), "handed over again without interest");
            }) > 0);
        }
        assertEquals(0, selector.selectNow());
    }

    @Test
    void oneReadyKeyAmongManyIsFound() throws IOException {
        assertEquals(0, selector.selectNow());
        SelectionKey key = channels.get(CHANNELS / 2).keyFor(selector);
        key.interestOps(OP_WRITE);
        assertEquals(1, selector.select());
        assertEquals(Set.of(key), selector.selectedKeys());
    }

    @Test
    void oneSelectionRemovesAllKeysCancelledBefore() throws IOException {
        selector.selectNow();
        for (DatagramChannel channel : channels.subList(1, CHANNELS)) {
            channel.keyFor(selector).cancel();
        }
        assertEquals(0, selector.selectNow());
        assertEquals(Set.of(channels.get(0).keyFor(selector)), selector.keys());
    }

    private void makeReady() {
        for (SelectionKey key : selector.keys()) {
            key.interestOps(OP_WRITE);
        }
    }
}
