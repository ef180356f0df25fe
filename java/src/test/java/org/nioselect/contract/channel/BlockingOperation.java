package org.nioselect.contract.channel;

import java.io.Closeable;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;

/**
 * Every way of blocking on a channel, each prepared such that the call blocks until somebody
 * interferes: what close and interrupt do must be the same for all of them.
 */
final class BlockingOperation implements AutoCloseable {
    /** More than any socket or pipe takes at once after it was full. */
    private static final int TOO_MUCH = 16 * 1024 * 1024;

    private final Deque<Closeable> resources = new ArrayDeque<>();
    private AbstractInterruptibleChannel channel;
    private String method;
    private Callable<?> call;

    private BlockingOperation() {
    }

    /** Makes a fresh operation of one kind. */
    @FunctionalInterface
    interface Kind {
        /** Opens what is needed and fills in channel, method and call. */
        void prepare(BlockingOperation operation) throws Exception;

        default BlockingOperation open() throws Exception {
            BlockingOperation operation = new BlockingOperation();
            try {
                prepare(operation);
                return operation;
            } catch (Exception e) {
                operation.close();
                throw e;
            }
        }
    }

    static Stream<Named<Kind>> all() {
        return Stream.of(
                Named.of("read", BlockingOperation::read),
                Named.of("scattering read", BlockingOperation::scatteringRead),
                Named.of("write", BlockingOperation::write),
                Named.of("gathering write", BlockingOperation::gatheringWrite),
                Named.of("connect", BlockingOperation::connect),
                Named.of("finishConnect", BlockingOperation::finishConnect),
                Named.of("accept", BlockingOperation::accept),
                Named.of("UNIX read", BlockingOperation::unixRead),
                Named.of("UNIX write", BlockingOperation::unixWrite),
                Named.of("UNIX accept", BlockingOperation::unixAccept),
                Named.of("datagram receive", BlockingOperation::datagramReceive),
                Named.of("datagram read", BlockingOperation::datagramRead),
                Named.of("datagram scattering read", BlockingOperation::datagramScatteringRead),
                Named.of("pipe read", BlockingOperation::pipeRead),
                Named.of("pipe scattering read", BlockingOperation::pipeScatteringRead),
                Named.of("pipe write", BlockingOperation::pipeWrite),
                Named.of("pipe gathering write", BlockingOperation::pipeGatheringWrite));
    }

    /** The channel that is blocked on. */
    AbstractInterruptibleChannel channel() {
        return channel;
    }

    /** The name of the method that blocks. */
    String method() {
        return method;
    }

    /** The call that blocks. */
    Callable<?> call() {
        return call;
    }

    @Override
    public void close() throws IOException {
        while (!resources.isEmpty()) {
            resources.pop().close();
        }
    }

    private <C extends Closeable> C keep(C resource) {
        resources.push(resource);
        return resource;
    }

    private void set(AbstractInterruptibleChannel blocked, String name, Callable<?> body) {
        channel = blocked;
        method = name;
        call = body;
    }

    private SocketChannel connected() throws IOException {
        Connections.Pair pair = Connections.open();
        keep(pair.far());
        return keep(pair.near());
    }

    private SocketChannel full() throws Exception {
        Connections.Pair pair = Connections.open();
        keep(pair.far());
        keep(pair.near());
        Bytes.fill(pair);
        return pair.near();
    }

    private SocketChannel unixConnected() throws IOException {
        UnixSockets.Pair pair = UnixSockets.open();
        keep(pair.far());
        return keep(pair.near());
    }

    private void read() throws IOException {
        SocketChannel near = connected();
        set(near, "read", () -> near.read(ByteBuffer.allocate(8)));
    }

    private void scatteringRead() throws IOException {
        SocketChannel near = connected();
        set(near, "read", () -> near.read(two(8)));
    }

    private void write() throws Exception {
        SocketChannel near = full();
        set(near, "write", () -> near.write(ByteBuffer.allocate(TOO_MUCH)));
    }

    private void gatheringWrite() throws Exception {
        SocketChannel near = full();
        set(near, "write", () -> near.write(two(TOO_MUCH / 2)));
    }

    private void connect() throws Exception {
        SocketAddress silent = keep(SilentListener.open()).address();
        SocketChannel near = keep(SocketChannel.open());
        set(near, "connect", () -> near.connect(silent));
    }

    private void finishConnect() throws Exception {
        SocketAddress silent = keep(SilentListener.open()).address();
        SocketChannel near = keep(SocketChannel.open());
        near.configureBlocking(false);
        near.connect(silent);
        near.configureBlocking(true);
        set(near, "finishConnect", near::finishConnect);
    }

    private void accept() throws IOException {
        ServerSocketChannel listener = keep(Connections.listen());
        set(listener, "accept", listener::accept);
    }

    private void unixRead() throws IOException {
        SocketChannel near = unixConnected();
        set(near, "read", () -> near.read(ByteBuffer.allocate(8)));
    }

    private void unixWrite() throws Exception {
        SocketChannel near = unixConnected();
        Bytes.fill(near);
        set(near, "write", () -> near.write(ByteBuffer.allocate(TOO_MUCH)));
    }

    private void unixAccept() throws IOException {
        ServerSocketChannel listener = keep(UnixSockets.listen());
        set(listener, "accept", listener::accept);
    }

    private void datagramReceive() throws IOException {
        DatagramChannel channel = keep(DatagramChannel.open()).bind(Connections.anyPort());
        set(channel, "receive", () -> channel.receive(ByteBuffer.allocate(8)));
    }

    private DatagramChannel connectedDatagram() throws IOException {
        DatagramChannel peer = keep(DatagramChannel.open()).bind(Connections.anyPort());
        return keep(DatagramChannel.open()).connect(peer.getLocalAddress());
    }

    private void datagramRead() throws IOException {
        DatagramChannel channel = connectedDatagram();
        set(channel, "read", () -> channel.read(ByteBuffer.allocate(8)));
    }

    private void datagramScatteringRead() throws IOException {
        DatagramChannel channel = connectedDatagram();
        set(channel, "read", () -> channel.read(two(8)));
    }

    private Pipe pipe() throws IOException {
        Pipe pipe = Pipe.open();
        keep(pipe.source());
        keep(pipe.sink());
        return pipe;
    }

    private void pipeRead() throws IOException {
        Pipe.SourceChannel source = pipe().source();
        set(source, "read", () -> source.read(ByteBuffer.allocate(8)));
    }

    private void pipeScatteringRead() throws IOException {
        Pipe.SourceChannel source = pipe().source();
        set(source, "read", () -> source.read(two(8)));
    }

    private void pipeWrite() throws Exception {
        Pipe.SinkChannel sink = pipe().sink();
        Bytes.fill(sink);
        set(sink, "write", () -> sink.write(ByteBuffer.allocate(TOO_MUCH)));
    }

    private void pipeGatheringWrite() throws Exception {
        Pipe.SinkChannel sink = pipe().sink();
        Bytes.fill(sink);
        set(sink, "write", () -> sink.write(two(TOO_MUCH / 2)));
    }

    private static ByteBuffer[] two(int size) {
        return new ByteBuffer[] {ByteBuffer.allocate(size), ByteBuffer.allocateDirect(size)};
    }
}
