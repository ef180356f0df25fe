package org.nioselect.bench.jmh;

import java.io.IOException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Beginning with many connections at once. */
@State(Scope.Thread)
public class Opening extends ProviderChecked {
    private Watched watched;

    /**
     * Connects them all, registers the accepted ends with a selector, and looks.
     *
     * @throws IOException if a connection fails
     */
    @Benchmark
    public void connectAndRegisterAll() throws IOException {
        watched = new Watched(0);
    }

    /**
     * Closes them, which is not part of what is measured: it is so long that not measuring it
     * costs nothing.
     *
     * @throws IOException if they cannot be closed
     */
    @TearDown(Level.Invocation)
    public void close() throws IOException {
        watched.close();
    }
}
