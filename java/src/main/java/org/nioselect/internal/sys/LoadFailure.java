package org.nioselect.internal.sys;

import java.io.File;
import java.io.IOException;
import java.io.Serial;

/**
 * Why native code could not be loaded from one place, in the words of an operator, and what helps.
 *
 * <p>The JVM passes on the text of dlopen(3), which names a symptom: that a file system is mounted
 * noexec appears as a segment that cannot be mapped.
 */
final class LoadFailure extends IOException {
    @Serial
    private static final long serialVersionUID = 1;

    private static final String OTHER_DIRECTORY = "name another directory, one that you may write"
            + " to and run code from: -Dnioselect.native.dir=DIRECTORY";
    private static final String OTHER_BUILD = "build the native code on this system, or for it:"
            + " cargo build --release -p nioselect-jni";

    private final String advice;

    LoadFailure(String reason, String advice) {
        super(reason);
        this.advice = advice;
    }

    /** For a directory that does not do, whatever the code is. */
    static LoadFailure ofDirectory(String reason) {
        return new LoadFailure(reason, OTHER_DIRECTORY);
    }

    static LoadFailure of(UnsatisfiedLinkError error, File file) {
        String text = String.valueOf(error.getMessage());
        if (says(text, "failed to map segment", "Operation not permitted", "Permission denied")) {
            return ofDirectory(text + " (" + whyForbidden(file) + ")");
        }
        String mismatch = mismatch(text);
        return mismatch == null
                ? new LoadFailure(text, null)
                : new LoadFailure(text + " (" + mismatch + ")", OTHER_BUILD);
    }

    private static String whyForbidden(File file) {
        String mount = Mounts.noexec(file);
        return mount == null
                ? "the system does not let code run from there"
                : "the file system at " + mount + " is mounted noexec";
    }

    private static String mismatch(String text) {
        if (says(text, "ld-musl-", "libc.musl-", "libc.so: invalid ELF header")) {
            return "it is built for musl, but this Java runs on glibc";
        }
        if (says(text, "`GLIBC_", "'GLIBC_")) {
            return "it is built for a newer glibc than this system has";
        }
        if (says(text, "ld-linux", "symbol not found")) {
            return "it is built for glibc, but this Java runs on musl";
        }
        if (says(text, "wrong ELF class", "invalid ELF header", "Exec format error",
                "incompatible architecture")) {
            return "it is built for another system or processor";
        }
        return null;
    }

    private static boolean says(String text, String... parts) {
        for (String part : parts) {
            if (text.contains(part)) {
                return true;
            }
        }
        return false;
    }

    /** What helps, or null if nothing better is known than another file. */
    String advice() {
        return advice;
    }
}
