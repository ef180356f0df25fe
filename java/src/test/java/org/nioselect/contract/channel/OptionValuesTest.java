package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Connections;

/** What socket options are at first, and which values they take and keep. */
@Timeout(60)
class OptionValuesTest {
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
    void acceptedConnectionInheritsTheBufferSizeOfItsListener() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.setOption(StandardSocketOptions.SO_RCVBUF, 20_000);
            server.bind(Connections.anyPort());
            try (SocketChannel near = SocketChannel.open(server.getLocalAddress());
                    SocketChannel far = server.accept()) {
                assertTrue(near.isConnected());
                assertEquals(server.getOption(StandardSocketOptions.SO_RCVBUF),
                        far.getOption(StandardSocketOptions.SO_RCVBUF));
            }
        }
    }
}
