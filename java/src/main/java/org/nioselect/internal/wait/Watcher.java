package org.nioselect.internal.wait;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.nioselect.internal.poll.IndexTable;
import org.nioselect.internal.poll.Poller;
import org.nioselect.internal.poll.PollerOptions;
import org.nioselect.internal.sys.Descriptors;
import org.nioselect.internal.sys.PollerCalls;

/**
 * A thread with a poller of its own, which watches descriptors for parked virtual threads.
 *
 * <p>There is one for reading and one for writing, as two threads may wait for the two directions
 * of one descriptor. A registration is for one event, and ends with it: before a thread goes on,
 * and may close the descriptor, the kernel has forgotten it.
 *
 * <p>One that fails, for want of memory, say, ends all its waits with the failure, and another one
 * is started for the next wait.
 */
final class Watcher implements Runnable {
    private static final long FOREVER = -1;

    private static volatile Watcher reading;
    private static volatile Watcher writing;

    private final Poller poller;
    private final int ops;
    private final IndexTable<ParkedWait> table = new IndexTable<>();
    /** Waits to begin, and such that are given up, in this order. */
    private final ConcurrentLinkedQueue<ParkedWait> notes = new ConcurrentLinkedQueue<>();
    private final List<ParkedWait> ending = new ArrayList<>();
    private volatile Throwable failure;

    private Watcher(int ops) throws IOException {
        this.ops = ops;
        poller = new Poller(PollerOptions.forBlockingOnly());
    }

    /** The one that watches for the events, started when it is first needed. */
    static Watcher of(int events) throws IOException {
        Watcher watcher = events == Descriptors.READABLE ? reading : writing;
        return watcher != null ? watcher : start(events);
    }

    private static synchronized Watcher start(int events) throws IOException {
        if (events == Descriptors.READABLE) {
            if (reading == null) {
                reading = start("nioselect-readable", SelectionKey.OP_READ);
            }
            return reading;
        }
        if (writing == null) {
            writing = start("nioselect-writable", SelectionKey.OP_WRITE);
        }
        return writing;
    }

    private static Watcher start(String name, int ops) throws IOException {
        Watcher watcher = new Watcher(ops);
        try {
            VirtualThreads.daemon(name, watcher).start();
        } catch (Throwable e) {
            watcher.poller.close();
            throw e;
        }
        return watcher;
    }

    /** A wait begins, or is given up if it has begun. */
    void note(ParkedWait wait) {
        notes.add(wait);
        poller.wake();
        // It looks for notes once more after it has said that it fails.
        if (failure != null && notes.remove(wait)) {
            wait.end(failure);
        }
    }

    @Override
    public void run() {
        try {
            for (;;) {
                findReady(poller.select(FOREVER));
                takeNotes();
                endReady();
            }
        } catch (Throwable e) {
            giveUp(e);
        }
    }

    private void findReady(int answer) throws IOException {
        for (int i = 0; i < (answer & PollerCalls.COUNT); i++) {
            isToEnd(table.get(Poller.index(poller.event(i))));
        }
        if ((answer & PollerCalls.REFUSED) != 0) {
            ParkedWait refused = table.get(poller.refusedIndex());
            table.remove(refused.index);
            refused.end(new IOException(poller.refusal()));
        }
    }

    private void takeNotes() throws IOException {
        for (ParkedWait wait = notes.poll(); wait != null; wait = notes.poll()) {
            if (!wait.isWatched()) {
                // Given up when it had just ended.
                continue;
            }
            if (wait.index == ParkedWait.NOWHERE) {
                wait.index = table.add(wait);
                poller.put(wait.index, wait.fd(), PollerCalls.ONCE, ops);
            } else {
                isToEnd(wait);
            }
        }
    }

    /** It may have become ready and been given up at the same time. */
    private void isToEnd(ParkedWait wait) {
        if (!wait.isEnding) {
            wait.isEnding = true;
            ending.add(wait);
        }
    }

    private void endReady() throws IOException {
        if (ending.isEmpty()) {
            return;
        }
        for (ParkedWait wait : ending) {
            poller.remove(wait.index, wait.fd());
        }
        poller.flush();
        for (ParkedWait wait : ending) {
            table.remove(wait.index);
            wait.end(null);
        }
        ending.clear();
    }

    /** Nothing is watched any more when the poller is closed, so all waits can end. */
    private void giveUp(Throwable reason) {
        synchronized (Watcher.class) {
            if (reading == this) {
                reading = null;
            }
            if (writing == this) {
                writing = null;
            }
        }
        poller.close();
        failure = reason;
        table.forEach(wait -> wait.end(reason));
        for (ParkedWait wait = notes.poll(); wait != null; wait = notes.poll()) {
            wait.end(reason);
        }
    }
}
