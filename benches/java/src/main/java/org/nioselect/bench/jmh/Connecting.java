package org.nioselect.bench.jmh;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.nioselect.bench.Connections;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Making a connection and ending it. */
@State(Scope.Thread)
public class Connecting extends ProviderChecked {
    private ServerSocketChannel listener;
    private SocketAddress address;

    /**
     * Opens a listener.
     *
     * @throws IOException if it cannot be had
     */
    @Setup
    public void open() throws IOException {
        listener = Connections.listen();
        address = listener.getLocalAddress();
    }

    /**
     * Closes it.
     *
     * @throws IOException if it cannot be closed
     */
    @TearDown
    public void close() throws IOException {
        listener.close();
    }

    /**
     * Connects, accepts and closes both ends, first the one that resets the connection.
     *
     * @return the accepted end, closed
     * @throws IOException if the connection fails
     */
    @Benchmark
    public SocketChannel connectAndAccept() throws IOException {
        SocketChannel connected = Connections.connect(address);
        SocketChannel accepted = listener.accept();
        connected.close();
        accepted.close();
        return accepted;
    }
}
