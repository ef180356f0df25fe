package org.nioselect.stress;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;

/**
 * A connection on which all bytes have the same value, so that a stray one is noticed. The near
 * end sends; the far end is registered with one of the loops. {@link #ready} is called by the
 * loops, all else by the thread that owns the lane.
 */
final class Lane {
    private static final int MOST_AT_ONCE = 2_000;

    private final byte value;
    private final Connections.Pair pair;
    private final AtomicLong received = new AtomicLong();
    private long sent;
    private SelectorLoop home;
    private SelectionKey key;
    private volatile boolean writableWanted;
    private volatile boolean closing;

    Lane(byte value, SelectorLoop home) throws IOException {
        this.value = value;
        this.home = home;
        pair = Connections.openNonBlocking();
        // Closed without a trace: in half an hour all ports would be waiting for late segments.
        pair.near().setOption(StandardSocketOptions.SO_LINGER, 0);
        pair.far().setOption(StandardSocketOptions.SO_LINGER, 0);
        key = pair.far().register(home.selector(), OP_READ, this);
        home.selector().wakeup();
    }

    void send(int count) throws IOException {
        byte[] bytes = new byte[Math.min(count, MOST_AT_ONCE)];
        Arrays.fill(bytes, value);
        sent += pair.near().write(ByteBuffer.wrap(bytes));
    }

    /** Takes the interest in reading away or gives it back. */
    void toggleReading() {
        boolean reading = (key.interestOps() & OP_READ) != 0;
        if (reading) {
            key.interestOpsAnd(~OP_READ);
        } else {
            key.interestOpsOr(OP_READ);
            home.selector().wakeup();
        }
    }

    /** Asks to be told of writability once; {@link #settle} makes sure that this has happened. */
    void wantWritable() {
        writableWanted = true;
        key.interestOpsOr(OP_WRITE);
        home.selector().wakeup();
    }

    /** Cancels the key and registers with a loop again, maybe with the same. */
    void moveTo(SelectorLoop loop) throws Exception {
        key.cancel();
        Deadline.await("the cancelled key is gone", () -> registeredAnew(loop));
        home = loop;
        home.selector().wakeup();
    }

    private boolean registeredAnew(SelectorLoop loop) throws IOException {
        try {
            int ops = writableWanted ? OP_READ | OP_WRITE : OP_READ;
            key = pair.far().register(loop.selector(), ops, this);
            return true;
        } catch (CancelledKeyException e) {
            loop.selector().wakeup();
            return false;
        }
    }

    /** Waits until every event that is due has been seen. */
    void settle() throws Exception {
        key.interestOpsOr(OP_READ);
        home.selector().wakeup();
        Deadline.await("all " + sent + " bytes of lane " + value + " are received",
                () -> received.get() == sent);
        Deadline.await("lane " + value + " is told of its writability", () -> !writableWanted);
    }

    /** Closes both ends, the given one first. */
    void close(boolean farFirst) throws IOException {
        closing = true;
        if (farFirst) {
            pair.far().close();
        }
        pair.close();
    }

    /** Called by a loop whose selector says that the far end is ready. */
    void ready(SelectionKey selected, ByteBuffer buffer) throws IOException {
        check(selected.channel() == pair.far(), "a foreign key is selected");
        try {
            if (selected.isWritable()) {
                selected.interestOpsAnd(~OP_WRITE);
                writableWanted = false;
            }
            if (selected.isReadable()) {
                receive(buffer);
            }
        } catch (CancelledKeyException e) {
            check(!selected.isValid(), "a valid key says that it is cancelled");
        } catch (IOException e) {
            if (!closing) {
                throw e;
            }
        }
    }

    private void receive(ByteBuffer buffer) throws IOException {
        int count = pair.far().read(buffer.clear());
        check(count >= 0 || closing, "the stream ends early");
        for (int i = 0; i < count; i++) {
            check(buffer.get(i) == value, "a foreign byte");
        }
        received.addAndGet(Math.max(0, count));
    }

    private void check(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise + ", lane " + value);
        }
    }
}
