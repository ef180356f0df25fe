package org.nioselect.internal.sys;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Copies the native code from the jar into a file, from which alone the system can load it.
 *
 * <p>All this is {@code java.io}: an application can have a default file system of its own, which
 * knows nothing of the files that the system loads.
 *
 * @param platform what the code is for
 * @param fileName what the system calls a library of this name
 */
record Extraction(Platform platform, String fileName) {
    private static final String ROOT = "META-INF/native/";

    /** Where the jar has the code. */
    String resource() {
        return ROOT + platform.folder() + "/" + fileName;
    }

    Code read() throws IOException {
        try (InputStream in = open(resource())) {
            if (in == null) {
                throw new LoadFailure("there is none; it has native code for " + contents(), null);
            }
            return new Code(fileName, in.readAllBytes());
        }
    }

    /** Not through the class loader: another version can be ahead on the class path. */
    private static InputStream open(String resource) {
        return Extraction.class.getResourceAsStream("/" + resource);
    }

    private static String contents() throws IOException {
        StringBuilder folders = new StringBuilder();
        for (String folder : Platform.FOLDERS) {
            if (has(folder)) {
                folders.append(folders.length() == 0 ? "" : ", ").append(folder);
            }
        }
        return folders.length() == 0 ? "no platform at all" : folders.toString();
    }

    private static boolean has(String folder) {
        String extension = folder.startsWith("darwin") ? ".dylib" : ".so";
        return Extraction.class.getResource("/" + ROOT + folder + "/lib" + NativeLibrary.NAME
                + extension) != null;
    }

    /**
     * Native code in memory.
     *
     * @param fileName its usual name
     * @param bytes what is in the file
     */
    record Code(String fileName, byte[] bytes) {
        /**
         * The code as a file of a directory, which is written unless it is there.
         *
         * <p>Its name tells its content, so versions do not get into each other's way; what is
         * there under the name is compared all the same, as a full disk or a crash can leave
         * anything. It is complete as soon as it has the name, so JVMs can start at once.
         */
        File in(File directory) throws IOException {
            File file = new File(directory, nameByContent());
            if (!holdsCode(file)) {
                write(file);
            }
            return file;
        }

        private String nameByContent() {
            int dot = fileName.lastIndexOf('.');
            return fileName.substring(0, dot) + "-" + HexFormat.of().formatHex(sha256())
                    + fileName.substring(dot);
        }

        private byte[] sha256() {
            try {
                return MessageDigest.getInstance("SHA-256").digest(bytes);
            } catch (NoSuchAlgorithmException e) {
                throw new AssertionError("every Java has SHA-256", e);
            }
        }

        private boolean holdsCode(File file) throws IOException {
            if (file.length() != bytes.length) {
                return false;
            }
            try (InputStream in = new FileInputStream(file)) {
                return Arrays.equals(in.readAllBytes(), bytes);
            }
        }

        private void write(File file) throws IOException {
            File part = File.createTempFile("part-", null, file.getParentFile());
            try {
                try (OutputStream out = new FileOutputStream(part)) {
                    out.write(bytes);
                }
                if (!part.renameTo(file)) {
                    throw LoadFailure.ofDirectory("cannot rename " + part + " to " + file);
                }
            } finally {
                part.delete();
            }
        }
    }
}
