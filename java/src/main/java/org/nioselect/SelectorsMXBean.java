package org.nioselect;

import java.util.List;

/**
 * The selectors of this JVM, for who operates it: {@code org.nioselect:type=Selectors} among the
 * platform's management beans, if the system property {@code nioselect.jmx} is {@code true} when
 * the first selector is opened.
 */
public interface SelectorsMXBean {
    /**
     * Every selector that is open. To ask waits for none of them, and keeps none of them alive.
     *
     * @return what each has done so far, in the order in which they were opened
     */
    List<SelectorStatistics> getSelectors();
}
