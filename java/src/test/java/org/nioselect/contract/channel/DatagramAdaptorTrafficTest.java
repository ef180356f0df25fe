package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.IllegalBlockingModeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;
import org.nioselect.support.Providers;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** Sending and receiving packets through DatagramChannel.socket(). */
@Timeout(60)
class DatagramAdaptorTrafficTest {
    private static DatagramChannel bound() throws IOException {
        return DatagramChannel.open().bind(Connections.anyPort());
    }

    private static DatagramPacket packet(String text, SocketAddress target) {
        return new DatagramPacket(text.getBytes(), text.length(), target);
    }

    private static DatagramPacket packet(String text) {
        return new DatagramPacket(text.getBytes(), text.length());
    }

    private static String text(DatagramPacket packet) {
        return new String(packet.getData(), packet.getOffset(), packet.getLength());
    }

    @Test
    void packetsCarryDataAndSender() throws IOException {
        try (DatagramChannel one = bound(); DatagramChannel other = bound()) {
            one.socket().send(packet("ping", other.getLocalAddress()));
            DatagramPacket received = new DatagramPacket(new byte[16], 16);
            other.socket().receive(received);
            assertEquals("ping", text(received));
            assertEquals(one.getLocalAddress(), received.getSocketAddress());
            assertEquals(0, received.getOffset());
        }
    }

    @Test
    void onlyTheRangeOfThePacketIsSent() throws IOException {
        try (DatagramChannel one = bound(); DatagramChannel other = bound()) {
            byte[] array = "..range..".getBytes();
            one.socket().send(new DatagramPacket(array, 2, 5, other.getLocalAddress()));
            DatagramPacket received = new DatagramPacket(new byte[16], 16);
            other.socket().receive(received);
            assertEquals("range", text(received));
        }
    }

    @Test
    void receiveRespectsTheOffsetAndLeavesTheRestOfTheArray() throws IOException {
        try (DatagramChannel one = bound(); DatagramChannel other = bound()) {
            one.socket().send(packet("abc", other.getLocalAddress()));
            byte[] array = "..........".getBytes();
            DatagramPacket received = new DatagramPacket(array, 2, 6);
            other.socket().receive(received);
            assertSame(array, received.getData());
            assertEquals(2, received.getOffset());
            assertEquals(3, received.getLength());
            assertEquals("..abc.....", new String(array));
        }
    }

    @Test
    void shortPacketDoesNotShrinkTheCapacityForTheNextOne() throws IOException {
        try (DatagramChannel one = bound(); DatagramChannel other = bound()) {
            DatagramPacket received = new DatagramPacket(new byte[16], 16);
            for (String text : new String[] {"short", "x", "", "much longer one"}) {
                one.socket().send(packet(text, other.getLocalAddress()));
                other.socket().receive(received);
                assertEquals(text, text(received));
            }
        }
    }

    @Test
    void tooLongAPacketIsCutToTheCapacity() throws IOException {
        try (DatagramChannel one = bound(); DatagramChannel other = bound()) {
            one.socket().send(packet("too long", other.getLocalAddress()));
            one.socket().send(packet("next", other.getLocalAddress()));
            DatagramPacket received = new DatagramPacket(new byte[16], 3);
            other.socket().receive(received);
            assertEquals("too", text(received));
            other.socket().receive(received);
            assertEquals("nex", text(received));
        }
    }

    @Test
    void packetWithoutAnAddressGoesToThePeerAndGetsItsAddress() throws IOException {
        try (DatagramChannel one = bound(); DatagramChannel other = bound()) {
            one.socket().connect(other.getLocalAddress());
            DatagramPacket packet = packet("to you");
            one.socket().send(packet);
            assertEquals(other.getLocalAddress(), packet.getSocketAddress());
            ByteBuffer buffer = ByteBuffer.allocate(16);
            other.receive(buffer);
            assertEquals("to you", Bytes.text(buffer));
        }
    }

    @Test
    void illegalPacketsAreRefused() throws IOException {
        try (DatagramChannel one = bound(); DatagramChannel other = bound()) {
            DatagramSocket socket = one.socket();
            assertThrows(NullPointerException.class, () -> socket.send(null));
            assertThrows(NullPointerException.class, () -> socket.receive(null));
            assertThrows(IllegalArgumentException.class, () -> socket.send(packet("no target")));
            assertThrows(SocketException.class,
                    () -> socket.send(packet("port 0", Connections.anyPort())));
            socket.connect(other.getLocalAddress());
            assertThrows(IllegalArgumentException.class, () -> socket.send(
                    packet("elsewhere", new InetSocketAddress("127.0.0.1", 9))));
        }
    }

