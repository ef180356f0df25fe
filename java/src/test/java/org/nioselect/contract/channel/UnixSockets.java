package org.nioselect.contract.channel;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** Makes connections between UNIX domain sockets, at paths that no other test uses. */
final class UnixSockets {
    private static final Path DIRECTORY = createDirectory();

    private static int created;

    private UnixSockets() {
    }

    private static Path createDirectory() {
        try {
            Path directory = Files.createTempDirectory("nio");
            directory.toFile().deleteOnExit();
            return directory;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An address at which there is no file yet. */
    static synchronized UnixDomainSocketAddress freshAddress() {
        Path path = DIRECTORY.resolve("socket" + ++created);
        path.toFile().deleteOnExit();
        return UnixDomainSocketAddress.of(path);
    }

    /** A listener at a fresh address, in blocking mode. */
    static ServerSocketChannel listen() throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            return listener.bind(freshAddress());
        } catch (IOException e) {
            listener.close();
            throw e;
        }
    }

    /** Two channels connected to each other, in blocking mode. */
    static Pair open() throws IOException {
        try (ServerSocketChannel listener = listen()) {
            SocketChannel near = SocketChannel.open(listener.getLocalAddress());
            try {
                return new Pair(near, listener.accept());
            } catch (IOException e) {
                near.close();
                throw e;
            }
        }
    }

    /** Both ends of a connection: the one that connected, and the one that was accepted. */
    record Pair(SocketChannel near, SocketChannel far) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            near.close();
            far.close();
        }
    }
}
