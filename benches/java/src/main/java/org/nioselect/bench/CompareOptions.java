package org.nioselect.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What {@link Compare} was asked for.
 *
 * @param effort how long to measure
 * @param forks how many forks of each provider
 * @param javas the java executables
 * @param provider the class of the provider to compare with the JDK's
 * @param patterns regular expressions for the names of the benchmarks; none means all
 */
record CompareOptions(
        Effort effort, int forks, List<Path> javas, String provider, List<String> patterns) {
    static final String USAGE = """
            usage: java -jar nioselect-bench-VERSION.jar [OPTION]... [PATTERN]...

            Runs each benchmark whose name matches one of the regular expressions, or all of them,
            in JVMs that use the JDK's default provider and in others that use nioselect's, in turn,
            and prints a table of the ratios.

              --full            forty minutes rather than four for each JDK
              --forks N         how many JVMs of each provider for each benchmark
              --java PATH       another JDK beside the one that runs this: its folder or its java
                                executable; may be repeated
              --provider CLASS  compare this provider, which is on the class path
              --help            this text
            """;

    private static final String NIOSELECT = "org.nioselect.NioselectProvider";

    /** How long each fork measures. */
    enum Effort {
        QUICK(3, 5, 40),
        FULL(7, 20, 125);

        final int forks;
        /** As many again to warm up. */
        final int iterations;
        final int iterationMillis;

        Effort(int forks, int iterations, int iterationMillis) {
            this.forks = forks;
            this.iterations = iterations;
            this.iterationMillis = iterationMillis;
        }
    }

    /** A request that cannot be met; the message says why. */
    static final class WrongRequest extends Exception {
        private static final long serialVersionUID = 1;

        WrongRequest(String message) {
            super(message);
        }
    }

    static CompareOptions parse(String[] arguments) throws WrongRequest {
        Deque<String> left = new ArrayDeque<>(List.of(arguments));
        Effort effort = Effort.QUICK;
        int forks = 0;
        List<Path> javas = new ArrayList<>();
        javas.add(java(System.getProperty("java.home")));
        String provider = NIOSELECT;
        List<String> patterns = new ArrayList<>();
        while (!left.isEmpty()) {
            String argument = left.pop();
            switch (argument) {
                case "--full" -> effort = Effort.FULL;
                case "--forks" -> forks = count(valueOf(argument, left));
                case "--java" -> javas.add(java(valueOf(argument, left)));
                case "--provider" -> provider = valueOf(argument, left);
                default -> patterns.add(pattern(argument));
            }
        }
        if (forks == 0) {
            forks = effort.forks;
        }
        return new CompareOptions(effort, forks, javas, provider, patterns);
    }

    private static String valueOf(String option, Deque<String> left) throws WrongRequest {
        if (left.isEmpty()) {
            throw new WrongRequest(option + " needs a value");
        }
        return left.pop();
    }

    private static int count(String value) throws WrongRequest {
        try {
            int count = Integer.parseInt(value);
            if (count > 0) {
                return count;
            }
        } catch (NumberFormatException notNumber) {
            // It is refused as a number that is too small is.
        }
        throw new WrongRequest("--forks: not a number of at least 1: " + value);
    }

    private static Path java(String value) throws WrongRequest {
        Path path = Path.of(value);
        Path java = Files.isDirectory(path) ? path.resolve("bin/java") : path;
        if (!Files.isExecutable(java)) {
            throw new WrongRequest("--java: there is no " + java);
        }
        return java;
    }

    private static String pattern(String argument) throws WrongRequest {
        if (argument.startsWith("-")) {
            throw new WrongRequest("unknown option " + argument);
        }
        return argument;
    }
}
