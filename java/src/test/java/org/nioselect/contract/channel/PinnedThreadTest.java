package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;
import org.nioselect.support.VirtualThreads;

/**
 * Virtual threads that cannot leave their carrier, as native code is on their stack: here that
 * which initialises a class. They block as well, carrier and all.
 */
@Timeout(60)
class PinnedThreadTest {
    private static volatile Callable<?> body;
    private static volatile Object result;

    @BeforeEach
    void assumeSupported() {
        VirtualThreads.assumeSupported();
    }

    /** Calls the body when it is initialised; each test needs one of its own. */
    private static final class Reading {
        static {
            call();
        }
    }

    /** As above. */
    private static final class Closed {
        static {
            call();
        }
    }

    /** As above. */
    private static final class Selecting {
        static {
            call();
        }
    }

    private static void call() {
        try {
            result = body.call();
        } catch (Exception e) {
            result = e;
        }
    }

    private static Task<Object> pinned(Class<?> initialised, Callable<?> blocking) {
        body = blocking;
        return Threads.startVirtual(() -> {
            Class.forName(initialised.getName());
            return result;
        });
    }

    @Test
    void blockedReadReturnsWhatArrives() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Task<?> reader = pinned(Reading.class, () -> Bytes.readText(pair.near(), 4))
                    .awaitBlockedIn("read");
            pair.far().write(Bytes.of("data"));
            assertEquals("data", reader.join());
        }
    }

    @Test
    void closeEndsABlockedRead() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Task<?> reader = pinned(Closed.class, () -> pair.near().read(ByteBuffer.allocate(4)))
                    .awaitBlockedIn("read");
            pair.near().close();
            assertEquals(AsynchronousCloseException.class, reader.join().getClass());
        }
    }

    @Test
    void blockedSelectIsEndedByAnEvent() throws Exception {
        try (Selector selector = Selector.open();
                Connections.Pair pair = Connections.openNonBlocking()) {
            pair.near().register(selector, SelectionKey.OP_READ);
            Task<?> selecting =
                    pinned(Selecting.class, () -> selector.select()).awaitBlockedIn("select");
            pair.far().write(Bytes.of("x"));
            assertEquals(1, selecting.join());
        }
    }
}
