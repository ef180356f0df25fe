package org.nioselect.internal.selector;

import java.util.Arrays;

/**
 * Keys that are new or have changed since the last selection. Any thread adds; the selecting one
 * takes them all. Nobody holds its lock for longer than that takes.
 */
final class ChangedKeys {
    private NioselectSelectionKey[] keys = new NioselectSelectionKey[16];
    private NioselectSelectionKey[] taken = new NioselectSelectionKey[16];
    private volatile int count;

    /** Adds a key, unless it is there. */
    void add(NioselectSelectionKey key) {
        if (!key.claimQueueing()) {
            return;
        }
        synchronized (this) {
            int at = count;
            if (at == keys.length) {
                keys = Arrays.copyOf(keys, 2 * at);
            }
            keys[at] = key;
            count = at + 1;
        }
    }

    /** Whether there is none; without a lock. */
    boolean isEmpty() {
        return count == 0;
    }

    /**
     * Takes all.
     *
     * @return an array that is valid until the next call, its end marked by null if it is not full
     */
    synchronized NioselectSelectionKey[] takeAll() {
        NioselectSelectionKey[] full = keys;
        keys = taken;
        taken = full;
        count = 0;
        return full;
    }
}
