package org.nioselect.stress;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Iterator;
import org.nioselect.support.Deadline;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** A selector and the thread that selects, with each form of select in turn. */
final class SelectorLoop {
    private static final long TIMEOUT_MILLIS = 20;
    private static final int FORMS = 5;

    private final Selector selector;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1_000);
    private final Task<Void> task;
    private long events;
    private volatile boolean over;

    SelectorLoop() throws IOException {
        selector = Selector.open();
        task = Threads.run(this::loop);
    }

    Selector selector() {
        return selector;
    }

    void interrupt() {
        task.interrupt();
    }

    /** Ends the loop once its selector has let go of all channels; returns the events seen. */
    long end() throws Exception {
        Deadline.await("all keys of closed channels are gone", () -> {
            selector.wakeup();
            return task.done() || selector.keys().isEmpty();
        });
        over = true;
        selector.wakeup();
        task.join();
        selector.close();
        return events;
    }

    /** Tells why the loop has ended too early, which makes others wait for it in vain. */
    void addFailureTo(Throwable failure) {
        try {
            if (task.done()) {
                task.join();
            }
        } catch (Exception | Error e) {
            failure.addSuppressed(e);
        }
    }

    private void loop() throws IOException {
        for (int round = 0; !over; round++) {
            select(round % FORMS);
            Thread.interrupted();
        }
    }

    private void select(int form) throws IOException {
        switch (form) {
            case 0 -> selector.select(this::ready);
            case 1 -> selector.select(this::ready, TIMEOUT_MILLIS);
            case 2 -> removeEach(selector.select());
            case 3 -> removeEach(selector.selectNow());
            default -> removeAll(selector.select(TIMEOUT_MILLIS));
        }
    }

    private void removeEach(int count) {
        checkCount(count);
        for (Iterator<SelectionKey> keys = selector.selectedKeys().iterator(); keys.hasNext();) {
            ready(keys.next());
            keys.remove();
        }
    }

    private void removeAll(int count) {
        checkCount(count);
        for (SelectionKey key : selector.selectedKeys()) {
            ready(key);
        }
        selector.selectedKeys().clear();
    }

    /** The set was empty before, so every key in it has been counted. */
    private void checkCount(int count) {
        int size = selector.selectedKeys().size();
        if (count != size) {
            throw new AssertionError(count + " keys counted, " + size + " in the set");
        }
    }

    private void ready(SelectionKey key) {
        events++;
        if (key.selector() != selector) {
            throw new AssertionError("a key of another selector");
        }
        try {
            ((Lane) key.attachment()).ready(key, buffer);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
