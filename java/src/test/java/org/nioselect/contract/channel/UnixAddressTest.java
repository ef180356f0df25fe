package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.BindException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Connections;

/** Binding UNIX domain channels: paths, files and the unnamed address. */
@Timeout(60)
class UnixAddressTest {
    private static final UnixDomainSocketAddress UNNAMED = UnixDomainSocketAddress.of("");

    private static SocketChannel client() throws IOException {
        return SocketChannel.open(StandardProtocolFamily.UNIX);
    }

    private static ServerSocketChannel server() throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    }

    private static Path path(NetworkChannel channel) throws IOException {
        return ((UnixDomainSocketAddress) channel.getLocalAddress()).getPath();
    }

    @Test
    void serverBindCreatesTheFileAndCloseLeavesIt() throws IOException {
        UnixDomainSocketAddress address = UnixSockets.freshAddress();
        try (ServerSocketChannel server = server().bind(address)) {
            assertEquals(address, server.getLocalAddress());
            assertTrue(Files.exists(address.getPath()));
        }
        assertTrue(Files.deleteIfExists(address.getPath()));
    }

    @Test
    void serverBindToNullChoosesAPath() throws IOException {
        try (ServerSocketChannel server = server().bind(null)) {
            Path path = path(server);
            try (SocketChannel near = SocketChannel.open(server.getLocalAddress());
                    SocketChannel far = server.accept()) {
                assertTrue(near.isConnected() && far.isConnected());
            } finally {
                assertTrue(Files.deleteIfExists(path));
            }
        }
    }

    @Test
    void serverDoesNotBindToTheUnnamedAddress() throws IOException {
        try (ServerSocketChannel server = server()) {
            assertThrows(IOException.class, () -> server.bind(UNNAMED));
            assertNull(server.getLocalAddress());
        }
    }

    @Test
    void clientBindToNullOrUnnamedHasTheUnnamedAddress() throws IOException {
        try (SocketChannel one = client(); SocketChannel other = client()) {
            assertNull(one.getLocalAddress());
            assertEquals(UNNAMED, one.bind(null).getLocalAddress());
            assertEquals(UNNAMED, other.bind(UNNAMED).getLocalAddress());
        }
    }

    @Test
    void serverSeesThePathThatTheClientIsBoundTo() throws IOException {
        UnixDomainSocketAddress address = UnixSockets.freshAddress();
        try (ServerSocketChannel listener = UnixSockets.listen();
                SocketChannel near = client().bind(address)) {
            assertTrue(near.connect(listener.getLocalAddress()));
            try (SocketChannel far = listener.accept()) {
                assertEquals(address, far.getRemoteAddress());
                assertEquals(address, near.getLocalAddress());
            }
        }
    }

    @Test
    void existingFileIsAnAddressInUse() throws IOException {
        UnixDomainSocketAddress address = UnixSockets.freshAddress();
        Files.createFile(address.getPath());
        try (ServerSocketChannel server = server(); SocketChannel client = client()) {
            Exception e = assertThrows(BindException.class, () -> server.bind(address));
            assertEquals("Address already in use", e.getMessage());
            assertThrows(BindException.class, () -> client.bind(address));
            assertTrue(server.isOpen());
        }
    }

    @Test
    void secondBindThrowsAlreadyBoundException() throws IOException {
        try (ServerSocketChannel server = UnixSockets.listen();
                SocketChannel client = client().bind(UnixSockets.freshAddress())) {
            assertThrows(AlreadyBoundException.class, () -> server.bind(null));
            assertThrows(AlreadyBoundException.class,
                    () -> client.bind(UnixSockets.freshAddress()));
        }
    }

    @Test
    void internetAddressesAreUnsupported() throws IOException {
        try (ServerSocketChannel server = server(); SocketChannel client = client()) {
            assertThrows(UnsupportedAddressTypeException.class,
                    () -> server.bind(Connections.anyPort()));
            assertThrows(UnsupportedAddressTypeException.class,
                    () -> client.bind(Connections.anyPort()));
            assertThrows(UnsupportedAddressTypeException.class,
                    () -> client.connect(Connections.anyPort()));
            assertTrue(client.isOpen());
        }
    }

    @Test
    void pathsOfUpToOneHundredBytesAreBoundAndLongerOnesRefused() throws IOException {
        Path directory = Files.createTempDirectory("nio");
        int room = 99 - directory.toString().length();
        assumeTrue(room > 0, "the folder for temporary files has too long a name");
        Path longPath = directory.resolve("x".repeat(room));
        try (ServerSocketChannel server = server(); ServerSocketChannel tooLong = server();
                SocketChannel client = client()) {
            server.bind(UnixDomainSocketAddress.of(longPath));
            assertEquals(longPath, path(server));
            try (SocketChannel near = SocketChannel.open(server.getLocalAddress())) {
                assertEquals(server.getLocalAddress(), near.getRemoteAddress());
            }
            UnixDomainSocketAddress beyond =
                    UnixDomainSocketAddress.of(directory.resolve("y".repeat(200)));
            Exception e = assertThrows(SocketException.class, () -> tooLong.bind(beyond));
            assertEquals("Unix domain path too long", e.getMessage());
            assertThrows(SocketException.class, () -> client.connect(beyond));
        } finally {
            Files.deleteIfExists(longPath);
            Files.delete(directory);
        }
    }

    @Test
    void relativePathsAndSpacesAreKept() throws IOException {
        Path relative = Path.of("socket with spaces " + System.nanoTime());
        try (ServerSocketChannel server = server().bind(UnixDomainSocketAddress.of(relative));
                SocketChannel near = SocketChannel.open(server.getLocalAddress())) {
            assertEquals(relative, path(server));
            assertEquals(UnixDomainSocketAddress.of(relative), near.getRemoteAddress());
        } finally {
            Files.deleteIfExists(relative);
        }
    }

    @Test
    void pathsOutsideAsciiAreKept() throws IOException {
        assumeTrue("UTF-8".equals(System.getProperty("sun.jnu.encoding")), "no UTF-8 file names");
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(
                UnixSockets.freshAddress().getPath().resolveSibling("s\u00f6ck\u00e9t"));
        try (ServerSocketChannel server = server().bind(address);
                SocketChannel near = SocketChannel.open(address)) {
            assertEquals(address, server.getLocalAddress());
            assertEquals(address, near.getRemoteAddress());
            assertTrue(Files.exists(address.getPath()));
        } finally {
            Files.deleteIfExists(address.getPath());
        }
    }
}
