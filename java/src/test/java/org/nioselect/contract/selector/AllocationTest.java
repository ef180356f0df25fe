package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;

import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nioselect.support.Garbage;
import org.nioselect.support.Providers;

/** In the steady state a selection makes no garbage, whichever way it is written. */
class AllocationTest extends SelectorFixture {
    private static final int CHANNELS = 300;

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
    void iteratingAndRemovingMakesNoGarbage() throws Exception {
        Garbage.assertNone(() -> {
            selector.select();
            Iterator<SelectionKey> iterator = selector.selectedKeys().iterator();
            while (iterator.hasNext()) {
                use(iterator.next());
                iterator.remove();
            }
        });
    }

    @Test
    void forEachLoopAndClearMakeNoGarbage() throws Exception {
        Garbage.assertNone(() -> {
            selector.selectNow();
            for (SelectionKey key : selector.selectedKeys()) {
                use(key);
            }
            selector.selectedKeys().clear();
        });
    }

    @Test
    void forEachMethodAndClearMakeNoGarbage() throws Exception {
        Garbage.assertNone(() -> {
            selector.select(1_000);
            selector.selectedKeys().forEach(action);
            selector.selectedKeys().clear();
        });
    }

    @Test
    void anActionMakesNoGarbage() throws Exception {
        Garbage.assertNone(() -> selector.select(action));
        Garbage.assertNone(() -> selector.select(action, 1_000));
        Garbage.assertNone(() -> selector.selectNow(action));
    }

    @Test
    void changingInterestMakesNoGarbage() throws Exception {
        SelectionKey key = channels.get(0).keyFor(selector);
        Garbage.assertNone(() -> {
            key.interestOps(OP_READ);
            selector.selectNow(action);
            key.interestOpsOr(OP_WRITE);
        });
    }

    @Test
    void wakeupMakesNoGarbage() throws Exception {
        Garbage.assertNone(() -> {
            selector.wakeup();
            selector.select(action);
        });
    }

    @Test
    void anIdleSelectionMakesNoGarbage() throws Exception {
        for (SelectionKey key : selector.keys()) {
            key.interestOps(OP_READ);
        }
        Garbage.assertNone(selector::selectNow);
    }

    private void use(SelectionKey key) {
        used += key.readyOps();
    }
}
