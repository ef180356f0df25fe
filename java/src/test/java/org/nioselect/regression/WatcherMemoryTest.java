package org.nioselect.regression;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nioselect.support.Providers;
import org.nioselect.support.VirtualThreads;

/** Virtual threads wait for input while there is no memory for direct buffers. */
class WatcherMemoryTest {
    private static final String ALL_READ = "all have read";

    @BeforeEach
    void onlyOnce() {
        Providers.assumeOurs();
        VirtualThreads.assumeSupported();
    }

    @Test
    void virtualThreadsThatWaitWithoutDirectMemoryGetTheirInput() throws Exception {
        assertEquals(ALL_READ, ScarceJvm.directMemory(Readers.class, "8m").run());
    }

    /** Has many virtual threads begin to wait at once while memory is exhausted. */
    static final class Readers {
        private static final int READERS = 1_000;

        public static void main(String[] args) throws Exception {
            AtomicBoolean start = new AtomicBoolean();
            List<Reader> readers = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                readers.add(Reader.start(start));
            }
            Reader first = Reader.start(new AtomicBoolean(true));
            first.awaitInput();
            first.getInput();

            DirectMemory.exhaust();
            start.set(true);
            for (Reader reader : readers) {
                reader.awaitInput();
            }
            DirectMemory.free();

            for (Reader reader : readers) {
                reader.getInput();
            }
            System.out.println(ALL_READ);
        }
    }

    /** A virtual thread that reads from a pipe. */
    private record Reader(Pipe pipe, VirtualThreads.Virtual<Integer> reading) {
        /** Large enough to be read into in place: the reader itself needs no other memory. */
        private static final int SIZE = 4096;

        static Reader start(AtomicBoolean start) throws Exception {
            Pipe pipe = Pipe.open();
            ByteBuffer buffer = ByteBuffer.allocateDirect(SIZE);
            return new Reader(pipe, VirtualThreads.start(() -> {
                while (!start.get()) {
                    Thread.yield();
                }
                return pipe.source().read(buffer);
            }));
        }

        void awaitInput() throws Exception {
            reading.awaitParkedIn("read");
        }

        void getInput() throws Exception {
            pipe.sink().write(ByteBuffer.allocate(1));
            if (reading.join() != 1) {
                throw new AssertionError("the input was not read");
            }
        }
    }
}
