package org.nioselect.bench.jmh;

import java.io.IOException;
import java.nio.channels.Selector;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Looking again and again while nothing is ready. */
@State(Scope.Thread)
public class Idle extends ProviderChecked {
    private static final String UNLOCKED = " unlocked";

    /**
     * When the selector is to have a doorbell, and whether it leaves the monitors alone while that
     * answers. The JDK's has none, and is the same with each.
     */
    @Param({"auto", "auto" + UNLOCKED, "off"})
    public String doorbell;

    private Watched watched;
    private Selector selector;

    /**
     * Opens the connections.
     *
     * @throws IOException if they cannot be had
     */
    @Setup
    public void open() throws IOException {
        boolean unlocked = doorbell.endsWith(UNLOCKED);
        System.setProperty("nioselect.doorbell.unlocked", String.valueOf(unlocked));
        System.setProperty("nioselect.doorbell", doorbell.replace(UNLOCKED, ""));
        watched = new Watched(0);
        selector = watched.selector();
    }

    /**
     * Closes them.
     *
     * @throws IOException if they cannot be closed
     */
    @TearDown
    public void close() throws IOException {
        watched.close();
    }

    /**
     * Looks.
     *
     * @return that nothing was found
     * @throws IOException if selecting fails
     */
    @Benchmark
    public int selectNow() throws IOException {
        return selector.selectNow();
    }
}
