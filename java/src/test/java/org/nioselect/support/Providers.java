package org.nioselect.support;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.channels.spi.SelectorProvider;

/** Which provider the tests run on: the contract holds for any, some promises only for ours. */
public final class Providers {
    private static final String OURS = "org.nioselect.";

    private Providers() {
    }

    /**
     * Whether the system-wide provider is the one of this project.
     *
     * @return true if so
     */
    public static boolean ours() {
        return SelectorProvider.provider().getClass().getName().startsWith(OURS);
    }

    /** Skips the test when it runs on another provider, such as the JDK's own. */
    public static void assumeOurs() {
        assumeTrue(ours(), "a promise of this provider only");
    }

    /**
     * The running Java's feature release, for behaviour that changed between releases.
     *
     * @return such as 17 or 25
     */
    public static int javaRelease() {
        return Runtime.version().feature();
    }
}
