package org.nioselect.bench.jmh;

import java.nio.channels.spi.SelectorProvider;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** What all benchmarks have in common: they refuse to measure another provider than is meant. */
@State(Scope.Thread)
public abstract class ProviderChecked {
    /**
     * The system property with the class of the provider that is meant, or the package of it,
     * ending in a dot. Without it, any will do.
     */
    public static final String EXPECTED = "nioselect.bench.expected";

    /** For the benchmarks. */
    protected ProviderChecked() {
    }

    /** Fails in a JVM that does not use the provider. */
    @Setup
    public void checkProvider() {
        String expected = System.getProperty(EXPECTED, "");
        String actual = SelectorProvider.provider().getClass().getName();
        boolean isMeant =
                expected.endsWith(".") ? actual.startsWith(expected) : actual.equals(expected);
        if (!expected.isEmpty() && !isMeant) {
            throw new IllegalStateException(
                    "this JVM uses " + actual + ", and " + expected + " was to be measured");
        }
    }
}
