package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.VirtualThreads;
import org.nioselect.support.VirtualThreads.Virtual;

/** A virtual thread in select parks, where its monitors let it. */
@Timeout(60)
class VirtualThreadSelectTest {
    @BeforeEach
    void assumeSupported() {
        VirtualThreads.assumeMonitorsDoNotPin();
    }

    @Test
    void selectParksAndIsWokenByAnEventAndByWakeup() throws Exception {
        try (Selector selector = Selector.open();
                Connections.Pair pair = Connections.openNonBlocking()) {
            pair.near().register(selector, SelectionKey.OP_READ);
            Virtual<Integer> selecting =
                    VirtualThreads.start(() -> selector.select()).awaitParkedIn("select");
            pair.far().write(Bytes.of("x"));
            assertEquals(1, selecting.join());
            selector.selectedKeys().clear();
            pair.near().read(ByteBuffer.allocate(8));
            selecting = VirtualThreads.start(() -> selector.select()).awaitParkedIn("select");
            selector.wakeup();
            assertEquals(0, selecting.join());
        }
    }

    @Test
    void closeOfTheSelectorUnparksASelect() throws Exception {
        Selector selector = Selector.open();
        Virtual<Integer> selecting =
                VirtualThreads.start(() -> selector.select()).awaitParkedIn("select");
        selector.close();
        assertEquals(0, selecting.join());
    }

    @Test
    void interruptUnparksASelectAndLeavesTheSelectorOpen() throws Exception {
        try (Selector selector = Selector.open()) {
            Virtual<Boolean> selecting = VirtualThreads.start(() -> {
                selector.select();
                return Thread.currentThread().isInterrupted();
            }).awaitParkedIn("select");
            selecting.thread().interrupt();
            assertTrue(selecting.join());
            assertTrue(selector.isOpen());
        }
    }
}
