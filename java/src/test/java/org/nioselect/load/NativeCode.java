package org.nioselect.load;

import java.io.InputStream;
import java.util.Locale;
import org.nioselect.NioselectProvider;

/** The native code for this machine, as the build has put it among the provider's resources. */
final class NativeCode {
    private static final String SYSTEM = System.getProperty("os.name").equals("Mac OS X")
            ? "darwin" : System.getProperty("os.name").toLowerCase(Locale.ROOT);
    private static final String PROCESSOR = System.getProperty("os.arch").equals("amd64")
            ? "x86_64" : System.getProperty("os.arch");

    private NativeCode() {
    }

    /** The folder of the jar that has it. */
    static String folder() {
        String name = SYSTEM + "-" + PROCESSOR;
        return NioselectProvider.class.getResource(path(name)) == null ? name + "-musl" : name;
    }

    static InputStream open() {
        return NioselectProvider.class.getResourceAsStream(path(folder()));
    }

    private static String path(String folder) {
        return "/META-INF/native/" + folder + "/" + System.mapLibraryName("nioselect_jni");
    }
}
