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
 */
final class BellWait implements Waiter {
    private static final Spares<BellWait> SPARES = new Spares<>();

    private enum State { SILENT, RUNG, CLOSED }

    private final long bell;
    private State state = State.SILENT;

    private BellWait(long bell) {
        this.bell = bell;
    }

    static BellWait take() throws IOException {
        BellWait spare = SPARES.take();
        if (spare != null) {
            return spare;
        }
        long bell = Descriptors.openBell();
        if (bell < 0) {
            throw Errors.io((int) -bell);
        }
        return new BellWait(bell);
    }

    @Override
    public void await(int fd, int events, long nanos) throws IOException {
        int answer = Descriptors.await(fd, events, bell, nanos);
        if (answer < 0) {
            throw Errors.io(-answer);
        }
    }

    // Ringing and closing exclude each other: the bell's number may be another's by then.
    @Override
    public synchronized void wake() {
        if (state == State.SILENT) {
            state = State.RUNG;
            Descriptors.ring(bell);
        }
    }

    @Override
    public void release() {
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
