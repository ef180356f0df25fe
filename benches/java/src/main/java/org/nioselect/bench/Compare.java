package org.nioselect.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.nioselect.bench.CompareOptions.WrongRequest;
import org.openjdk.jmh.runner.RunnerException;

/**
 * Runs each benchmark in forks that use the JDK's provider and in forks that use another, in turn,
 * and prints the ratios of those that ran side by side.
 */
public final class Compare {
    private final CompareOptions options;
    private final List<Case> cases;
    private final int nameWidth;
    private final Path log;

    private Compare(CompareOptions options, List<Case> cases, Path log) {
        this.options = options;
        this.cases = cases;
        this.log = log;
        nameWidth = cases.stream().mapToInt(one -> one.toString().length()).max().orElse(0);
    }

    /**
     * Runs it.
     *
     * @param arguments as {@code --help} explains them
     * @throws IOException if there is no room for JMH's log
     */
    public static void main(String[] arguments) throws IOException {
        if (List.of(arguments).contains("--help")) {
            System.out.print(CompareOptions.USAGE);
            return;
        }
        try {
            CompareOptions options = CompareOptions.parse(arguments);
            System.exit(run(options, cases(options)) ? 0 : 1);
        } catch (WrongRequest wrong) {
            System.err.println("error: " + wrong.getMessage());
            System.exit(2);
        }
    }

    private static List<Case> cases(CompareOptions options) throws WrongRequest {
        List<Case> cases = Case.matching(options.patterns());
        if (cases.isEmpty()) {
            throw new WrongRequest("no benchmark matches " + options.patterns());
        }
        try {
            Class.forName(options.provider(), false, ClassLoader.getSystemClassLoader());
        } catch (ClassNotFoundException missing) {
            throw new WrongRequest(options.provider() + " is not on the class path: "
                    + "build the jars with `make jars`, or name the provider's jar in "
                    + "-cp PROVIDER.jar:BENCHMARKS.jar " + Compare.class.getName());
        }
        return cases;
    }

    private static boolean run(CompareOptions options, List<Case> cases) throws IOException {
        Path log = Files.createTempFile("nioselect-bench", ".log");
        log.toFile().deleteOnExit();
        try {
            new Compare(options, cases, log).run();
            return true;
        } catch (RunnerException failure) {
            System.err.println(Files.readString(log));
            System.err.println("error: JMH failed, as its log above says: " + failure.getMessage());
            return false;
        }
    }

    private void run() throws RunnerException {
        System.out.println("jdk: its default provider; ours: " + options.provider()
                + "; forks of each, in turn: " + options.forks());
        System.out.println("ns, B: time and garbage for each operation, JMH's own included: "
                + "medians of the forks");
        System.out.println("ours/jdk: of the times, for each pair of forks: "
                + "median, least and greatest");
        System.out.println();
        System.out.println(Comparison.header(nameWidth));
        for (Path java : options.javas()) {
            Fork jdk = Fork.withDefault(java, options.effort(), log);
            Fork ours = Fork.with(options.provider(), java, options.effort(), log);
            for (Case one : cases) {
                System.out.println(compare(one, jdk, ours).row(one.toString(), nameWidth));
            }
        }
    }

    /** The fork that is the first of a pair is the second of the next. */
    private Comparison compare(Case one, Fork jdk, Fork ours) throws RunnerException {
        Comparison comparison = new Comparison();
        for (int pair = 0; pair < options.forks(); pair++) {
            if (pair % 2 == 0) {
                Fork.Sample first = jdk.run(one);
                comparison.add(first, ours.run(one));
            } else {
                Fork.Sample first = ours.run(one);
                comparison.add(jdk.run(one), first);
            }
        }
        return comparison;
    }
}