    @Test
    void timedOutReceiveLosesNothingAndLeavesTheSocketUsable() throws IOException {
        try (DatagramChannel one = bound(); DatagramChannel other = bound()) {
            other.socket().setSoTimeout(30);
            assertEquals(30, other.socket().getSoTimeout());
            DatagramPacket received = new DatagramPacket(new byte[16], 16);
            long start = System.nanoTime();
            assertThrows(SocketTimeoutException.class, () -> other.socket().receive(received));
            assertTrue(System.nanoTime() - start >= 30_000_000L);
            assertTrue(other.isBlocking());
            one.socket().send(packet("late", other.getLocalAddress()));
            other.socket().setSoTimeout(30_000);
            other.socket().receive(received);
            assertEquals("late", text(received));
        }
    }

    @Test
    void nonBlockingChannelIsIllegal() throws IOException {
        try (DatagramChannel channel = bound(); DatagramChannel peer = bound()) {
            channel.configureBlocking(false);
            assertThrows(IllegalBlockingModeException.class,
                    () -> channel.socket().receive(new DatagramPacket(new byte[1], 1)));
            assertThrows(IllegalBlockingModeException.class,
                    () -> channel.socket().send(packet("x", peer.getLocalAddress())));
        }
    }

    private static Task<Void> blockedReceive(DatagramSocket socket) throws Exception {
        return Threads.run(() -> socket.receive(new DatagramPacket(new byte[1], 1)))
                .awaitBlockedIn("receive");
    }

    @Test
    void closeWakesABlockedReceiveWithSocketException() throws Exception {
        for (int timeout : new int[] {0, 60_000}) {
            DatagramChannel channel = bound();
            channel.socket().setSoTimeout(timeout);
            Task<Void> receiving = blockedReceive(channel.socket());
            channel.socket().close();
            assertThrows(SocketException.class, receiving::join);
            assertTrue(channel.socket().isClosed());
        }
    }

    @Test
    void closeWakesAReceiveThatFollowsEarlierPackets() throws Exception {
        for (String earlier : new String[] {"packet", ""}) {
            DatagramChannel channel = bound();
            channel.socket().send(packet(earlier, channel.getLocalAddress()));
            channel.socket().receive(new DatagramPacket(new byte[8], 8));
            Task<Void> receiving = Threads.run(
                    () -> channel.socket().receive(new DatagramPacket(new byte[0], 0)))
                    .awaitBlockedIn("receive");
            channel.close();
            assertThrows(SocketException.class, receiving::join);
        }
    }

    @Test
    void interruptWakesABlockedReceiveAndClosesTheSocket() throws Exception {
        for (int timeout : new int[] {0, 60_000}) {
            try (DatagramChannel channel = bound()) {
                channel.socket().setSoTimeout(timeout);
                Task<Void> receiving = blockedReceive(channel.socket());
                receiving.interrupt();
                Exception e = assertThrows(IOException.class, receiving::join);
                assertSame(Providers.javaRelease() >= 21 ? ClosedByInterruptException.class
                        : SocketException.class, e.getClass());
                assertTrue(channel.socket().isClosed());
                assertFalse(channel.isOpen());
            }
        }
    }

    @Test
    void unreachablePeerIsReportedToAConnectedSocket() throws Exception {
        try (DatagramChannel channel = bound()) {
            SocketAddress nobody;
            try (DatagramChannel gone = bound()) {
                nobody = gone.getLocalAddress();
            }
            DatagramSocket socket = channel.socket();
            socket.connect(nobody);
            socket.setSoTimeout(100);
            assertThrows(PortUnreachableException.class, () -> {
                Deadline deadline = Deadline.patient();
                while (!deadline.passed()) {
                    socket.send(packet("x"));
                    try {
                        socket.receive(new DatagramPacket(new byte[1], 1));
                    } catch (SocketTimeoutException e) {
                        continue;
                    }
                }
            });
        }
    }

    @Test
    void channelAndSocketShareOneQueue() throws IOException {
        try (DatagramChannel one = bound(); DatagramChannel other = bound()) {
            one.send(Bytes.of("first"), other.getLocalAddress());
            one.socket().send(packet("second", other.getLocalAddress()));
            DatagramPacket received = new DatagramPacket(new byte[16], 16);
            other.socket().receive(received);
            assertEquals("first", text(received));
            ByteBuffer buffer = ByteBuffer.allocate(16);
            other.receive(buffer);
            assertEquals("second", Bytes.text(buffer));
        }
    }
}
