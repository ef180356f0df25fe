package org.nioselect.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** What the forks of a case have found, in pairs: one of the JDK's provider, one of the other. */
final class Comparison {
    private final List<Fork.Sample> theirs = new ArrayList<>();
    private final List<Fork.Sample> ours = new ArrayList<>();

    void add(Fork.Sample jdk, Fork.Sample other) {
        theirs.add(jdk);
        ours.add(other);
    }

    static String header(int nameWidth) {
        return String.format(Locale.ROOT, format(nameWidth, "%s"),
                "java", "benchmark", "jdk ns", "ours ns", "ours/jdk", "min", "max",
                "jdk B", "ours B");
    }

    String row(String name, int nameWidth) {
        double[] ratios = new double[ours.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = ours.get(i).nanos() / theirs.get(i).nanos();
        }
        Spread ratio = Spread.of(ratios);
        return String.format(Locale.ROOT, format(nameWidth, "%.2f"),
                theirs.get(0).java(), name,
                whole(theirs, Fork.Sample::nanos), whole(ours, Fork.Sample::nanos),
                ratio.median(), ratio.min(), ratio.max(),
                whole(theirs, Fork.Sample::bytes), whole(ours, Fork.Sample::bytes));
    }

    private static String format(int nameWidth, String ratio) {
        String wide = ratio.replace("%", "%8");
        return "%-9s %-" + nameWidth + "s %12s %12s  " + wide + wide + wide + " %10s %10s";
    }

    private static String whole(List<Fork.Sample> samples, ToDoubleFunction<Fork.Sample> value) {
        double median = Spread.of(samples.stream().mapToDouble(value).toArray()).median();
        return Long.toString(Math.round(median));
    }

    /**
     * The smallest, the middle and the largest of some values.
     *
     * @param min the smallest
     * @param median the one in the middle, or the mean of the two in the middle
     * @param max the largest
     */
    record Spread(double min, double median, double max) {
        static Spread of(double... values) {
            double[] sorted = values.clone();
            Arrays.sort(sorted);
            int last = sorted.length - 1;
            double median = (sorted[last / 2] + sorted[(last + 1) / 2]) / 2;
            return new Spread(sorted[0], median, sorted[last]);
        }
    }
}
