package org.nioselect.internal.wait;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.nioselect.internal.poll.Backends;
import org.nioselect.internal.poll.IndexTable;
import org.nioselect.internal.poll.Poller;
import org.nioselect.internal.sys.Descriptors;
import org.nioselect.internal.sys.PollerCalls;

/**
 * A thread with a poller of its own, which watches descriptors for parked virtual threads.
 *
 * <p>There is one for reading and one for writing, as two threads may wait for the two directions
 * of one descriptor. A registration is for one event, and ends with it: before a thread goes on,
 * and may close the descriptor, the kernel has forgotten it.
 */
final class Watcher implements Runnable {
    private static final int OP_READ = 1;
    private static final int OP_WRITE = 4;
    private static final long FOREVER = -1;

    private static Watcher reading;
    private static Watcher writing;

    private final Poller poller;
    private final int ops;
    private final IndexTable<ParkedWait> table = new IndexTable<>();
    /** Waits that begin, and such that are given up, in this order. */
    private final ConcurrentLinkedQueue<ParkedWait> notes = new ConcurrentLinkedQueue<>();
    private final List<ParkedWait> starting = new ArrayList<>();
    private final List<ParkedWait> ending = new ArrayList<>();

    private Watcher(int ops) throws IOException {
        this.ops = ops;
        poller = new Poller(Backends.chosen());
    }

    /** The one that watches for the events, started when it is first needed. */
    static synchronized Watcher of(int events) throws IOException {
        if (events == Descriptors.READABLE) {
            if (reading == null) {
                reading = start("nioselect-readable", OP_READ);
            }
            return reading;
        }
        if (writing == null) {
            writing = start("nioselect-writable", OP_WRITE);
        }
        return writing;
    }

    private static Watcher start(String name, int ops) throws IOException {
        Watcher watcher = new Watcher(ops);
        VirtualThreads.daemon(name, watcher).start();
        return watcher;
    }

    @Override
    public void run() {
        for (;;) {
            IOException failure = select();
            end(failure);
            takeNotes();
            end(null);
        }
    }

    /** Finds out which waits end. A failure is that of those which began last, if any did. */
    private IOException select() {
        try {
            int found = poller.select(FOREVER) & ~PollerCalls.WOKEN;
            for (int i = 0; i < found; i++) {
                ending.add(table.get(Poller.index(poller.event(i))));
            }
            return null;
        } catch (IOException e) {
            if (starting.isEmpty()) {
                table.forEach(ending::add);
            } else {
                ending.addAll(starting);
            }
            return e;
        } finally {
            starting.clear();
        }
    }

    private void takeNotes() {
        for (ParkedWait wait = notes.poll(); wait != null; wait = notes.poll()) {
            if (!wait.isWatched()) {
                // Given up when it had just ended.
                continue;
            }
            if (wait.index == ParkedWait.NOWHERE) {
                wait.index = table.add(wait);
                poller.put(wait.index, wait.fd(), PollerCalls.ONCE, ops);
                starting.add(wait);
            } else {
                ending.add(wait);
            }
        }
    }

    private void end(IOException failure) {
        if (ending.isEmpty()) {
            return;
        }
        IOException reason = failure;
        for (ParkedWait wait : ending) {
            poller.remove(wait.index, wait.fd());
        }
        try {
            poller.flush();
        } catch (IOException e) {
            reason = e;
        }
        for (ParkedWait wait : ending) {
            table.remove(wait.index);
            starting.remove(wait);
            wait.end(reason);
        }
        ending.clear();
    }

    /** Watches the descriptor until it is ready, which ends the wait. */
    void watch(ParkedWait wait) {
        note(wait);
    }

    /** Ends a wait although its descriptor is not ready. */
    void forget(ParkedWait wait) {
        note(wait);
    }

    private void note(ParkedWait wait) {
        notes.add(wait);
        poller.wake();
    }
}
