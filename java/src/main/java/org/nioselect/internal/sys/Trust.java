package org.nioselect.internal.sys;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileReader;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Whether nobody but this user and the superuser can have put a file where it is. Whoever else can
 * would run code as this user.
 */
final class Trust {
    private static final String STATUS = "/proc/self/status";
    private static final String USERS = "Uid:";
    /** Of the users in the status: the real one, the effective one and others. */
    private static final int EFFECTIVE = 2;

    private static final int SUPERUSER = 0;
    private static final int WRITABLE_FOR_OTHERS = 0022;

    private Trust() {
    }

    /**
     * Whether the application has replaced the default file system, through which alone it can be
     * told who owns a file.
     */
    static boolean cannotBeTold() {
        return System.getProperty("java.nio.file.spi.DefaultFileSystemProvider") != null;
    }

    /** Refuses a file that others can have put there, or can write to. */
    static void demand(File file) throws IOException {
        if (cannotBeTold()) {
            throw new LoadFailure("whether others can write to the directory cannot be told under"
                    + " a default file system of the application's; java.library.path can name it",
                    null);
        }
        demand(file.getParentFile().toPath(), "the directory");
        demand(file.toPath(), "the file");
    }

    private static void demand(Path path, String what) throws IOException {
        Map<String, Object> found = Files.readAttributes(path, "unix:uid,mode");
        if (((int) found.get("mode") & WRITABLE_FOR_OTHERS) != 0) {
            throw LoadFailure.ofDirectory(
                    "not trusted, as others than its owner can write to " + what);
        }
        int owner = (int) found.get("uid");
        if (owner != SUPERUSER && !isThisUser(owner, path)) {
            throw LoadFailure.ofDirectory("not trusted, as " + what + " belongs to another user");
        }
    }

    private static boolean isThisUser(int owner, Path path) throws IOException {
        try (BufferedReader status = new BufferedReader(new FileReader(STATUS))) {
            return effectiveUser(status.lines()) == owner;
        } catch (IOException e) {
            // Linux alone has such a file: elsewhere the name has to do.
            return Files.getOwner(path).equals(FileSystems.getDefault()
                    .getUserPrincipalLookupService()
                    .lookupPrincipalByName(System.getProperty("user.name")));
        }
    }

    private static int effectiveUser(Stream<String> status) throws IOException {
        String users = status.filter(line -> line.startsWith(USERS)).findFirst()
                .orElseThrow(() -> new IOException("no user in " + STATUS));
        return (int) Long.parseLong(users.split("\\s+")[EFFECTIVE]);
    }
}
