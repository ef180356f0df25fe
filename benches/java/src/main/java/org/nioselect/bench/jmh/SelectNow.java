package org.nioselect.bench.jmh;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Set;
import java.util.function.Consumer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Looking at what is ready, without waiting, and visiting it. */
@State(Scope.Thread)
public class SelectNow extends ProviderChecked {
    /** How many of the channels are ready. */
    @Param({"0", "1", "10", "100", "1000"})
    public int ready;

    private Watched watched;
    private Selector selector;
    private int seen;
    private final Consumer<SelectionKey> visit = key -> seen += key.readyOps();

    /**
     * Opens the connections.
     *
     * @throws IOException if they cannot be had
     */
    @Setup
    public void open() throws IOException {
        watched = new Watched(ready);
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
     * Walks the selected keys and clears their set.
     *
     * @return what was seen
     * @throws IOException if selecting fails
     */
    @Benchmark
    public int selectedKeys() throws IOException {
        selector.selectNow();
        Set<SelectionKey> selected = selector.selectedKeys();
        for (SelectionKey key : selected) {
            visit.accept(key);
        }
        selected.clear();
        return seen;
    }

    /**
     * Has the selector hand each key to an action.
     *
     * @return what was seen
     * @throws IOException if selecting fails
     */
    @Benchmark
    public int consumer() throws IOException {
        selector.selectNow(visit);
        return seen;
    }
}
