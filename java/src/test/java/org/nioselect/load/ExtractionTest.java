package org.nioselect.load;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nioselect.support.ChildJvm;

/** How the native code gets from the jar to where the system can load it, and who can meddle. */
class ExtractionTest {
    private static final int AT_ONCE = 4;

    @TempDir
    Path temporary;

    private Path shared;

    @BeforeEach
    void nameTheSharedDirectory() {
        shared = temporary.resolve("nioselect-" + System.getProperty("user.name"));
    }

    @Test
    void theFileIsNamedByItsContentInADirectoryOfTheUsersOwn() throws Exception {
        open();

        assertEquals(List.of(shared), list(temporary));
        assertEquals("rwx------", permissions(shared));
        Path file = onlyFile();
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
        assertTrue(file.toString().contains(HexFormat.of().formatHex(hash)), file.toString());
    }

    @Test
    void theNextJvmUsesTheSameFile() throws Exception {
        open();
        Object first = identity(onlyFile());
        open();

        assertEquals(first, identity(onlyFile()));
    }

    @Test
    void aDamagedFileIsReplaced() throws Exception {
        open();
        byte[] right = Files.readAllBytes(onlyFile());
        byte[] wrong = right.clone();
        wrong[wrong.length / 2] ^= 1;
        for (byte[] damaged : List.of(wrong, new byte[0])) {
            Files.write(onlyFile(), damaged);
            open();
            assertArrayEquals(right, Files.readAllBytes(onlyFile()));
        }
    }

    @Test
    void aDirectoryInPlaceOfTheFileIsLeftAlone() throws Exception {
        open();
        Path name = onlyFile();
        Files.delete(name);
        Files.createDirectories(name.resolve("not empty"));

        open();

        assertEquals(name, onlyFile());
        assertEquals(List.of(shared), list(temporary));
    }

    @Test
    void manyJvmsCanStartAtOnce() throws Exception {
        List<ChildJvm.Running> started = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            started.add(jvm().start());
        }
        for (ChildJvm.Running jvm : started) {
            assertEquals(OpenTwice.BOTH_OURS, jvm.output());
        }
        onlyFile();
    }

    @Test
    void aDirectoryThatOthersCanWriteToIsNotUsed() throws Exception {
        Files.createDirectory(shared);
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));

        open();

        assertEquals(List.of(), list(shared));
        assertEquals(List.of(shared), list(temporary));
    }

    @Test
    void aLinkToADirectoryIsNotUsed() throws Exception {
        Path elsewhere = Files.createDirectory(temporary.resolve("elsewhere"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.createSymbolicLink(shared, elsewhere);

        open();

        assertEquals(List.of(), list(elsewhere));
    }

    @Test
    void everyClassLoaderLoadsItsOwn() throws Exception {
        assertEquals(OpenTwice.BOTH_OURS, ChildJvm.with(TwoClassLoaders.class)
                .property("java.io.tmpdir", temporary).run());
        assertEquals(List.of(shared), list(temporary));
    }

    @Test
    void anApplicationCanHaveItsOwnDefaultFileSystem() throws Exception {
        assertEquals(OpenTwice.BOTH_OURS, jvm().property(
                "java.nio.file.spi.DefaultFileSystemProvider", OwnFileSystem.class.getName())
                .run());
        assertEquals(List.of(), list(temporary));
    }

    private ChildJvm jvm() {
        return ChildJvm.with(OpenTwice.class).property("java.io.tmpdir", temporary);
    }

    private void open() throws Exception {
        assertEquals(OpenTwice.BOTH_OURS, jvm().run());
    }

    private Path onlyFile() throws IOException {
        List<Path> files = list(shared);
        assertEquals(1, files.size(), files.toString());
        return files.get(0);
    }

    private static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    private static Object identity(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }

    private static String permissions(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }
}
