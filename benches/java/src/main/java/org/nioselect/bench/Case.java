package org.nioselect.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.regex.Pattern;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * A benchmark with a value for each of its parameters.
 *
 * @param benchmark the method's full name
 * @param parameters their values, by name
 */
record Case(String benchmark, Map<String, String> parameters) {
    /** The cases whose benchmarks match one of the patterns, or all if there are none. */
    static List<Case> matching(List<String> patterns) {
        SortedSet<BenchmarkListEntry> benchmarks = BenchmarkList.defaultList().find(
                OutputFormatFactory.createFormatInstance(System.out, VerboseMode.SILENT),
                patterns,
                List.of());
        List<Case> cases = new ArrayList<>();
        for (BenchmarkListEntry entry : benchmarks) {
            cases.addAll(of(entry));
        }
        return cases;
    }

    /** A case for each combination of parameters. */
    private static List<Case> of(BenchmarkListEntry entry) {
        List<Case> cases = List.of(new Case(entry.getUsername(), Map.of()));
        for (var parameter : entry.getParams().orElse(Map.of()).entrySet()) {
            List<Case> extended = new ArrayList<>();
            for (Case one : cases) {
                for (String value : parameter.getValue()) {
                    extended.add(one.with(parameter.getKey(), value));
                }
            }
            cases = extended;
        }
        return cases;
    }

    private Case with(String name, String value) {
        Map<String, String> extended = new LinkedHashMap<>(parameters);
        extended.put(name, value);
        return new Case(benchmark, extended);
    }

    /** Has JMH run this case and no other. */
    void select(OptionsBuilder options) {
        options.include("^" + Pattern.quote(benchmark) + "$");
        parameters.forEach(options::param);
    }

    /** Class and method, then the parameters. */
    @Override
    public String toString() {
        int packageEnd = benchmark.lastIndexOf('.', benchmark.lastIndexOf('.') - 1);
        StringBuilder text = new StringBuilder(benchmark.substring(packageEnd + 1));
        parameters.forEach((name, value) ->
                text.append(' ').append(name).append('=').append(value));
        return text.toString();
    }
}
