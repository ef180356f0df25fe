package org.nioselect.internal.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The names of folders for what Java calls the system and the processor. */
class PlatformTest {
    @ParameterizedTest
    @CsvSource({
        "Linux, amd64, false, linux-x86_64",
        "Linux, aarch64, false, linux-aarch64",
        "Linux, amd64, true, linux-x86_64-musl",
        "Linux, riscv64, false, linux-riscv64gc",
        "Mac OS X, aarch64, false, darwin-aarch64",
        "Mac OS X, x86_64, false, darwin-x86_64",
        "FreeBSD, amd64, false, freebsd-x86_64",
        "SunOS, amd64, false, illumos-x86_64",
    })
    void systemProcessorAndCLibraryAreInTheName(String os, String arch, boolean musl,
            String folder) {
        assertEquals(folder, Platform.of(os, arch, musl).folder());
    }
}
