package org.nioselect.internal.sys;

import java.io.BufferedReader;
import java.io.File;
import java.io.FileReader;
import java.io.IOException;
import java.util.List;

/** What Linux tells about the file systems that are mounted. */
final class Mounts {
    private static final String TABLE = "/proc/mounts";
    private static final int POINT = 1;
    private static final int OPTIONS = 3;

    private Mounts() {
    }

    /**
     * The mount point of the file system a file is on, if code cannot be run from it.
     *
     * @param file a file that need not exist
     * @return the mount point; null if code can be run there or it is not known
     */
    static String noexec(File file) {
        try (BufferedReader table = new BufferedReader(new FileReader(TABLE))) {
            return noexec(file.getCanonicalPath(), table.lines().toList());
        } catch (IOException e) {
            return null;
        }
    }

    /** The longest mount point counts, and of several there the one that was mounted last. */
    static String noexec(String path, List<String> table) {
        String point = "";
        boolean noexec = false;
        for (String line : table) {
            String[] fields = line.split(" ");
            String candidate = unescaped(fields[POINT]);
            if (contains(candidate, path) && candidate.length() >= point.length()) {
                point = candidate;
                noexec = List.of(fields[OPTIONS].split(",")).contains("noexec");
            }
        }
        return noexec ? point : null;
    }

    private static boolean contains(String point, String path) {
        return path.equals(point) || path.startsWith(point.endsWith("/") ? point : point + "/");
    }

    /** The kernel writes what would break the table apart in octal. */
    private static String unescaped(String field) {
        return field.replace("\\040", " ").replace("\\011", "\t").replace("\\012", "\n")
                .replace("\\134", "\\");
    }
}
