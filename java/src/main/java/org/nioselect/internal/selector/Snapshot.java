package org.nioselect.internal.selector;

import org.nioselect.SelectorStatistics;
import org.nioselect.internal.poll.DoorbellStatistics;

/** What a selector is and has done, at one moment. */
record Snapshot(long number, String backend, int keys, DoorbellStatistics doorbell)
        implements SelectorStatistics {
    @Override
    public long getNumber() {
        return number;
    }

    @Override
    public String getBackend() {
        return backend;
    }

    @Override
    public int getKeys() {
        return keys;
    }

    @Override
    public String getDoorbell() {
        return doorbell.state();
    }

    @Override
    public String getWhy() {
        return doorbell.why();
    }

    @Override
    public long getRings() {
        return doorbell.rings();
    }

    @Override
    public long getAnswered() {
        return doorbell.answered();
    }

    @Override
    public long getRung() {
        return doorbell.rung();
    }
}
