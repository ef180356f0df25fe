package org.nioselect.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nioselect.support.ChildJvm;
import org.nioselect.support.Providers;

/** What an operator is told when the native code cannot be loaded, each time. */
class FailureTest {
    private static final String LIBRARY = System.mapLibraryName("nioselect_jni");

    @TempDir
    Path temporary;

    @Test
    void allThatWasTriedIsToldInOrder() throws Exception {
        String message = failure(ChildJvm.with(OpenTwice.class)
                .property("java.library.path", "/no/library/path")
                .property("nioselect.native.dir", "/no/native/dir"));

        assertInOrder(message,
                "UnsatisfiedLinkError: nioselect cannot load its native code, " + LIBRARY,
                "1. java.library.path:", "/no/library/path",
                "2. /no/native/dir/" + LIBRARY + ": there is no such file",
                "3. META-INF/native/", "cannot create a directory in /no/native/dir",
                "What helps:", "-Dnioselect.native.dir=DIRECTORY");
    }

    @Test
    void theJarSaysWhichPlatformsItHas() throws Exception {
        String message = failure(ChildJvm.with(OpenTwice.class).property("os.arch", "z80"));

        assertInOrder(message, "-z80/" + LIBRARY + " of the jar: there is none;"
                + " it has native code for ", NativeCode.folder());
    }

    @Test
    void aFileSystemWithoutExecutionIsNamed() throws Exception {
        String[] mounted = {"unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
            "mount -t tmpfs -o noexec tmpfs \"$0\" && exec \"$@\"", temporary.toString()};
        assumeTrue(works(mounted), "file systems cannot be mounted here");

        String message = failure(ChildJvm.with(OpenTwice.class).startedBy(mounted)
                .property("java.io.tmpdir", temporary));

        assertInOrder(message, "the file system at " + temporary + " is mounted noexec",
                "What helps:", "-Dnioselect.native.dir=DIRECTORY");
    }

    @Test
    void deniedNativeAccessIsExplainedWithTheWaysToAllowIt() throws Exception {
        assumeTrue(Providers.javaRelease() >= 24, "older Java versions do not deny it");

        String message = failure(ChildJvm.plain(OpenTwice.class).option(ChildJvm.CHOOSE_PROVIDER)
                .option("--illegal-native-access=deny"));

        assertInOrder(message, "does not allow it", "--enable-native-access=ALL-UNNAMED",
                "--enable-native-access=org.nioselect", "JDK_JAVA_OPTIONS",
                "Enable-Native-Access: ALL-UNNAMED");
    }

    /** What the first attempt to open a selector says, after comparing it with the second. */
    private static String failure(ChildJvm jvm) throws Exception {
        String[] messages = jvm.run().split(OpenTwice.SEPARATOR);
        assertEquals(2, messages.length, () -> String.join("", messages));
        assertEquals(messages[0], messages[1]);
        return messages[0];
    }

    private static void assertInOrder(String message, String... parts) {
        int from = 0;
        for (String part : parts) {
            int found = message.indexOf(part, from);
            assertTrue(found >= 0, () -> "no '" + part + "' where it should be in: " + message);
            from = found + part.length();
        }
    }

    private static boolean works(String... wrapper) throws Exception {
        String[] command = Arrays.copyOf(wrapper, wrapper.length + 1);
        command[wrapper.length] = "true";
        try {
            return new ProcessBuilder(command).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }
}
