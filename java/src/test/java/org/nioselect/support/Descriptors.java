package org.nioselect.support;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * This process's descriptors. Counted are those of the kinds that channels and selectors are made
 * of; files are left out, as class loading opens jars at any time.
 */
public final class Descriptors {
    private static final Path OPEN = Path.of("/proc/self/fd");
    private static final int WARM_UP = 10;

    private Descriptors() {
    }

    /**
     * The number of open sockets, pipes and anonymous inodes (epoll, eventfd).
     *
     * @return the count
     * @throws IOException when the process cannot look at itself
     */
    public static int count() throws IOException {
        int count = 0;
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(OPEN)) {
            for (Path entry : entries) {
                count += isFile(entry) ? 0 : 1;
            }
        }
        return count;
    }

    /**
     * Takes every descriptor that is left to this process.
     *
     * @return what holds them until it is closed
     */
    public static List<FileInputStream> exhaust() {
        List<FileInputStream> taken = new ArrayList<>();
        try {
            while (true) {
                taken.add(new FileInputStream("/dev/null"));
            }
        } catch (IOException e) {
            return taken;
        }
    }

    /**
     * Does something many times and fails if descriptors remain from it. What is opened once and
     * kept, by the first rounds or by a thread, is no leak.
     *
     * @param rounds how often
     * @param action what must leave no descriptor behind
     * @throws Exception what the action throws
     */
    public static void assertNoLeak(int rounds, Threads.Action action) throws Exception {
        repeat(WARM_UP, action);
        int before = count();
        repeat(rounds, action);
        int allowed = before + rounds / 4;
        Deadline.await("at most " + allowed + " descriptors are open (before: " + before + ")",
                () -> count() <= allowed);
    }

    private static void repeat(int rounds, Threads.Action action) throws Exception {
        for (int i = 0; i < rounds; i++) {
            action.run();
        }
    }

    private static boolean isFile(Path entry) throws IOException {
        try {
            return Files.readSymbolicLink(entry).toString().startsWith("/");
        } catch (NoSuchFileException e) {
            return true;
        }
    }
}
