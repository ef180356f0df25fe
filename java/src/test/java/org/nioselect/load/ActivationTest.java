package org.nioselect.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.nioselect.NioselectProvider;
import org.nioselect.support.ChildJvm;
import org.nioselect.support.Providers;

/** What makes a JVM use the provider, and what does not. */
class ActivationTest {
    private static final Path PROVIDER = ChildJvm.locationOf(NioselectProvider.class);

    /** Prints the module and the class of the provider in use. */
    static final class ShowProvider {
        public static void main(String[] args) {
            Class<?> type = SelectorProvider.provider().getClass();
            System.out.println(type.getModule().getName() + "/" + type.getName());
        }
    }

    @Test
    void beingOnTheClassPathDoesNotActivateIt() throws Exception {
        assertFalse(ChildJvm.plain(ShowProvider.class).run().contains("nioselect"));
    }

    @Test
    void beingOnTheModulePathDoesNotActivateIt() throws Exception {
        String shown = ChildJvm.plain(ShowProvider.class).classPath(ChildJvm.tests())
                .option("--module-path=" + PROVIDER).option("--add-modules=org.nioselect").run();

        assertFalse(shown.contains("nioselect"), shown);
    }

    @Test
    void thePropertyActivatesItOnTheClassPath() throws Exception {
        assertEquals("null/" + NioselectProvider.class.getName(),
                ChildJvm.with(ShowProvider.class).run());
    }

    @Test
    void thePropertyActivatesItOnTheModulePath() throws Exception {
        assertEquals("org.nioselect/" + NioselectProvider.class.getName(),
                onModulePath(ShowProvider.class).run());
    }

    @Test
    void aModuleOpensSelectors() throws Exception {
        assertEquals(OpenTwice.BOTH_OURS, onModulePath(OpenTwice.class).run());
    }

    @Test
    void theBaseModuleIsEnough() throws Exception {
        assertEquals(OpenTwice.BOTH_OURS,
                ChildJvm.with(OpenTwice.class).option("--limit-modules=java.base").run());
    }

    @Test
    void theEnvironmentVariablesOfRustProgramsDoNotCount() throws Exception {
        ChildJvm jvm = ChildJvm.with(OpenTwice.class)
                .startedBy("env", "NIOSELECT_BACKEND=none", "NIOSELECT_DOORBELL=none");

        assertEquals(OpenTwice.BOTH_OURS, jvm.run());
    }

    @Test
    void noWarningIsPrintedOnceNativeAccessIsAllowed() throws Exception {
        assumeTrue(Providers.javaRelease() >= 24, "older Java versions never warn");

        assertEquals(OpenTwice.BOTH_OURS, onModulePath(OpenTwice.class).run());
        assertEquals(OpenTwice.BOTH_OURS, ChildJvm.with(OpenTwice.class).run());
    }

    private static ChildJvm onModulePath(Class<?> main) {
        ChildJvm jvm = ChildJvm.plain(main).classPath(ChildJvm.tests())
                .option("--module-path=" + PROVIDER)
                .option("--add-modules=org.nioselect")
                .option(ChildJvm.CHOOSE_PROVIDER);
        return Providers.javaRelease() < 24 ? jvm
                : jvm.option("--enable-native-access=org.nioselect");
    }
}
