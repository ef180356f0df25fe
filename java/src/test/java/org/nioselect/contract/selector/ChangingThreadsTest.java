package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;
import org.nioselect.support.VirtualThreads;

/** Threads select in turn; what one of them has found to be idle is news to the next one. */
class ChangingThreadsTest extends SelectorFixture {
    private static final int MANY = 300;
    private static final int TURNS = 20;

    /** The kinds of threads. */
    enum Kind {
        PLATFORM, VIRTUAL, BOTH
    }

    @BeforeEach
    void register() throws IOException {
        far.register(selector, OP_READ);
    }

    @ParameterizedTest
    @EnumSource
    void eachFindsWhatHasArrivedSinceTheOneBefore(Kind kind) throws Exception {
        for (int turn = 0; turn < TURNS; turn++) {
            start(kind, turn, this::idle).join();
            send(near);
            assertEquals(1, start(kind, turn + 1, this::await).join());
            assertEquals(1, drain(far));
            selector.selectedKeys().clear();
        }
    }

    @ParameterizedTest
    @EnumSource
    void eachTakesInWhatHasChangedSinceTheOneBefore(Kind kind) throws Exception {
        for (int turn = 0; turn < TURNS; turn++) {
            start(kind, turn, this::idle).join();
            far.keyFor(selector).interestOps(OP_READ | OP_WRITE);
            assertEquals(1, start(kind, turn + 1, () -> selector.selectNow()).join());
            selector.selectedKeys().clear();
            far.keyFor(selector).interestOps(OP_READ);
        }
    }

    @ParameterizedTest
    @EnumSource
    void theOneThatWasIdleFirstSeesWhatAnotherHasLeft(Kind kind) throws Exception {
        for (int turn = 0; turn < TURNS; turn++) {
            idle();
            send(near);
            assertEquals(1, start(kind, turn, this::await).join());
            selector.selectedKeys().clear();
            assertEquals(1, selector.selectNow());
            selector.selectedKeys().clear();
            drain(far);
            start(kind, turn + 1, this::idle).join();
        }
    }

    private int idle() throws IOException {
        int found = 0;
        for (int i = 0; i < MANY; i++) {
            found += selector.selectNow();
        }
        assertEquals(0, found);
        return found;
    }

    /** What was sent arrives soon. */
    private int await() throws IOException {
        int found = selector.selectNow();
        while (found == 0) {
            Thread.onSpinWait();
            found = selector.selectNow();
        }
        return found;
    }

    private static <T> Task<T> start(Kind kind, int turn, Callable<T> body) {
        boolean virtual = kind == Kind.VIRTUAL || kind == Kind.BOTH && turn % 2 == 0;
        if (!virtual) {
            return Threads.start(body);
        }
        VirtualThreads.assumeSupported();
        return Threads.startVirtual(body);
    }
}
