package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** send and receive of a DatagramChannel: boundaries, senders, sizes. */
@Timeout(60)
class DatagramReceiveTest {
    private final ByteBuffer buffer = ByteBuffer.allocate(32);

    private static DatagramChannel bound() throws IOException {
        return DatagramChannel.open().bind(Connections.anyPort());
    }

    @Test
    void datagramToTheWildcardOfIpv4ReachesAnIpv4Channel() throws IOException {
        try (DatagramChannel sender = DatagramChannel.open();
                DatagramChannel receiver = DatagramChannel.open(StandardProtocolFamily.INET)) {
            receiver.bind(null);
            sender.send(Bytes.of("hi"), receiver.getLocalAddress());
            receiver.receive(buffer);
            assertEquals("hi", Bytes.text(buffer));
        }
    }

    @Test
    void receiveReturnsTheSenderAndOneWholeDatagram() throws IOException {
        try (DatagramChannel one = bound(); DatagramChannel other = bound()) {
            assertEquals(5, one.send(Bytes.of("first"), other.getLocalAddress()));
            assertEquals(6, one.send(Bytes.of("second"), other.getLocalAddress()));
            assertEquals(one.getLocalAddress(), other.receive(buffer));
            assertEquals("first", Bytes.text(buffer));
            assertEquals(one.getLocalAddress(), other.receive(buffer.clear()));
            assertEquals("second", Bytes.text(buffer));
        }
    }

    @Test
    void everyDatagramComesWithItsOwnSender() throws IOException {
        try (DatagramChannel one = bound(); DatagramChannel two = bound();
                DatagramChannel receiver = bound()) {
            for (DatagramChannel sender : new DatagramChannel[] {one, two, two, one, two}) {
                sender.send(Bytes.of("x"), receiver.getLocalAddress());
                assertEquals(sender.getLocalAddress(), receiver.receive(buffer.clear()));
            }
        }
    }

    @Test
    void repeatedSenderIsTheSameObject() throws IOException {
        try (DatagramChannel one = bound(); DatagramChannel other = bound()) {
            one.send(Bytes.of("x"), other.getLocalAddress());
            one.send(Bytes.of("y"), other.getLocalAddress());
            SocketAddress first = other.receive(buffer);
            assertSame(first, other.receive(buffer));
        }
    }

    @Test
    void nonBlockingReceiveReturnsNullWhenNothingIsThere() throws IOException {
        try (DatagramChannel one = bound(); DatagramChannel other = bound()) {
            one.send(Bytes.of("x"), other.getLocalAddress());
            assertNotNull(other.receive(buffer));
            other.configureBlocking(false);
            assertNull(other.receive(buffer));
            assertEquals(1, buffer.position());
        }
    }

    @Test
    void emptyDatagramIsReceivedWithItsSender() throws IOException {
        try (DatagramChannel one = bound(); DatagramChannel other = bound()) {
            assertEquals(0, one.send(ByteBuffer.allocate(0), other.getLocalAddress()));
            assertEquals(one.getLocalAddress(), other.receive(buffer));
            assertEquals(0, buffer.position());
        }
    }

    @Test
    void tooSmallABufferCutsTheDatagramAndTheNextIsWhole() throws IOException {
        try (DatagramChannel one = bound(); DatagramChannel other = bound()) {
            for (ByteBuffer small : new ByteBuffer[] {
                ByteBuffer.allocate(3), ByteBuffer.allocateDirect(3)}) {
                one.send(Bytes.of("too long"), other.getLocalAddress());
                one.send(Bytes.of("fits"), other.getLocalAddress());
                assertEquals(one.getLocalAddress(), other.receive(small));
                assertEquals("too", Bytes.text(small));
                assertEquals(one.getLocalAddress(), other.receive(buffer.clear()));
                assertEquals("fits", Bytes.text(buffer));
            }
        }
    }

    @Test
    void readCutsTheDatagramLikeReceive() throws IOException {
        try (DatagramChannel one = bound(); DatagramChannel other = bound()) {
            other.connect(one.getLocalAddress());
            one.send(Bytes.of("too long"), other.getLocalAddress());
            one.send(Bytes.of("too long"), other.getLocalAddress());
            one.send(Bytes.of("fits"), other.getLocalAddress());
            assertEquals(3, other.read(ByteBuffer.allocate(3)));
            assertEquals(4, other.read(
                    new ByteBuffer[] {ByteBuffer.allocate(3), ByteBuffer.allocateDirect(1)}));
            assertEquals(4, other.read(buffer));
        }
    }

    @Test
    void receiveIntoAFullBufferConsumesTheDatagram() throws IOException {
        try (DatagramChannel one = bound(); DatagramChannel other = bound()) {
            one.send(Bytes.of("lost"), other.getLocalAddress());
            one.send(Bytes.of("kept"), other.getLocalAddress());
            assertEquals(one.getLocalAddress(), other.receive(ByteBuffer.allocate(0)));
            assertEquals(one.getLocalAddress(), other.receive(buffer));
            assertEquals("kept", Bytes.text(buffer));
        }
    }

