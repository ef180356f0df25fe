package org.nioselect.bench.jmh;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.nioselect.bench.Connections;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Writing into one end of a connection and reading from the other, without waiting. */
@State(Scope.Thread)
public class Transfer extends ProviderChecked {
    /** The kinds of buffer. */
    public enum Memory {
        /** Outside the heap. */
        DIRECT {
            @Override
            ByteBuffer allocate(int size) {
                return ByteBuffer.allocateDirect(size);
            }
        },
        /** An array. */
        HEAP {
            @Override
            ByteBuffer allocate(int size) {
                return ByteBuffer.allocate(size);
            }
        };

        abstract ByteBuffer allocate(int size);
    }

    /** How many bytes. */
    @Param({"64", "65536"})
    public int size;

    /** Where they are. */
    @Param
    public Memory memory;

    private Connections connections;
    private SocketChannel from;
    private SocketChannel to;
    private ByteBuffer output;
    private ByteBuffer input;

    /**
     * Opens the connection.
     *
     * @throws IOException if it cannot be had
     */
    @Setup
    public void open() throws IOException {
        connections = Connections.open(1);
        from = connections.connected().get(0);
        from.configureBlocking(false);
        to = connections.accepted().get(0);
        output = memory.allocate(size);
        input = memory.allocate(size);
    }

    /**
     * Closes it.
     *
     * @throws IOException if it cannot be closed
     */
    @TearDown
    public void close() throws IOException {
        connections.close();
    }

    /**
     * Writes all bytes and reads them: in as many steps as the socket's buffers need.
     *
     * @return how many bytes were read
     * @throws IOException if the connection fails
     */
    @Benchmark
    public int writeAndRead() throws IOException {
        output.clear();
        input.clear();
        while (input.hasRemaining()) {
            if (output.hasRemaining()) {
                from.write(output);
            }
            if (to.read(input) < 0) {
                throw new EOFException();
            }
        }
        return input.position();
    }
}
