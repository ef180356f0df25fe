package org.nioselect.regression;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.channels.ClosedSelectorException;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import org.junit.jupiter.api.Test;
import org.nioselect.support.Descriptors;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** A selector is closed while a channel is about to be registered with it. */
class CloseWhileRegisteringTest {
    private static final int ROUNDS = 3_000;
    private static final int STEP = 7;
    private static final int LONGEST_PAUSE = 3_000;

    private int pause;

    @Test
    void aChannelIsRegisteredOrRefusedAndNothingIsLeft() throws Exception {
        Descriptors.assertNoLeak(ROUNDS, this::registerWhileClosing);
    }

    private void registerWhileClosing() throws Exception {
        Selector selector = Selector.open();
        Pipe pipe = Pipe.open();
        pipe.source().configureBlocking(false);
        Task<Void> closing = Threads.run(selector::close);
        pause();
        try {
            pipe.source().register(selector, OP_READ);
        } catch (ClosedSelectorException e) {
            // The selector was closed first.
        }
        closing.join();
        assertFalse(pipe.source().isRegistered());
        pipe.source().close();
        pipe.sink().close();
    }

    /** Of another length each time, so that both sides meet at every point. */
    private void pause() {
        pause = (pause + STEP) % LONGEST_PAUSE;
        for (int i = 0; i < pause; i++) {
            Thread.onSpinWait();
        }
    }
}
