package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
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
    void multicastOptionsAreNotForSocketChannels() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            Exception e = assertThrows(UnsupportedOperationException.class,
                    () -> channel.setOption(StandardSocketOptions.IP_MULTICAST_TTL, 1));
            assertEquals("'IP_MULTICAST_TTL' not supported", e.getMessage());
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
