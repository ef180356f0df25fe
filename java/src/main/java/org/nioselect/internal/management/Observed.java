package org.nioselect.internal.management;

import org.nioselect.SelectorStatistics;

/** A selector that operators can look at. */
public interface Observed {
    /**
     * What it is and has done. Any thread may ask; it must not wait for a selection.
     *
     * @param number which selector it is
     * @return the statistics, or null if it is closed
     */
    SelectorStatistics statistics(long number);
}
