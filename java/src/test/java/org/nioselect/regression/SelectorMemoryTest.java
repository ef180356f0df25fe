package org.nioselect.regression;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nioselect.support.Deadline;
import org.nioselect.support.Providers;

/** Selectors keep to what was asked of them while there is no memory for direct buffers. */
class SelectorMemoryTest {
    private static final String RIGHT = "right";
    /** More than a selector has memory for from its start. */
    private static final int CHANNELS = 200;

    @BeforeEach
    void onlyOnce() {
        Providers.assumeOurs();
    }

    @Test
    void channelsRegisteredWithoutDirectMemoryAreSelected() throws Exception {
        assertEquals(RIGHT, ScarceJvm.directMemory(Register.class, "8m").run());
    }

    @Test
    void keysCancelledWithoutDirectMemoryDoNotStandForLaterChannels() throws Exception {
        assertEquals(RIGHT, ScarceJvm.directMemory(Cancel.class, "8m").run());
    }

    @Test
    void openingAndClosingSelectorsUsesUpNoDirectMemory() throws Exception {
        assertEquals(RIGHT, ScarceJvm.directMemory(OpenAndClose.class, "1m")
                .option("-XX:+DisableExplicitGC").run());
    }

    /** Registers and selects while memory is exhausted. */
    static final class Register {
        public static void main(String[] args) throws Exception {
            Selector selector = Selector.open();
            List<Pipe> pipes = openPipes();
            selector.selectNow();
            for (Pipe pipe : pipes) {
                pipe.source().register(selector, OP_READ);
            }
            DirectMemory.exhaust();
            selectNow(selector);
            DirectMemory.free();

            for (Pipe pipe : pipes) {
                pipe.sink().write(ByteBuffer.allocate(1));
            }
            Deadline.await("all channels are selected", () -> {
                selector.selectNow();
                return selector.selectedKeys().size() == CHANNELS;
            });
            System.out.println(RIGHT);
        }
    }

    /** Closes channels and selects while memory is exhausted; others get their descriptors. */
    static final class Cancel {
        public static void main(String[] args) throws Exception {
            Selector selector = Selector.open();
            List<Pipe> closing = openPipes();
            for (Pipe pipe : closing) {
                pipe.source().register(selector, OP_READ);
                // One by one, so that there is never much to note.
                selector.selectNow();
            }
            DirectMemory.exhaust();
            for (Pipe pipe : closing) {
                pipe.source().close();
                pipe.sink().close();
            }
            selectNow(selector);
            DirectMemory.free();

            List<Pipe> pipes = openPipes();
            for (Pipe pipe : pipes) {
                pipe.source().register(selector, OP_READ, pipe);
            }
            // What was told of the old descriptors comes to light when the new ones are changed.
            setInterest(selector, 0);
            selector.selectNow();
            setInterest(selector, OP_READ);
            for (Pipe pipe : pipes) {
                selectOnly(selector, pipe);
            }
            System.out.println(RIGHT);
        }

        private static void setInterest(Selector selector, int ops) {
            for (SelectionKey key : selector.keys()) {
                key.interestOps(ops);
            }
        }

        private static void selectOnly(Selector selector, Pipe pipe) throws Exception {
            pipe.sink().write(ByteBuffer.allocate(1));
            Deadline.await("the channel is selected", () -> selector.selectNow() > 0);
            for (SelectionKey key : selector.selectedKeys()) {
                if (key.attachment() != pipe) {
                    throw new AssertionError("the key of another channel is selected");
                }
            }
            selector.selectedKeys().clear();
            pipe.source().read(ByteBuffer.allocate(1));
        }
    }

    /** Opens more selectors than there are pages of direct memory, one after the other. */
    static final class OpenAndClose {
        public static void main(String[] args) throws Exception {
            for (int i = 0; i < 1_000; i++) {
                Selector.open().close();
            }
            System.out.println(RIGHT);
        }
    }

    /** Pipes that can be registered and have been used. */
    private static List<Pipe> openPipes() throws IOException {
        List<Pipe> pipes = new ArrayList<>();
        for (int i = 0; i < CHANNELS; i++) {
            Pipe pipe = Pipe.open();
            pipe.sink().write(ByteBuffer.allocate(1));
            pipe.source().read(ByteBuffer.allocate(1));
            pipe.source().configureBlocking(false);
            pipes.add(pipe);
        }
        return pipes;
    }

    /** A selection may fail for want of memory; what counts is what comes after. */
    private static void selectNow(Selector selector) throws IOException {
        try {
            selector.selectNow();
        } catch (OutOfMemoryError e) {
            // Nothing is lost by it.
        }
    }
}
