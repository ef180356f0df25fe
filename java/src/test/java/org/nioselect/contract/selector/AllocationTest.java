package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nioselect.support.Providers;

/** In the steady state a selection makes no garbage, whichever way it is written. */
class AllocationTest extends SelectorFixture {
    private static final int CHANNELS = 300;
    private static final int WARM_UP = 3_000;
    private static final int ROUNDS = 500;
    /** The compiler may move a thread between code versions, which costs a few objects. */
    private static final int ATTEMPTS = 10;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final List<DatagramChannel> channels = new ArrayList<>();
    private final Consumer<SelectionKey> action = this::use;
    private long used;

    @BeforeEach
    void register() throws IOException {
        Providers.assumeOurs();
        for (int i = 0; i < CHANNELS; i++) {
            DatagramChannel channel = DatagramChannel.open();
            channels.add(channel);
            channel.configureBlocking(false);
            channel.register(selector, OP_READ | OP_WRITE);
        }
    }

    @AfterEach
    void closeChannels() throws IOException {
        for (DatagramChannel channel : channels) {
            channel.close();
        }
    }

    @Test
    void iteratingAndRemovingMakesNoGarbage() throws IOException {
        assertNoGarbage(() -> {
            selector.select();
            Iterator<SelectionKey> iterator = selector.selectedKeys().iterator();
            while (iterator.hasNext()) {
                use(iterator.next());
                iterator.remove();
            }
        });
    }

    @Test
    void forEachLoopAndClearMakeNoGarbage() throws IOException {
        assertNoGarbage(() -> {
            selector.selectNow();
            for (SelectionKey key : selector.selectedKeys()) {
                use(key);
            }
            selector.selectedKeys().clear();
        });
    }

    @Test
    void forEachMethodAndClearMakeNoGarbage() throws IOException {
        assertNoGarbage(() -> {
            selector.select(1_000);
            selector.selectedKeys().forEach(action);
            selector.selectedKeys().clear();
        });
    }

    @Test
    void anActionMakesNoGarbage() throws IOException {
        assertNoGarbage(() -> selector.select(action));
        assertNoGarbage(() -> selector.select(action, 1_000));
        assertNoGarbage(() -> selector.selectNow(action));
    }

    @Test
    void changingInterestMakesNoGarbage() throws IOException {
        SelectionKey key = channels.get(0).keyFor(selector);
        assertNoGarbage(() -> {
            key.interestOps(OP_READ);
            selector.selectNow(action);
            key.interestOpsOr(OP_WRITE);
        });
    }

    @Test
    void wakeupMakesNoGarbage() throws IOException {
        assertNoGarbage(() -> {
            selector.wakeup();
            selector.select(action);
        });
    }

    @Test
    void anIdleSelectionMakesNoGarbage() throws IOException {
        for (SelectionKey key : selector.keys()) {
            key.interestOps(OP_READ);
        }
        assertNoGarbage(selector::selectNow);
    }

    private void use(SelectionKey key) {
        used += key.readyOps();
    }

    private void assertNoGarbage(Selection selection) throws IOException {
        repeat(WARM_UP, selection);
        long least = Long.MAX_VALUE;
        for (int i = 0; i < ATTEMPTS && least > 0; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            repeat(ROUNDS, selection);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(0, least, () -> "bytes in " + ROUNDS + " selections, " + used);
    }

    private static void repeat(int rounds, Selection selection) throws IOException {
        for (int i = 0; i < rounds; i++) {
            selection.run();
        }
    }

    /** One round of selection and what an application does with its result. */
    @FunctionalInterface
    private interface Selection {
        void run() throws IOException;
    }
}
