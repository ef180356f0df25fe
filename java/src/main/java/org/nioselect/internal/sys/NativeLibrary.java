package org.nioselect.internal.sys;

import java.io.File;
import java.io.IOException;

/**
 * Loads the native code of the provider, once in the life of this class.
 *
 * <p>Every class with native methods asks for it. A failure is remembered, so that whoever comes
 * second is told as much as the first, and nothing is tried twice.
 */
public final class NativeLibrary {
    static final String NAME = "nioselect_jni";
    private static final String DIRECTORY = "nioselect.native.dir";

    private static volatile boolean loaded;
    private static String failure;

    private NativeLibrary() {
    }

    /**
     * Loads the native code unless it is loaded.
     *
     * @throws UnsatisfiedLinkError if that is impossible; its message says what was tried, why it
     *     failed and what can be done, and is the same each time
     */
    public static void load() {
        if (!loaded) {
            loadOrFail();
        }
    }

    private static synchronized void loadOrFail() {
        if (!loaded && failure == null) {
            failure = tryAll();
            loaded = failure == null;
        }
        if (failure != null) {
            throw new UnsatisfiedLinkError(failure);
        }
    }

    /** Returns null after success, else what to say. */
    private static String tryAll() {
        Extraction extraction = new Extraction(Platform.current(), System.mapLibraryName(NAME));
        LoadReport report = new LoadReport();
        try {
            if (fromLibraryPath(report) || fromDirectory(report) || fromJar(report, extraction)) {
                return null;
            }
            return report.text(extraction);
        } catch (IllegalCallerException e) {
            return LoadReport.denied(e);
        }
    }

    private static boolean fromLibraryPath(LoadReport report) {
        return report.succeeds("java.library.path", () -> System.loadLibrary(NAME));
    }

    private static boolean fromDirectory(LoadReport report) {
        String directory = System.getProperty(DIRECTORY);
        if (directory == null) {
            return false;
        }
        File file = new File(directory, System.mapLibraryName(NAME)).getAbsoluteFile();
        return report.succeeds(file.getPath(), () -> {
            if (!file.isFile()) {
                throw new LoadFailure("there is no such file", null);
            }
            Trust.demand(file);
            load(file);
        });
    }

    private static boolean fromJar(LoadReport report, Extraction extraction) {
        String parent = System.getProperty(DIRECTORY, System.getProperty("java.io.tmpdir"));
        return report.succeeds(extraction.resource() + " of the jar",
                () -> loadCopy(extraction.read(), new File(parent).getAbsoluteFile()));
    }

    /**
     * Loads from a file that all JVMs of this user share, or else from one of this JVM's own. A
     * file can be loaded by one class loader only, and an application can have this class in
     * several; and others of this user can have left anything in the shared directory.
     */
    private static void loadCopy(Extraction.Code code, File parent) throws IOException {
        File own = PrivateDirectory.create(parent);
        try {
            if (!loadsShared(code, parent, own)) {
                load(code.in(own));
            }
        } finally {
            PrivateDirectory.delete(own);
        }
    }

    private static boolean loadsShared(Extraction.Code code, File parent, File own) {
        try {
            File shared = PrivateDirectory.shared(parent, own);
            if (shared == null) {
                return false;
            }
            load(code.in(shared));
            return true;
        } catch (IOException e) {
            // If the reason is not that directory, the one of this JVM's own tells it as well.
            return false;
        }
    }

    private static void load(File file) throws LoadFailure {
        try {
            System.load(file.getPath());
        } catch (UnsatisfiedLinkError e) {
            throw LoadFailure.of(e, file);
        }
    }
}
