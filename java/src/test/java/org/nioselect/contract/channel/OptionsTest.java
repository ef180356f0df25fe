package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Socket options: which there are, what they are at first, and how wrong uses are refused. */
@Timeout(60)
class OptionsTest {
    private static final int JAVA = Runtime.version().feature();

    /** Opens a channel of some kind. */
    interface Opener {
        NetworkChannel open() throws IOException;
    }

    static Stream<Named<Opener>> kinds() {
        return Stream.of(
                Named.of("SocketChannel", SocketChannel::open),
                Named.of("ServerSocketChannel", ServerSocketChannel::open),
                Named.of("DatagramChannel", DatagramChannel::open),
                Named.of("UNIX SocketChannel",
                        () -> SocketChannel.open(StandardProtocolFamily.UNIX)),
                Named.of("UNIX ServerSocketChannel",
                        () -> ServerSocketChannel.open(StandardProtocolFamily.UNIX)));
    }

    /** A name the system knows nothing of. */
    private record UnknownOption(String name, Class<Integer> type)
            implements SocketOption<Integer> {
    }

    private static final SocketOption<Integer> UNKNOWN =
            new UnknownOption("UNKNOWN", Integer.class);

    private static void assertSupports(NetworkChannel channel, String... expected) {
        Set<String> missing = new TreeSet<>(Set.of(expected));
        missing.removeAll(channel.supportedOptions().stream().map(SocketOption::name)
                .collect(Collectors.toSet()));
        assertTrue(missing.isEmpty(), () -> "missing " + missing);
    }

