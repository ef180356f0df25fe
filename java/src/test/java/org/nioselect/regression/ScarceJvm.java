package org.nioselect.regression;

import org.nioselect.support.ChildJvm;

/** JVMs of their own, on the same backend as the running tests, which have little of something. */
final class ScarceJvm {
    private static final String BACKEND = "nioselect.backend";

    private ScarceJvm() {
    }

    /** With so much memory for direct buffers, in the JDK's notation. */
    static ChildJvm directMemory(Class<?> main, String size) {
        return jvm(main).option("-XX:MaxDirectMemorySize=" + size);
    }

    /** With a limit of the shell's {@code ulimit}, such as {@code -n 300}. */
    static ChildJvm limit(Class<?> main, String limit) {
        return jvm(main).startedBy("sh", "-c", "ulimit " + limit + "; exec \"$@\"", "sh");
    }

    private static ChildJvm jvm(Class<?> main) {
        String backend = System.getProperty(BACKEND);
        ChildJvm jvm = ChildJvm.with(main);
        return backend == null ? jvm : jvm.property(BACKEND, backend);
    }
}
