package org.nioselect.internal.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is made of the texts of the dynamic linkers of glibc, musl and macOS. */
class LoadFailureTest {
    private static final File FILE = new File("/somewhere/libnioselect_jni.so");

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "libc.musl-x86_64.so.1: cannot open shared object file: No such file or directory"
            + " | it is built for musl, but this Java runs on glibc",
        "/usr/lib/x86_64-linux-gnu/libc.so: invalid ELF header"
            + " | it is built for musl, but this Java runs on glibc",
        "Error loading shared library ld-linux-x86-64.so.2: No such file or directory"
            + " | it is built for glibc, but this Java runs on musl",
        "Error relocating lib.so: gnu_get_libc_version: symbol not found"
            + " | it is built for glibc, but this Java runs on musl",
        "/lib64/libc.so.6: version `GLIBC_2.38' not found (required by lib.so)"
            + " | it is built for a newer glibc than this system has",
        "lib.so: wrong ELF class: ELFCLASS32"
            + " | it is built for another system or processor",
        "lib.dylib' (mach-o file, but is an incompatible architecture (have 'x86_64'))"
            + " | it is built for another system or processor",
    })
    void aLibraryForAnotherSystemIsRecognised(String text, String explanation) {
        assertEquals(text + " (" + explanation + ")", failure(text).getMessage());
        assertTrue(failure(text).advice().contains("cargo build"));
    }

    @Test
    void whatForbidsToRunCodeIsToldWithTheSystemsText() {
        String text = "libnioselect_jni.so: failed to map segment from shared object";

        assertEquals(text + " (the system does not let code run from there)",
                failure(text).getMessage());
        assertTrue(failure(text).advice().contains("-Dnioselect.native.dir="));
    }

    @Test
    void whatIsNotRecognisedIsPassedOn() {
        assertEquals("the moon is full", failure("the moon is full").getMessage());
    }

    private static LoadFailure failure(String text) {
        return LoadFailure.of(new UnsatisfiedLinkError(text), FILE);
    }
}
