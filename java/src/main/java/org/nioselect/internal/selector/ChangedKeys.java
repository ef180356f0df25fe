package org.nioselect.internal.selector;

import java.util.Arrays;

/**
 * Keys that are new or have changed since the last selection. Any thread adds; the selecting one
 * goes through them. Nobody holds the lock for longer than one step takes.
 */
final class ChangedKeys {
    private NioselectSelectionKey[] added = new NioselectSelectionKey[16];
    private volatile int addedCount;

    /** The selecting thread's, as the rest: what it is going through. */
    private NioselectSelectionKey[] taken = new NioselectSelectionKey[16];
    private int takenCount;
    private int position;

    /** Adds a key, unless it is there. */
    void add(NioselectSelectionKey key) {
        if (key.isQueued()) {
            return;
        }
        synchronized (this) {
            int at = addedCount;
            if (at == added.length) {
                added = Arrays.copyOf(added, 2 * at);
            }
            if (key.claimQueueing()) {
                added[at] = key;
                addedCount = at + 1;
            }
        }
    }

    /** Whether {@link #next} would answer null. */
    boolean isEmpty() {
        return position == takenCount && addedCount == 0;
    }

    /** The next key, or null if there is none: the same one until {@link #passOn}. */
    NioselectSelectionKey next() {
        if (position == takenCount) {
            if (addedCount == 0) {
                return null;
            }
            take();
        }
        NioselectSelectionKey key = taken[position];
        // Before it is looked at, so that a change that comes later queues it anew.
        key.leaveQueue();
        return key;
    }

    /** The next key has been dealt with. */
    void passOn() {
        taken[position++] = null;
    }

    private synchronized void take() {
        NioselectSelectionKey[] full = added;
        added = taken;
        taken = full;
        takenCount = addedCount;
        addedCount = 0;
        position = 0;
    }
}
