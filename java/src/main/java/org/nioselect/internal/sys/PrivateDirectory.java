package org.nioselect.internal.sys;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;

/**
 * Directories that only this user can write to.
 *
 * <p>Whoever can put a file where native code is loaded from runs code as this user, and the
 * directory for temporary files is everybody's. Ownership can be seen only through
 * {@code java.nio.file}, and not if the application has replaced the default file system: then
 * nothing is trusted that was there before.
 */
final class PrivateDirectory {
    private static final String PREFIX = "nioselect-";
    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rwx------");

    private PrivateDirectory() {
    }

    /** Creates a new directory, of a name that nobody can guess. */
    static File create(File parent) throws IOException {
        File directory = new File(parent, PREFIX + UUID.randomUUID());
        if (!directory.mkdir()) {
            throw LoadFailure.ofDirectory("cannot create a directory in " + parent);
        }
        if (!restrictToOwner(directory)) {
            delete(directory);
            throw LoadFailure.ofDirectory("cannot set the permissions of " + directory);
        }
        return directory;
    }

    /** Under a lax umask others can have been quick: the directory must still be empty. */
    private static boolean restrictToOwner(File directory) {
        boolean closed = directory.setReadable(false, false)
                & directory.setWritable(false, false)
                & directory.setExecutable(false, false);
        boolean opened = directory.setReadable(true, true)
                & directory.setWritable(true, true)
                & directory.setExecutable(true, true);
        String[] files = directory.list();
        return closed && opened && files != null && files.length == 0;
    }

    /** Removes a directory and the files in it. */
    static void delete(File directory) {
        File[] files = directory.listFiles();
        if (files != null) {
            for (File file : files) {
                file.delete();
            }
        }
        directory.delete();
    }

    /**
     * The directory that all JVMs of this user share, which is created if need be.
     *
     * @param parent where it is
     * @param own a directory of this user, to compare with
     * @return null if it belongs to somebody else or that cannot be told
     */
    static File shared(File parent, File own) throws IOException {
        if (Trust.cannotBeTold()) {
            return null;
        }
        Path directory = new File(parent, PREFIX + userName()).toPath();
        try {
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        } catch (FileAlreadyExistsException e) {
            // An earlier JVM's, or a trap: the attributes tell.
        }
        PosixFileAttributes found = attributes(directory);
        boolean trusted = found.isDirectory() && found.permissions().equals(OWNER_ONLY)
                && found.owner().equals(attributes(own.toPath()).owner());
        return trusted ? directory.toFile() : null;
    }

    private static PosixFileAttributes attributes(Path path) throws IOException {
        return Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    private static String userName() {
        return System.getProperty("user.name").replaceAll("[^A-Za-z0-9._-]", "_");
    }
}
