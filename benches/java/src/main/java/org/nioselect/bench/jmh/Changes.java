package org.nioselect.bench.jmh;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.nioselect.bench.Connections;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** What is done to a selector between two looks, beside channels that are silent. */
@State(Scope.Thread)
public class Changes extends ProviderChecked {
    private Watched watched;
    private Selector selector;
    private SelectionKey key;
    private Connections spare;
    private SocketChannel channel;

    /**
     * Opens the connections.
     *
     * @throws IOException if they cannot be had
     */
    @Setup
    public void open() throws IOException {
        watched = new Watched(0);
        selector = watched.selector();
        key = watched.key(0);
        spare = Connections.open(1);
        channel = spare.accepted().get(0);
    }

    /**
     * Closes them.
     *
     * @throws IOException if they cannot be closed
     */
    @TearDown
    public void close() throws IOException {
        spare.close();
        watched.close();
    }

    /**
     * Registers one channel more, looks, cancels its key and looks.
     *
     * @return how many were selected: none
     * @throws IOException if selecting fails
     */
    @Benchmark
    public int registerAndCancel() throws IOException {
        SelectionKey registered = channel.register(selector, SelectionKey.OP_READ);
        int selected = selector.selectNow();
        registered.cancel();
        return selected + selector.selectNow();
    }

    /**
     * Is interested in writing too, then only in reading again, and looks.
     *
     * @return how many were selected: none
     * @throws IOException if selecting fails
     */
    @Benchmark
    public int interestToggle() throws IOException {
        key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        key.interestOps(SelectionKey.OP_READ);
        return selector.selectNow();
    }

    /**
     * Asks for a wakeup while nobody waits, and looks.
     *
     * @return how many were selected: none
     * @throws IOException if selecting fails
     */
    @Benchmark
    public int wakeup() throws IOException {
        selector.wakeup();
        return selector.selectNow();
    }
}
