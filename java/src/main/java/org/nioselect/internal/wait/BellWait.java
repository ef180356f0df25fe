package org.nioselect.internal.wait;

import java.io.IOException;
import org.nioselect.internal.net.Errors;
import org.nioselect.internal.sys.Descriptors;
import org.nioselect.internal.sys.Spares;

/**
 * The wait of a platform thread: poll(2) for the descriptor and for a bell that others ring.
 *
 * <p>close(2) on Linux wakes nobody who waits for the descriptor, hence the bell. Bells are kept
 * for the next wait, up to a bound, as opening one costs two system calls. One that was released
 * may still be rung by somebody late; that ends another's wait for no reason, which is allowed.
 *
 * <p>If no descriptor is left for a bell, the thread looks up again and again instead.
 */
final class BellWait implements Waiter {
    private static final Spares<BellWait> SPARES = new Spares<>();

    /** In place of a bell. */
    private static final long NONE = -1;
    private static final long SHORT_NANOS = 10_000_000;

    private enum State { SILENT, RUNG, CLOSED }

    private final long bell;
    private State state = State.SILENT;

    private BellWait(long bell) {
        this.bell = bell;
    }

    static BellWait take() {
        BellWait spare = SPARES.take();
        if (spare != null) {
            return spare;
        }
        return new BellWait(Math.max(NONE, Descriptors.openBell()));
    }

    @Override
    public void await(int fd, int events, long nanos) throws IOException {
        boolean shorten = bell == NONE && (nanos < 0 || nanos > SHORT_NANOS);
        int answer = Descriptors.await(fd, events, bell, shorten ? SHORT_NANOS : nanos);
        if (answer < 0) {
            throw Errors.io(-answer);
        }
    }

    // Ringing and closing exclude each other: the bell's number may be another's by then.
    @Override
    public synchronized void wake() {
        if (state == State.SILENT && bell != NONE) {
            state = State.RUNG;
            Descriptors.ring(bell);
        }
    }

    @Override
    public void release() {
        if (bell == NONE) {
            return;
        }
        quieten();
        if (!SPARES.keep(this)) {
            close();
        }
    }

    private synchronized void quieten() {
        if (state == State.RUNG) {
            state = State.SILENT;
            Descriptors.quieten(bell);
        }
    }

    private synchronized void close() {
        state = State.CLOSED;
        Descriptors.closeBell(bell);
    }
}
