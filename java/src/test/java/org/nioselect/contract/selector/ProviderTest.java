package org.nioselect.contract.selector;

import static java.net.StandardProtocolFamily.INET;
import static java.net.StandardProtocolFamily.INET6;
import static java.net.StandardProtocolFamily.UNIX;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import org.junit.jupiter.api.Test;

/** The provider, and what it opens. */
class ProviderTest {
    private static final ProtocolFamily UNKNOWN = () -> "UNKNOWN";

    private final SelectorProvider provider = SelectorProvider.provider();

    @Test
    void thereIsOneProviderForTheWholeJvm() {
        assertSame(provider, SelectorProvider.provider());
    }

    @Test
    void everyOpenMethodGoesThroughIt() throws IOException {
        try (Selector selector = Selector.open()) {
            assertSame(provider, selector.provider());
        }
        assertOfProvider(SocketChannel.open());
        assertOfProvider(SocketChannel.open(INET));
        assertOfProvider(ServerSocketChannel.open());
        assertOfProvider(ServerSocketChannel.open(INET));
        assertOfProvider(DatagramChannel.open());
        assertOfProvider(DatagramChannel.open(INET));
        Pipe pipe = Pipe.open();
        assertOfProvider(pipe.source());
        assertOfProvider(pipe.sink());
    }

    @Test
    void itOpensANewObjectEachTime() throws IOException {
        try (Selector first = provider.openSelector(); Selector second = provider.openSelector()) {
            assertNotSame(first, second);
            assertTrue(first.isOpen() && second.isOpen());
        }
    }

    @Test
    void channelsAreOpenAndInBlockingModeAtFirst() throws IOException {
        assertFresh(provider.openSocketChannel());
        assertFresh(provider.openServerSocketChannel());
        assertFresh(provider.openDatagramChannel());
        Pipe pipe = provider.openPipe();
        assertFresh(pipe.source());
        assertFresh(pipe.sink());
    }

    @Test
    void theInternetAndUnixFamiliesAreSupported() throws IOException {
        for (ProtocolFamily family : new ProtocolFamily[] {INET, INET6, UNIX}) {
            assertFresh(provider.openSocketChannel(family));
            assertFresh(provider.openServerSocketChannel(family));
        }
        assertFresh(provider.openDatagramChannel(INET));
        assertFresh(provider.openDatagramChannel(INET6));
    }

    @Test
    void aNullFamilyIsRefused() {
        assertThrows(NullPointerException.class, () -> provider.openSocketChannel(null));
        assertThrows(NullPointerException.class, () -> provider.openServerSocketChannel(null));
        assertThrows(NullPointerException.class, () -> provider.openDatagramChannel(null));
    }

    @Test
    void anUnknownFamilyIsRefused() {
        unsupported(UNKNOWN);
        assertThrows(UnsupportedOperationException.class,
                () -> provider.openDatagramChannel(UNKNOWN));
    }

    @Test
    void thereAreNoUnixDatagrams() {
        assertThrows(UnsupportedOperationException.class, () -> provider.openDatagramChannel(UNIX));
    }

    @Test
    void withoutIpv6ItsFamilyIsRefused() throws Exception {
        String answer = FreshJvm.run(OpensIpv6.class, "-Djava.net.preferIPv4Stack=true");
        assertEquals("refused refused refused", answer);
    }

    private void unsupported(ProtocolFamily family) {
        assertThrows(UnsupportedOperationException.class, () -> provider.openSocketChannel(family));
        assertThrows(UnsupportedOperationException.class,
                () -> provider.openServerSocketChannel(family));
    }

    private void assertOfProvider(SelectableChannel channel) throws IOException {
        try (channel) {
            assertSame(provider, channel.provider());
        }
    }

    private void assertFresh(SelectableChannel channel) throws IOException {
        assertOfProvider(channel);
        assertTrue(!channel.isOpen() && channel.isBlocking() && !channel.isRegistered());
    }

    /** Run in a JVM of its own: tries to open IPv6 channels. */
    static final class OpensIpv6 {
        public static void main(String[] args) throws IOException {
            SelectorProvider provider = SelectorProvider.provider();
            System.out.println(String.join(" ",
                    open(() -> provider.openSocketChannel(INET6)),
                    open(() -> provider.openServerSocketChannel(INET6)),
                    open(() -> provider.openDatagramChannel(INET6))));
        }

        private static String open(Opener opener) throws IOException {
            try (Channel channel = opener.open()) {
                return channel.toString();
            } catch (UnsupportedOperationException e) {
                return "refused";
            }
        }
    }

    @FunctionalInterface
    private interface Opener {
        Channel open() throws IOException;
    }
}
