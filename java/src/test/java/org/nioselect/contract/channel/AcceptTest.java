package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** Listening and accepting. */
@Timeout(60)
class AcceptTest {
    @Test
    void freshServerIsOpenBlockingAndUnbound() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            assertTrue(server.isOpen());
            assertTrue(server.isBlocking());
            assertNull(server.getLocalAddress());
            assertEquals(SelectionKey.OP_ACCEPT, server.validOps());
        }
    }

    @Test
    void acceptOfAnUnboundServerThrowsNotYetBoundException() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            assertThrows(NotYetBoundException.class, server::accept);
            server.configureBlocking(false);
            assertThrows(NotYetBoundException.class, server::accept);
            assertTrue(server.isOpen());
        }
    }

    @Test
    void nonBlockingAcceptReturnsNullWhenNobodyWaits() throws IOException {
        try (ServerSocketChannel server = Connections.listen()) {
            server.configureBlocking(false);
            assertNull(server.accept());
        }
    }

    @Test
    void nonBlockingAcceptReturnsAWaitingConnection() throws Exception {
        try (ServerSocketChannel server = Connections.listen();
                SocketChannel near = SocketChannel.open(server.getLocalAddress())) {
            server.configureBlocking(false);
            SocketChannel[] accepted = new SocketChannel[1];
            Deadline.await("the connection is accepted", () -> {
                accepted[0] = server.accept();
                return accepted[0] != null;
            });
            try (SocketChannel far = accepted[0]) {
                assertEquals(near.getLocalAddress(), far.getRemoteAddress());
            }
            assertNull(server.accept());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void acceptedChannelIsConnectedAndBlockingWhateverTheServerIs(boolean blocking)
            throws Exception {
        try (ServerSocketChannel server = Connections.listen();
                Selector selector = Selector.open();
                SocketChannel near = SocketChannel.open(server.getLocalAddress())) {
            if (!blocking) {
                server.configureBlocking(false);
                server.register(selector, SelectionKey.OP_ACCEPT);
                selector.select(30_000);
            }
            try (SocketChannel far = server.accept()) {
                assertNotNull(far);
                assertTrue(far.isBlocking());
                assertTrue(far.isConnected());
                assertFalse(far.isConnectionPending());
                assertFalse(far.isRegistered());
                assertSame(server.provider(), far.provider());
                near.write(Bytes.of("blocking"));
                assertEquals("blocking", Bytes.readText(far, 8));
            }
        }
    }

    @Test
    void blockedAcceptReturnsWhenAConnectionComes() throws Exception {
        try (ServerSocketChannel server = Connections.listen()) {
            Task<SocketChannel> accepting =
                    Threads.start(server::accept).awaitBlockedIn("accept");
            try (SocketChannel near = SocketChannel.open(server.getLocalAddress());
                    SocketChannel far = accepting.join()) {
                assertEquals(near.getLocalAddress(), far.getRemoteAddress());
            }
        }
    }

    @Test
    void oneConnectionWakesOnlyOneOfManyAcceptingThreads() throws Exception {
        try (ServerSocketChannel server = Connections.listen()) {
            List<Task<SocketChannel>> accepting = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                accepting.add(Threads.start(server::accept).awaitBlockedIn("accept"));
            }
            Set<Object> connected = new HashSet<>();
            Set<Object> accepted = new HashSet<>();
            for (int i = 0; i < 3; i++) {
                try (SocketChannel near = SocketChannel.open(server.getLocalAddress())) {
                    connected.add(near.getLocalAddress());
                    Deadline.await("one has accepted",
                            () -> accepting.stream().anyMatch(Task::done));
                    Task<SocketChannel> done =
                            accepting.stream().filter(Task::done).findAny().orElseThrow();
                    accepting.remove(done);
                    accepted.add(done.join().getRemoteAddress());
                    done.join().close();
                }
            }
            assertEquals(connected, accepted);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 1, 50, Integer.MAX_VALUE})
    void everyBacklogIsGoodForAConnection(int backlog) throws IOException {
        try (ServerSocketChannel server =
                ServerSocketChannel.open().bind(Connections.anyPort(), backlog);
                SocketChannel near = SocketChannel.open(server.getLocalAddress());
                SocketChannel far = server.accept()) {
            assertEquals(near.getLocalAddress(), far.getRemoteAddress());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0})
    void backlogWithoutASizeHoldsManyConnections(int backlog) throws IOException {
        List<SocketChannel> waiting = new ArrayList<>();
        try (ServerSocketChannel server =
                ServerSocketChannel.open().bind(Connections.anyPort(), backlog)) {
            for (int i = 0; i < 30; i++) {
                waiting.add(SocketChannel.open(server.getLocalAddress()));
            }
            for (SocketChannel near : waiting) {
                try (SocketChannel far = server.accept()) {
                    assertEquals(near.getLocalAddress(), far.getRemoteAddress());
                }
            }
        } finally {
            for (SocketChannel near : waiting) {
                near.close();
            }
        }
    }

    @Test
    void connectionThatWasResetBeforeItIsAcceptedDoesNoHarm() throws Exception {
        try (ServerSocketChannel server = Connections.listen()) {
            try (SocketChannel gone = SocketChannel.open(server.getLocalAddress())) {
                gone.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
            try (SocketChannel near = SocketChannel.open(server.getLocalAddress())) {
                SocketChannel far = server.accept();
                while (!near.getLocalAddress().equals(far.getRemoteAddress())) {
                    far.close();
                    far = server.accept();
                }
                far.close();
            }
        }
    }

    @Test
    void closedServerRefusesNewConnections() throws IOException {
        ServerSocketChannel server = Connections.listen();
        SocketAddress address = server.getLocalAddress();
        server.close();
        assertThrows(ConnectException.class, () -> SocketChannel.open(address));
    }
}
