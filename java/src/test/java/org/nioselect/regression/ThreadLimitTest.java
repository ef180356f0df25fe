package org.nioselect.regression;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nioselect.support.Descriptors;
import org.nioselect.support.Providers;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;
import org.nioselect.support.VirtualThreads;

/** What has to be done by a thread that cannot be started fails, and leaves nothing behind. */
class ThreadLimitTest {
    private static final String RIGHT = "right";

    @BeforeEach
    void onlyOnce() {
        Providers.assumeOurs();
        VirtualThreads.assumeSupported();
    }

    /**
     * Threads are kept from starting by a limit of the address space, of which each takes much
     * for its stack: a limit of their number would be that of the user, and not hold for root.
     */
    @Test
    void waitsThatCannotBeWatchedFailWithoutALeakUntilTheyCan() throws Exception {
        String printed = ScarceJvm.limit(Reads.class, "-v 4000000; export MALLOC_ARENA_MAX=1")
                .option("-Xss128m").option("-Xmx64m").option("-XX:+UseSerialGC")
                .option("-XX:ReservedCodeCacheSize=32m").option("-XX:CompressedClassSpaceSize=32m")
                .option("-Djdk.virtualThreadScheduler.parallelism=1")
                // The JVM would print a warning for each thread that does not start.
                .option("-Xlog:disable")
                .run();

        assertEquals(RIGHT, printed);
    }

    /** Reads in virtual threads when no platform thread can be started, and when it can again. */
    static final class Reads {
        private static final int ROUNDS = 20;
        /** Less than a thread has by default. */
        private static final long STACK = 48 << 20;

        private static final CountDownLatch ENOUGH = new CountDownLatch(1);

        public static void main(String[] args) throws Exception {
            Pipe pipe = Pipe.open();
            readAtHand(pipe);
            List<Thread> idle = exhaustThreads();
            // Its stack is what the JVM has left for its own purposes.
            idle.get(0).interrupt();
            idle.get(0).join();

            failToWait(pipe);
            int before = Descriptors.count();
            for (int i = 0; i < ROUNDS; i++) {
                failToWait(pipe);
            }
            if (Descriptors.count() > before) {
                throw new AssertionError("descriptors: " + before + ", " + Descriptors.count());
            }

            ENOUGH.countDown();
            for (Thread thread : idle) {
                thread.join();
            }
            waitAndRead(pipe);
            System.out.println(RIGHT);
        }

        private static List<Thread> exhaustThreads() {
            List<Thread> idle = new ArrayList<>();
            try {
                while (true) {
                    Thread thread = new Thread(null, Reads::idle, "idle", STACK);
                    thread.setDaemon(true);
                    thread.start();
                    idle.add(thread);
                }
            } catch (OutOfMemoryError e) {
                return idle;
            }
        }

        private static void idle() {
            try {
                ENOUGH.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private static Task<Integer> read(Pipe pipe) {
            return Threads.startVirtual(() -> pipe.source().read(ByteBuffer.allocate(1)));
        }

        private static void readAtHand(Pipe pipe) throws Exception {
            pipe.sink().write(ByteBuffer.allocate(1));
            read(pipe).join();
        }

        private static void failToWait(Pipe pipe) throws Exception {
            try {
                throw new AssertionError("has read " + read(pipe).join());
            } catch (OutOfMemoryError e) {
                // As it should.
            }
        }

        private static void waitAndRead(Pipe pipe) throws Exception {
            Task<Integer> read = read(pipe).awaitState(Thread.State.WAITING);
            pipe.sink().write(ByteBuffer.allocate(1));
            read.join();
        }
    }
}
