package org.nioselect.regression;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.Pipe;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nioselect.support.ChildJvm;
import org.nioselect.support.Descriptors;
import org.nioselect.support.Providers;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** Operations that need no descriptor of their own do without when none is left. */
class DescriptorLimitTest {
    private static final String RIGHT = "right";

    @BeforeEach
    void onlyOnce() {
        Providers.assumeOurs();
    }

    @Test
    void aBlockedReadReturnsItsInputThoughNoDescriptorIsLeft() throws Exception {
        assertEquals(RIGHT, atTheLimit().run("input"));
    }

    @Test
    void closingEndsABlockedReadThoughNoDescriptorIsLeft() throws Exception {
        assertEquals(RIGHT, atTheLimit().run("close"));
    }

    @Test
    void anInterruptEndsABlockedReadThoughNoDescriptorIsLeft() throws Exception {
        assertEquals(RIGHT, atTheLimit().run("interrupt"));
    }

    private static ChildJvm atTheLimit() {
        return ScarceJvm.limit(BlockedRead.class, "-n 300");
    }

    /** Blocks in a read when descriptors are exhausted, and ends it in the way it is told. */
    static final class BlockedRead {
        /** So many threads wait already: nothing that is kept for such waits is left. */
        private static final int OTHERS = 8;

        public static void main(String[] args) throws Exception {
            // Classes may have to be loaded, for which a descriptor is needed.
            endRead(Pipe.open(), args[0]);
            for (int i = 0; i < OTHERS; i++) {
                read(Pipe.open());
            }
            Pipe pipe = Pipe.open();
            List<FileInputStream> taken = Descriptors.exhaust();
            try {
                endRead(pipe, args[0]);
            } finally {
                for (FileInputStream file : taken) {
                    file.close();
                }
            }
            System.out.println(RIGHT);
        }

        private static Task<Integer> read(Pipe pipe) throws Exception {
            return Threads.start(() -> pipe.source().read(ByteBuffer.allocate(1)))
                    .awaitBlockedIn("read");
        }

        private static void endRead(Pipe pipe, String how) throws Exception {
            Task<Integer> read = read(pipe);
            switch (how) {
                case "input" -> {
                    pipe.sink().write(ByteBuffer.allocate(1));
                    read.join();
                }
                case "close" -> {
                    pipe.source().close();
                    expect(AsynchronousCloseException.class, read);
                }
                default -> {
                    read.interrupt();
                    expect(ClosedByInterruptException.class, read);
                }
            }
        }

        private static void expect(Class<?> failure, Task<Integer> read) throws Exception {
            try {
                throw new AssertionError("has read " + read.join());
            } catch (IOException e) {
                if (e.getClass() != failure) {
                    throw e;
                }
            }
        }
    }
}
