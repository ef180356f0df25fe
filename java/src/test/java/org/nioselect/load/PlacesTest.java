package org.nioselect.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nioselect.support.ChildJvm;

/** Where the native code is looked for: each of these JVMs finds it in one place only. */
class PlacesTest {
    private static final String LIBRARY = System.mapLibraryName("nioselect_jni");
    private static final String MISSING = "/there/is/no/such/directory";

    @TempDir
    Path directory;

    @BeforeEach
    void openTheDirectoryToNobodyElse() throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    }

    @Test
    void theLibraryPath() throws Exception {
        copyLibrary();

        assertOpens(jvm().property("java.library.path", directory)
                .property("nioselect.native.dir", MISSING));
    }

    @Test
    void theDirectoryOfTheProperty() throws Exception {
        copyLibrary();

        assertOpens(jvm().property("nioselect.native.dir", directory));
        assertEquals(1, directory.toFile().list().length, "nothing has been extracted");
    }

    @Test
    void aCopyInTheDirectoryOfTheProperty() throws Exception {
        assertOpens(jvm().property("nioselect.native.dir", directory));
        assertTrue(Files.isDirectory(
                directory.resolve("nioselect-" + System.getProperty("user.name"))));
    }

    @Test
    void aFileThatIsNoLibraryIsPassedOver() throws Exception {
        Files.writeString(directory.resolve(LIBRARY), "no library");

        assertOpens(jvm().property("java.library.path", directory)
                .property("nioselect.native.dir", directory));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwxrwxrwx", "rwxrwxr-x", "rwx----w-"})
    void aDirectoryThatOthersCanWriteToIsPassedOver(String permissions) throws Exception {
        copyLibrary();
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(permissions));

        assertNotTrusted("others than its owner can write to the directory");
    }

    @Test
    void aFileThatOthersCanWriteToIsPassedOver() throws Exception {
        copyLibrary();
        Files.setPosixFilePermissions(directory.resolve(LIBRARY),
                PosixFilePermissions.fromString("rw-rw-r--"));

        assertNotTrusted("others than its owner can write to the file");
    }

    @Test
    void aDirectoryOfAnotherUserIsPassedOver() throws Exception {
        copyLibrary();
        giveAway(directory);

        assertNotTrusted("the directory belongs to another user");
    }

    @Test
    void aFileOfAnotherUserIsPassedOver() throws Exception {
        copyLibrary();
        giveAway(directory.resolve(LIBRARY));

        assertNotTrusted("the file belongs to another user");
    }

    /** Only the superuser can: others skip the test. */
    private static void giveAway(Path path) throws IOException {
        try {
            Files.setOwner(path, path.getFileSystem().getUserPrincipalLookupService()
                    .lookupPrincipalByName("nobody"));
        } catch (FileSystemException | UserPrincipalNotFoundException e) {
            abort("files cannot be given away here: " + e);
        }
    }

    /** On a processor that the jar has nothing for. */
    private void assertNotTrusted(String reason) throws Exception {
        String printed = jvm().property("nioselect.native.dir", directory)
                .property("os.arch", "z80").run();

        assertTrue(printed.contains(directory.resolve(LIBRARY) + ": not trusted, as " + reason),
                printed);
    }

    private static ChildJvm jvm() {
        return ChildJvm.with(OpenTwice.class).property("java.io.tmpdir", MISSING);
    }

    /** Java itself may warn before, of the missing directory or of the file that is no library. */
    private static void assertOpens(ChildJvm jvm) throws Exception {
        String printed = jvm.run();
        assertTrue(printed.endsWith(OpenTwice.BOTH_OURS), printed);
    }

    private void copyLibrary() throws IOException {
        try (InputStream library = NativeCode.open()) {
            Files.copy(library, directory.resolve(LIBRARY));
        }
    }
}