    @Test
    void socketChannelSupportsTheOptionsOfTcp() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            assertSupports(channel, "IP_TOS", "SO_INCOMING_NAPI_ID", "SO_KEEPALIVE", "SO_LINGER",
                    "SO_RCVBUF", "SO_REUSEADDR", "SO_REUSEPORT", "SO_SNDBUF", "TCP_KEEPCOUNT",
                    "TCP_KEEPIDLE", "TCP_KEEPINTERVAL", "TCP_NODELAY", "TCP_QUICKACK");
        }
    }

    @Test
    void serverSocketChannelSupportsWhatAcceptedSocketsInherit() throws IOException {
        try (ServerSocketChannel channel = ServerSocketChannel.open()) {
            assertSupports(channel, "SO_INCOMING_NAPI_ID", "SO_RCVBUF", "SO_REUSEADDR",
                    "SO_REUSEPORT", "TCP_KEEPCOUNT", "TCP_KEEPIDLE", "TCP_KEEPINTERVAL",
                    "TCP_QUICKACK");
        }
    }

    @Test
    void datagramChannelSupportsTheMulticastOptions() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            assertSupports(channel, "IP_MULTICAST_IF", "IP_MULTICAST_LOOP", "IP_MULTICAST_TTL",
                    "IP_TOS", "SO_BROADCAST", "SO_INCOMING_NAPI_ID", "SO_RCVBUF", "SO_REUSEADDR",
                    "SO_REUSEPORT", "SO_SNDBUF");
            if (JAVA >= 19) {
                assertSupports(channel, "IP_DONTFRAGMENT");
            }
        }
    }

    @Test
    void unixChannelsSupportOnlyWhatUnixSocketsHave() throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
                ServerSocketChannel server =
                        ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            assertSupports(channel, "SO_LINGER", "SO_PEERCRED", "SO_RCVBUF", "SO_SNDBUF");
            assertSupports(server, "SO_RCVBUF");
            assertFalse(channel.supportedOptions().contains(StandardSocketOptions.TCP_NODELAY));
            assertThrows(UnsupportedOperationException.class,
                    () -> channel.setOption(StandardSocketOptions.TCP_NODELAY, true));
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void supportedOptionsCannotBeModifiedAndOutliveTheChannel(Opener kind) throws IOException {
        NetworkChannel channel = kind.open();
        Set<SocketOption<?>> options = channel.supportedOptions();
        assertThrows(UnsupportedOperationException.class, () -> options.add(UNKNOWN));
        assertThrows(UnsupportedOperationException.class, options::clear);
        channel.close();
        assertEquals(options, channel.supportedOptions());
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void everySupportedOptionCanBeReadAndItsValueWrittenBack(Opener kind) throws IOException {
        try (NetworkChannel channel = kind.open()) {
            assertAll(channel.supportedOptions().stream()
                    .filter(option -> !option.name().equals("SO_PEERCRED"))
                    .map(option -> () -> writeBack(channel, option)));
        }
    }

    private static <T> void writeBack(NetworkChannel channel, SocketOption<T> option)
            throws IOException {
        T value = channel.getOption(option);
        if (value == null || option.name().equals("SO_INCOMING_NAPI_ID")) {
            return;
        }
        assertSame(option.type(), value.getClass(), option::name);
        assertSame(channel, channel.setOption(option, value), option::name);
        if (!option.name().endsWith("BUF")) {
            assertEquals(value, channel.getOption(option), option::name);
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void nullNameIsRefused(Opener kind) throws IOException {
        try (NetworkChannel channel = kind.open()) {
            assertThrows(NullPointerException.class, () -> channel.getOption(null));
            assertThrows(NullPointerException.class, () -> channel.setOption(null, null));
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void unknownOptionIsUnsupported(Opener kind) throws IOException {
        try (NetworkChannel channel = kind.open()) {
            Exception get = assertThrows(UnsupportedOperationException.class,
                    () -> channel.getOption(UNKNOWN));
            assertEquals("'" + UNKNOWN + "' not supported", get.getMessage());
            Exception set = assertThrows(UnsupportedOperationException.class,
                    () -> channel.setOption(UNKNOWN, 1));
            assertEquals("'" + UNKNOWN + "' not supported", set.getMessage());
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void closedChannelHasNoOptions(Opener kind) throws IOException {
        NetworkChannel channel = kind.open();
        channel.close();
        assertSame(ClosedChannelException.class, assertThrows(ClosedChannelException.class,
                () -> channel.getOption(StandardSocketOptions.SO_RCVBUF)).getClass());
        assertSame(ClosedChannelException.class, assertThrows(ClosedChannelException.class,
                () -> channel.setOption(StandardSocketOptions.SO_RCVBUF, 1024)).getClass());
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void nullAndNegativeSizesAreIllegalValues(Opener kind) throws IOException {
        try (NetworkChannel channel = kind.open()) {
            Exception none = assertThrows(IllegalArgumentException.class,
                    () -> channel.setOption(StandardSocketOptions.SO_RCVBUF, null));
            assertEquals("Invalid value 'null'", none.getMessage());
            Exception negative = assertThrows(IllegalArgumentException.class,
                    () -> channel.setOption(StandardSocketOptions.SO_RCVBUF, -1));
            assertEquals("Invalid send/receive buffer size", negative.getMessage());
        }
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void hugeBufferSizeIsClampedNotRefused(Opener kind) throws IOException {
        try (NetworkChannel channel = kind.open()) {
            int before = channel.getOption(StandardSocketOptions.SO_RCVBUF);
            channel.setOption(StandardSocketOptions.SO_RCVBUF, Integer.MAX_VALUE);
            int after = channel.getOption(StandardSocketOptions.SO_RCVBUF);
            assertTrue(after >= before, () -> "shrank from " + before + " to " + after);
        }
    }

    @Test
    void typeOfServiceIsOneByte() throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.INET)) {
            for (int bad : new int[] {-1, 256}) {
                Exception e = assertThrows(IllegalArgumentException.class,
                        () -> channel.setOption(StandardSocketOptions.IP_TOS, bad));
                assertEquals("Invalid IP_TOS value", e.getMessage());
            }
            channel.setOption(StandardSocketOptions.IP_TOS, 0x08);
            assertEquals(0x08, channel.getOption(StandardSocketOptions.IP_TOS));
        }
    }

    @Test
    void multicastTimeToLiveIsOneByte() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            for (int bad : new int[] {-1, 256}) {
                assertThrows(IllegalArgumentException.class,
                        () -> channel.setOption(StandardSocketOptions.IP_MULTICAST_TTL, bad));
            }
            for (int good : new int[] {0, 1, 255}) {
                channel.setOption(StandardSocketOptions.IP_MULTICAST_TTL, good);
                assertEquals(good, channel.getOption(StandardSocketOptions.IP_MULTICAST_TTL));
            }
        }
    }

    @Test
    void multicastOptionsAreNotForSocketChannels() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            Exception e = assertThrows(UnsupportedOperationException.class,
                    () -> channel.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 1));
            assertEquals("'IP_MULTICAST_TTL' not supported", e.getMessage());
        }
    }

    @Test
    void socketChannelDefaultsAreThoseOfAPlainSocket() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            assertTrue(channel.getOption(StandardSocketOptions.SO_LINGER) < 0);
            assertFalse(channel.getOption(StandardSocketOptions.SO_KEEPALIVE));
            assertFalse(channel.getOption(StandardSocketOptions.TCP_NODELAY));
            assertFalse(channel.getOption(StandardSocketOptions.SO_REUSEADDR));
            assertFalse(channel.getOption(StandardSocketOptions.SO_REUSEPORT));
            assertEquals(0, channel.getOption(StandardSocketOptions.IP_TOS));
        }
    }

    @Test
    void serverSocketChannelReusesAddressesByDefault() throws IOException {
        try (ServerSocketChannel channel = ServerSocketChannel.open()) {
            assertTrue(channel.getOption(StandardSocketOptions.SO_REUSEADDR));
        }
    }

    @Test
    void datagramChannelDefaultsKeepMulticastNear() throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            assertFalse(channel.getOption(StandardSocketOptions.SO_BROADCAST));
            assertEquals(1, channel.getOption(StandardSocketOptions.IP_MULTICAST_TTL));
            assertTrue(channel.getOption(StandardSocketOptions.IP_MULTICAST_LOOP));
            assertNull(channel.getOption(StandardSocketOptions.IP_MULTICAST_IF));
        }
    }

    @Test
    void lingerIsTurnedOnAndOff() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            channel.setOption(StandardSocketOptions.SO_LINGER, 7);
            assertEquals(7, channel.getOption(StandardSocketOptions.SO_LINGER));
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            assertEquals(0, channel.getOption(StandardSocketOptions.SO_LINGER));
            channel.setOption(StandardSocketOptions.SO_LINGER, -5);
            assertTrue(channel.getOption(StandardSocketOptions.SO_LINGER) < 0);
        }
    }

    @Test
    void booleanOptionsAreTurnedOnAndOff() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            for (SocketOption<Boolean> option : Set.of(StandardSocketOptions.SO_KEEPALIVE,
                    StandardSocketOptions.TCP_NODELAY, StandardSocketOptions.SO_REUSEADDR)) {
                channel.setOption(option, true);
                assertTrue(channel.getOption(option), option::name);
                channel.setOption(option, false);
                assertFalse(channel.getOption(option), option::name);
            }
        }
    }

    @Test
    void keepAliveTimesOfTheJdkAreSettable() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            Function<String, SocketOption<Integer>> find = name -> findOption(channel, name);
            channel.setOption(find.apply("TCP_KEEPIDLE"), 30);
            channel.setOption(find.apply("TCP_KEEPINTERVAL"), 5);
            channel.setOption(find.apply("TCP_KEEPCOUNT"), 3);
            assertEquals(30, channel.getOption(find.apply("TCP_KEEPIDLE")));
            assertEquals(5, channel.getOption(find.apply("TCP_KEEPINTERVAL")));
            assertEquals(3, channel.getOption(find.apply("TCP_KEEPCOUNT")));
        }
    }

    @SuppressWarnings("unchecked")
    private static SocketOption<Integer> findOption(NetworkChannel channel, String name) {
        SocketOption<?> found = channel.supportedOptions().stream()
                .filter(option -> option.name().equals(name)).findAny().orElse(null);
        assertNotNull(found, name);
        assertSame(Integer.class, found.type());
        return (SocketOption<Integer>) found;
    }

    @Test
    void incomingNapiIdIsReadOnly() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            SocketOption<Integer> option = findOption(channel, "SO_INCOMING_NAPI_ID");
            assertEquals(0, channel.getOption(option));
            assertThrows(IOException.class, () -> channel.setOption(option, 42));
        }
    }
}
