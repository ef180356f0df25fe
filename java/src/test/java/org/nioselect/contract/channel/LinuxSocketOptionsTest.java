package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.nioselect.LinuxSocketOptions.SO_BUSY_POLL;
import static org.nioselect.LinuxSocketOptions.SO_INCOMING_CPU;
import static org.nioselect.LinuxSocketOptions.TCP_FASTOPEN;
import static org.nioselect.LinuxSocketOptions.TCP_NOTSENT_LOWAT;
import static org.nioselect.LinuxSocketOptions.TCP_USER_TIMEOUT;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Providers;

/** The socket options that this provider has beyond those of the JDK. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class LinuxSocketOptionsTest {
    private static final Set<SocketOption<Integer>> ALL = Set.of(TCP_USER_TIMEOUT,
            TCP_NOTSENT_LOWAT, TCP_FASTOPEN, SO_BUSY_POLL, SO_INCOMING_CPU);
    private static final int LARGE = 1 << 20;

    static Set<SocketOption<Integer>> ofListeners() {
        return ALL;
    }

    @BeforeEach
    void assumeOurs() {
        Providers.assumeOurs();
    }

    @Test
    void everyKindOfChannelListsWhatItsSocketHas() throws IOException {
        assertLists(SocketChannel.open(),
                TCP_USER_TIMEOUT, TCP_NOTSENT_LOWAT, SO_BUSY_POLL, SO_INCOMING_CPU);
        assertLists(ServerSocketChannel.open(), TCP_USER_TIMEOUT, TCP_NOTSENT_LOWAT,
                TCP_FASTOPEN, SO_BUSY_POLL, SO_INCOMING_CPU);
        assertLists(DatagramChannel.open(), SO_BUSY_POLL, SO_INCOMING_CPU);
        assertLists(SocketChannel.open(StandardProtocolFamily.UNIX));
        assertLists(ServerSocketChannel.open(StandardProtocolFamily.UNIX));
    }

    private static void assertLists(NetworkChannel channel, SocketOption<?>... expected)
            throws IOException {
        try (channel) {
            Set<SocketOption<?>> listed = channel.supportedOptions().stream()
                    .filter(ALL::contains).collect(Collectors.toSet());
            assertEquals(Set.of(expected), listed);
        }
    }

    @Test
    void atFirstTheyAreOff() throws IOException {
        try (ServerSocketChannel channel = ServerSocketChannel.open()) {
            assertEquals(0, channel.getOption(TCP_USER_TIMEOUT));
            assertEquals(0, channel.getOption(TCP_NOTSENT_LOWAT));
            assertEquals(0, channel.getOption(TCP_FASTOPEN));
            assertEquals(-1, channel.getOption(SO_INCOMING_CPU));
        }
    }

    @Test
    void valuesAreKept() throws IOException {
        try (ServerSocketChannel channel = ServerSocketChannel.open()) {
            assertKept(channel, TCP_USER_TIMEOUT, 30_000);
            assertKept(channel, TCP_NOTSENT_LOWAT, 16_384);
            assertKept(channel, TCP_FASTOPEN, 5);
            assertKept(channel, SO_BUSY_POLL, 0);
            assertKept(channel, SO_INCOMING_CPU, 0);
        }
    }

    private static void assertKept(NetworkChannel channel, SocketOption<Integer> option, int value)
            throws IOException {
        assertSame(channel, channel.setOption(option, value));
        assertEquals(value, channel.getOption(option), option::name);
    }

    @Test
    void acceptedConnectionsInheritThem() throws IOException {
        try (ServerSocketChannel listener = Connections.listen()) {
            listener.setOption(TCP_USER_TIMEOUT, 12_345).setOption(TCP_NOTSENT_LOWAT, 4_096);
            try (SocketChannel near = SocketChannel.open(listener.getLocalAddress());
                    SocketChannel far = listener.accept()) {
                assertEquals(12_345, far.getOption(TCP_USER_TIMEOUT));
                assertEquals(4_096, far.getOption(TCP_NOTSENT_LOWAT));
                assertEquals(0, near.getOption(TCP_USER_TIMEOUT));
            }
        }
    }

    /** As frameworks do that were given an option they know nothing of. */
    @ParameterizedTest
    @MethodSource("ofListeners")
    void theyAreFoundByNameAndUsedWithoutTheirType(SocketOption<Integer> option)
            throws IOException {
        try (ServerSocketChannel channel = ServerSocketChannel.open()) {
            SocketOption<?> found = channel.supportedOptions().stream()
                    .filter(listed -> listed.name().equals(option.name())).findAny().orElseThrow();
            assertSame(option, found);
            assertSame(Integer.class, found.type());
            assertEquals(option.name(), found.toString());
            setUntyped(channel, found, 0);
            assertEquals(0, (Object) channel.getOption(found));
        }
    }

    @ParameterizedTest
    @MethodSource("ofListeners")
    void valuesOfOtherTypesAreRefused(SocketOption<Integer> option) throws IOException {
        try (ServerSocketChannel channel = ServerSocketChannel.open()) {
            for (Object bad : new Object[] {null, "1", 1L, true}) {
                Exception e = assertThrows(IllegalArgumentException.class,
                        () -> setUntyped(channel, option, bad));
                assertEquals("Invalid value '" + bad + "'", e.getMessage());
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static void setUntyped(NetworkChannel channel, SocketOption<?> option, Object value)
            throws IOException {
        channel.setOption((SocketOption<Object>) option, value);
    }

    @Test
    void negativeValuesAreRefused() throws IOException {
        try (ServerSocketChannel channel = ServerSocketChannel.open()) {
            for (SocketOption<Integer> option
                    : Set.of(TCP_USER_TIMEOUT, TCP_NOTSENT_LOWAT, TCP_FASTOPEN, SO_BUSY_POLL)) {
                int before = channel.getOption(option);
                Exception e = assertThrows(IllegalArgumentException.class,
                        () -> channel.setOption(option, -1));
                assertEquals("Invalid " + option.name() + " value", e.getMessage());
                assertEquals(before, channel.getOption(option));
            }
        }
    }

    @Test
    void channelsWithoutThemRefuseThem() throws IOException {
        try (SocketChannel stream = SocketChannel.open();
                SocketChannel unix = SocketChannel.open(StandardProtocolFamily.UNIX);
                DatagramChannel datagrams = DatagramChannel.open()) {
            assertUnsupported(stream, TCP_FASTOPEN);
            assertUnsupported(unix, SO_BUSY_POLL);
            assertUnsupported(datagrams, TCP_USER_TIMEOUT);
        }
    }

    private static void assertUnsupported(NetworkChannel channel, SocketOption<Integer> option) {
        String message = "'" + option.name() + "' not supported";
        assertEquals(message, assertThrows(UnsupportedOperationException.class,
                () -> channel.getOption(option)).getMessage());
        assertEquals(message, assertThrows(UnsupportedOperationException.class,
                () -> channel.setOption(option, 1)).getMessage());
    }

    @ParameterizedTest
    @MethodSource("ofListeners")
    void closedChannelsHaveNone(SocketOption<Integer> option) throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open();
        channel.close();
        assertThrows(ClosedChannelException.class, () -> channel.getOption(option));
        assertThrows(ClosedChannelException.class, () -> channel.setOption(option, 1));
    }

    @Test
    void adaptorsTakeThemToo() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            channel.socket().setOption(TCP_USER_TIMEOUT, 1_000);
            assertEquals(1_000, channel.getOption(TCP_USER_TIMEOUT));
            assertTrue(channel.socket().supportedOptions().contains(TCP_USER_TIMEOUT));
        }
    }

    @Test
    void aLowMarkOfUnsentDataBoundsWhatIsQueued() throws IOException {
        long usual = queuedWithLowMark(0);
        long bounded = queuedWithLowMark(1);
        assertTrue(bounded < usual, () -> bounded + " bytes are queued, usually " + usual);
    }

    private static long queuedWithLowMark(int bytes) throws IOException {
        try (Connections.Pair pair = Connections.openNonBlocking()) {
            pair.far().setOption(StandardSocketOptions.SO_RCVBUF, 4_096);
            pair.near().setOption(StandardSocketOptions.SO_SNDBUF, LARGE);
            pair.near().setOption(TCP_NOTSENT_LOWAT, bytes);
            ByteBuffer chunk = ByteBuffer.allocate(1_024);
            long total = 0;
            for (int n = pair.near().write(chunk); n > 0; n = pair.near().write(chunk.clear())) {
                total += n;
            }
            return total;
        }
    }

    @Test
    void aPeerThatTakesNothingForTooLongEndsTheConnection() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().setOption(TCP_USER_TIMEOUT, 200);
            Bytes.fill(pair);
            Exception e = assertThrows(IOException.class,
                    () -> pair.near().read(ByteBuffer.allocate(1)));
            assertEquals("Connection timed out", e.getMessage());
        }
    }
}
