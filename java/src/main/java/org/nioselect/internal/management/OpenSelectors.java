package org.nioselect.internal.management;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import org.nioselect.SelectorStatistics;
import org.nioselect.SelectorsMXBean;

/** The selectors that have not been collected, and which of them are open. */
final class OpenSelectors implements SelectorsMXBean {
    private final Map<Observed, Long> numbers = new WeakHashMap<>();
    private long opened;

    synchronized void add(Observed selector) {
        opened++;
        numbers.put(selector, opened);
    }

    @Override
    public List<SelectorStatistics> getSelectors() {
        return numbered().stream()
                .sorted(Map.Entry.comparingByValue())
                .map(entry -> entry.getKey().statistics(entry.getValue()))
                .filter(Objects::nonNull)
                .toList();
    }

    private synchronized List<Map.Entry<Observed, Long>> numbered() {
        List<Map.Entry<Observed, Long>> all = new ArrayList<>();
        numbers.forEach((selector, number) -> all.add(Map.entry(selector, number)));
        return all;
    }
}
