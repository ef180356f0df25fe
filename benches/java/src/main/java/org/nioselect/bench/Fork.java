package org.nioselect.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.nioselect.bench.jmh.ProviderChecked;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** JMH in a JVM of its own, with a provider. */
final class Fork {
    /** A prefix, as {@link ProviderChecked#EXPECTED} takes it. */
    private static final String PACKAGE_OF_JDK = "sun.nio.ch.";

    private final Path java;
    private final List<String> jvmArguments;
    private final CompareOptions.Effort effort;
    private final Path log;

    private Fork(
            Path java,
            String expected,
            List<String> jvmArguments,
            CompareOptions.Effort effort,
            Path log) {
        this.java = java;
        this.jvmArguments = new ArrayList<>(jvmArguments);
        this.jvmArguments.add("-D" + ProviderChecked.EXPECTED + "=" + expected);
        // What the user of a provider with native code has to say; it is the same for both.
        this.jvmArguments.add("--enable-native-access=ALL-UNNAMED");
        this.effort = effort;
        this.log = log;
    }

    /** A fork that uses the JDK's default provider. */
    static Fork withDefault(Path java, CompareOptions.Effort effort, Path log) {
        return new Fork(java, PACKAGE_OF_JDK, List.of(), effort, log);
    }

    /** A fork that uses the provider of that class. */
    static Fork with(String provider, Path java, CompareOptions.Effort effort, Path log) {
        String choice = "-Djava.nio.channels.spi.SelectorProvider=" + provider;
        return new Fork(java, provider, List.of(choice), effort, log);
    }

    /**
     * What a fork has found.
     *
     * @param java the version of Java
     * @param nanos for each operation: the median of the iterations, so that what disturbs the
     *     machine during one of them does not count
     * @param bytes allocated for each operation
     */
    record Sample(String java, double nanos, double bytes) {
    }

    /** Runs the case. What JMH says goes to the log. */
    Sample run(Case benchmark) throws RunnerException {
        TimeValue iteration = TimeValue.milliseconds(effort.iterationMillis);
        OptionsBuilder options = new OptionsBuilder();
        benchmark.select(options);
        options.jvm(java.toString())
                .jvmArgs(jvmArguments.toArray(new String[0]))
                .forks(1)
                .mode(Mode.AverageTime)
                .timeUnit(TimeUnit.NANOSECONDS)
                .warmupIterations(effort.iterations)
                .warmupTime(iteration)
                .measurementIterations(effort.iterations)
                .measurementTime(iteration)
                .addProfiler(GCProfiler.class)
                .shouldFailOnError(true)
                .output(log.toString());
        RunResult result = new Runner(options.build()).runSingle();
        Result<?> bytes = result.getSecondaryResults().get("gc.alloc.rate.norm");
        return new Sample(
                result.getParams().getJdkVersion(),
                result.getPrimaryResult().getStatistics().getPercentile(50),
                bytes.getScore());
    }
}
