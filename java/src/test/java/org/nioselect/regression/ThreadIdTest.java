package org.nioselect.regression;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nioselect.support.Bytes;
import org.nioselect.support.Deadline;

/** A subclass of Thread may override {@code getId}, and answer what it likes. */
class ThreadIdTest {
    @ParameterizedTest
    @ValueSource(longs = {-5, Long.MIN_VALUE, Long.MAX_VALUE})
    void aThreadReadsWhateverItsId(long id) throws Exception {
        Pipe pipe = Pipe.open();
        try {
            FutureTask<Integer> read =
                    new FutureTask<>(() -> pipe.source().read(ByteBuffer.allocate(4)));
            new WithId(read, id).start();
            pipe.sink().write(Bytes.of("text"));

            assertEquals(4, read.get(Deadline.patient().millisLeft(), TimeUnit.MILLISECONDS));
        } finally {
            pipe.sink().close();
            pipe.source().close();
        }
    }

    /** A thread that chooses its id. */
    private static final class WithId extends Thread {
        private final long id;

        WithId(Runnable body, long id) {
            super(body);
            setDaemon(true);
            this.id = id;
        }

        @Override
        public long getId() {
            return id;
        }
    }
}
