package org.nioselect.contract.selector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.nioselect.support.Deadline;
import org.nioselect.support.Providers;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** Runs a class in a JVM like this one, whichever provider that has, with other options. */
final class FreshJvm {
    /** Beginnings of the properties that tell which provider there is and where it lives. */
    private static final List<String> INHERITED =
            List.of("java.nio.channels.spi.", "java.library.path", "nioselect.", "org.nioselect.");

    private static final int NATIVE_ACCESS_OPTION = 22;

    private FreshJvm() {
    }

    /** Runs a main class with an option of the JVM and returns what it prints. */
    static String run(Class<?> main, String option) throws Exception {
        Process process = new ProcessBuilder(command(main, option))
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            Task<byte[]> output = Threads.start(() -> process.getInputStream().readAllBytes());
            long patience = Deadline.patient().millisLeft();
            assertTrue(process.waitFor(patience, TimeUnit.MILLISECONDS), "the JVM hangs");
            assertEquals(0, process.exitValue());
            return new String(output.join(), StandardCharsets.UTF_8).strip();
        } finally {
            process.destroyForcibly();
        }
    }

    private static List<String> command(Class<?> main, String option) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(option);
        if (Providers.javaRelease() >= NATIVE_ACCESS_OPTION) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        System.getProperties().forEach((name, value) -> {
            if (INHERITED.stream().anyMatch(name.toString()::startsWith)) {
                command.add("-D" + name + "=" + value);
            }
        });
        command.add(main.getName());
        return command;
    }
}