    @Test
    void positionAndLimitBoundWhatIsSentAndReceived() throws IOException {
        try (DatagramChannel one = bound(); DatagramChannel other = bound()) {
            ByteBuffer out = Bytes.of("..data..").position(2).limit(6);
            assertEquals(4, one.send(out, other.getLocalAddress()));
            assertEquals(6, out.position());
            ByteBuffer in = ByteBuffer.allocateDirect(10).position(3).limit(9);
            other.receive(in);
            assertEquals(7, in.position());
            assertEquals(9, in.limit());
            assertEquals("data", Bytes.text(in.slice(3, 4).position(4)));
        }
    }

    @Test
    void sendBindsAnUnboundChannel() throws IOException {
        try (DatagramChannel one = DatagramChannel.open(); DatagramChannel other = bound()) {
            one.send(Bytes.of("x"), other.getLocalAddress());
            int port = ((InetSocketAddress) one.getLocalAddress()).getPort();
            InetSocketAddress sender = (InetSocketAddress) other.receive(buffer);
            assertEquals(port, sender.getPort());
        }
    }

    @Test
    void receiveBindsAnUnboundChannelInBothModes() throws Exception {
        try (DatagramChannel one = DatagramChannel.open();
                DatagramChannel other = DatagramChannel.open()) {
            one.configureBlocking(false);
            assertNull(one.receive(buffer));
            assertNotNull(one.getLocalAddress());
            Task<SocketAddress> receiving =
                    Threads.start(() -> other.receive(buffer)).awaitBlockedIn("receive");
            int port = ((InetSocketAddress) other.getLocalAddress()).getPort();
            one.send(Bytes.of("x"),
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            assertNotNull(receiving.join());
        }
    }

    @Test
    void unusableTargetsAreRefused() throws IOException {
        try (DatagramChannel channel = bound()) {
            assertThrows(NullPointerException.class, () -> channel.send(buffer, null));
            assertThrows(NullPointerException.class,
                    () -> channel.send(null, Connections.anyPort()));
            assertThrows(UnresolvedAddressException.class,
                    () -> channel.send(buffer, InetSocketAddress.createUnresolved("nowhere", 1)));
            assertThrows(UnsupportedAddressTypeException.class,
                    () -> channel.send(buffer, UnixSockets.freshAddress()));
            assertTrue(channel.isOpen());
        }
    }

    private static boolean supports(StandardProtocolFamily family) throws IOException {
        return family == StandardProtocolFamily.INET
                || NetworkInterface.getByInetAddress(InetAddress.getByName("::1")) != null;
    }

    @ParameterizedTest
    @EnumSource(names = {"INET", "INET6"})
    void largestPayloadPassesAndOneByteMoreDoesNot(StandardProtocolFamily family)
            throws IOException {
        assumeTrue(supports(family));
        boolean four = family == StandardProtocolFamily.INET;
        int largest = four ? 65_507 : 65_527;
        InetAddress loopback = InetAddress.getByName(four ? "127.0.0.1" : "::1");
        try (DatagramChannel one = DatagramChannel.open(family);
                DatagramChannel other = DatagramChannel.open(family)) {
            one.bind(new InetSocketAddress(loopback, 0));
            other.bind(new InetSocketAddress(loopback, 0));
            byte[] sent = Bytes.pattern(largest);
            for (ByteBuffer target : new ByteBuffer[] {
                ByteBuffer.allocate(largest), ByteBuffer.allocateDirect(largest)}) {
                assertEquals(largest, one.send(ByteBuffer.wrap(sent), other.getLocalAddress()));
                other.receive(target);
                byte[] received = new byte[target.position()];
                target.flip().get(received);
                assertArrayEquals(sent, received);
            }
            assertThrows(IOException.class,
                    () -> one.send(ByteBuffer.allocate(largest + 1), other.getLocalAddress()));
            assertTrue(one.isOpen());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void blockedReceiveReturnsTheDatagramThatArrives(boolean direct) throws Exception {
        try (DatagramChannel one = bound(); DatagramChannel other = bound()) {
            ByteBuffer in = direct ? ByteBuffer.allocateDirect(16) : ByteBuffer.allocate(16);
            Task<SocketAddress> receiving =
                    Threads.start(() -> other.receive(in)).awaitBlockedIn("receive");
            one.send(Bytes.of("at last"), other.getLocalAddress());
            assertEquals(one.getLocalAddress(), receiving.join());
            assertEquals("at last", Bytes.text(in));
        }
    }

    @Test
    void manySendersAreToldApart() throws Exception {
        int count = 20;
        try (DatagramChannel receiver = bound()) {
            DatagramChannel[] senders = new DatagramChannel[count];
            try {
                for (int i = 0; i < count; i++) {
                    senders[i] = bound();
                    senders[i].send(Bytes.of("n" + i), receiver.getLocalAddress());
                }
                for (int i = 0; i < count; i++) {
                    assertEquals(senders[i].getLocalAddress(), receiver.receive(buffer.clear()));
                    assertEquals("n" + i, Bytes.text(buffer));
                }
            } finally {
                for (DatagramChannel sender : senders) {
                    if (sender != null) {
                        sender.close();
                    }
                }
            }
        }
    }
}
