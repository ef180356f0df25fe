package org.nioselect.support;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.nioselect.NioselectProvider;

/**
 * A JVM of its own, of the same version, for what a JVM does only once or from its start.
 *
 * <p>Its class path is the provider (the jar or the classes of this test run) and the tests.
 */
public final class ChildJvm {
    /** Makes the provider that of the whole JVM. */
    public static final String CHOOSE_PROVIDER =
            "-Djava.nio.channels.spi.SelectorProvider=org.nioselect.NioselectProvider";

    private final List<String> wrapper = new ArrayList<>();
    private final List<String> options = new ArrayList<>();
    private final Class<?> main;
    private String classPath = locationOf(NioselectProvider.class) + File.pathSeparator + tests();
    private ProcessBuilder.Redirect input = ProcessBuilder.Redirect.PIPE;

    private ChildJvm(Class<?> main) {
        this.main = main;
    }

    /**
     * A JVM that runs on this provider, without warnings of native access.
     *
     * @param main its main class
     * @return the JVM, not started
     */
    public static ChildJvm with(Class<?> main) {
        return plain(main).option(CHOOSE_PROVIDER).allowNativeAccess();
    }

    /**
     * A JVM without any option.
     *
     * @param main its main class
     * @return the JVM, not started
     */
    public static ChildJvm plain(Class<?> main) {
        return new ChildJvm(main);
    }

    /**
     * Where the classes of this run are.
     *
     * @param type one of them
     * @return a jar or a folder
     */
    public static Path locationOf(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * The class path of the tests alone.
     *
     * @return a folder
     */
    public static Path tests() {
        return locationOf(ChildJvm.class);
    }

    /**
     * Adds an option.
     *
     * @param option the option
     * @return this JVM
     */
    public ChildJvm option(String option) {
        options.add(option);
        return this;
    }

    /**
     * Allows the class path to load native code, on Java versions that want to be told.
     *
     * @return this JVM
     */
    public ChildJvm allowNativeAccess() {
        return Providers.javaRelease() < 24 ? this
                : option("--enable-native-access=ALL-UNNAMED");
    }

    /**
     * Sets a system property.
     *
     * @param name its name
     * @param value its value
     * @return this JVM
     */
    public ChildJvm property(String name, Object value) {
        return option("-D" + name + "=" + value);
    }

    /**
     * Sets another class path.
     *
     * @param parts its parts
     * @return this JVM
     */
    public ChildJvm classPath(Path... parts) {
        List<String> all = new ArrayList<>();
        for (Path part : parts) {
            all.add(part.toString());
        }
        classPath = String.join(File.pathSeparator, all);
        return this;
    }

    /**
     * Starts it by way of another command, to which it is appended.
     *
     * @param command the command
     * @return this JVM
     */
    public ChildJvm startedBy(String... command) {
        wrapper.addAll(List.of(command));
        return this;
    }

    /**
     * Sets its standard input; an empty pipe by default.
     *
     * @param source where it comes from
     * @return this JVM
     */
    public ChildJvm input(ProcessBuilder.Redirect source) {
        input = source;
        return this;
    }

    /**
     * Runs it to its end.
     *
     * @param arguments for its main method
     * @return what it has printed, trimmed
     * @throws Exception when it does not end soon or cannot be started
     */
    public String run(String... arguments) throws Exception {
        return start(arguments).output();
    }

    /**
     * Starts it.
     *
     * @param arguments for its main method
     * @return the running JVM
     * @throws IOException when it cannot be started
     */
    public Running start(String... arguments) throws IOException {
        Path output = Files.createTempFile("child", ".out");
        Process process = new ProcessBuilder(command(arguments))
                .redirectInput(input)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        return new Running(process, output);
    }

    /**
     * The command that starts it, for others to do so.
     *
     * @param arguments for its main method
     * @return the command and its arguments
     */
    public List<String> command(String... arguments) {
        List<String> command = new ArrayList<>(wrapper);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    /**
     * A JVM that has been started.
     *
     * @param process its process
     * @param file where its output goes
     */
    public record Running(Process process, Path file) {
        /**
         * Waits for its end.
         *
         * @return what it has printed, trimmed
         * @throws Exception when it does not end soon
         */
        public String output() throws Exception {
            try {
                if (!process.waitFor(Deadline.patient().millisLeft(), TimeUnit.MILLISECONDS)) {
                    throw new AssertionError("the JVM hangs, and has printed: " + printed());
                }
                return printed();
            } finally {
                process.destroyForcibly();
                Files.delete(file);
            }
        }

        private String printed() throws IOException {
            return Files.readString(file).trim();
        }
    }
}
