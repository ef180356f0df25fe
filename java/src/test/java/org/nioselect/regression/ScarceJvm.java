package org.nioselect.regression;

import java.util.List;
import org.nioselect.support.ChildJvm;

/** JVMs of their own, on the same backend as the running tests, which have little of something. */
final class ScarceJvm {
    /** What says which backend it is. */
    private static final List<String> PROPERTIES =
            List.of("nioselect.backend", "nioselect.rt_signal");

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

    /** With small stacks, on which methods have the frames of the interpreter. */
    static ChildJvm smallStacks(Class<?> main) {
        return jvm(main).option("-Xss256k").option("-Xint");
    }

    private static ChildJvm jvm(Class<?> main) {
        ChildJvm jvm = ChildJvm.with(main);
        for (String property : PROPERTIES) {
            String value = System.getProperty(property);
            if (value != null) {
                jvm = jvm.property(property, value);
            }
        }
        return jvm;
    }
}
