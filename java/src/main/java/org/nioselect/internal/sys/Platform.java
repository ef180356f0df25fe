package org.nioselect.internal.sys;

import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * A system, a processor and a C library: what native code is built for.
 *
 * <p>Processors have rustc's names, as the build asks rustc what it has built.
 *
 * @param system such as {@code linux}
 * @param processor such as {@code x86_64}
 * @param musl whether Linux programs are linked with musl instead of glibc
 */
record Platform(String system, String processor, boolean musl) {
    /** The folders that a jar with everything has. */
    static final List<String> FOLDERS = List.of(
            "linux-x86_64", "linux-aarch64", "linux-x86_64-musl", "linux-aarch64-musl",
            "darwin-x86_64", "darwin-aarch64", "freebsd-x86_64", "freebsd-aarch64");

    private static final String MEMORY_MAP = "/proc/self/maps";
    private static final String MUSL_LOADER = "/ld-musl-";

    static Platform current() {
        return of(System.getProperty("os.name"), System.getProperty("os.arch"), runsOnMusl());
    }

    static Platform of(String osName, String osArch, boolean musl) {
        String system = switch (osName) {
            case "Mac OS X" -> "darwin";
            case "SunOS" -> "illumos";
            default -> osName.toLowerCase(Locale.ROOT);
        };
        String processor = switch (osArch) {
            case "amd64" -> "x86_64";
            case "arm64" -> "aarch64";
            case "ppc64le" -> "powerpc64le";
            case "riscv64" -> "riscv64gc";
            default -> osArch;
        };
        return new Platform(system, processor, musl);
    }

    /** A system can have both C libraries installed, so what this process has loaded counts. */
    private static boolean runsOnMusl() {
        try (BufferedReader map = new BufferedReader(new FileReader(MEMORY_MAP))) {
            return map.lines().anyMatch(line -> line.contains(MUSL_LOADER));
        } catch (IOException e) {
            return false;
        }
    }

    /** The name of the folder of the jar that holds the code for this platform. */
    String folder() {
        return system + "-" + processor + (musl ? "-musl" : "");
    }
}
