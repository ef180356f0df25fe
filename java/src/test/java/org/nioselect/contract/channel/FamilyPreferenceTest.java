package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The system properties that prefer a family, in a JVM of its own on the same provider. */
@Timeout(120)
class FamilyPreferenceTest {
    private static final String PREFER_IPV6 = "-Djava.net.preferIPv6Addresses";
    private static final String PROVIDER = "java.nio.channels.spi.SelectorProvider";

    /** What the child JVM does: it fails unless every channel is an IPv4 one. */
    static final class Ipv4Only {
        private Ipv4Only() {
        }

        public static void main(String[] args) throws IOException {
            for (NetworkChannel channel : List.of(SocketChannel.open(),
                    ServerSocketChannel.open(), DatagramChannel.open())) {
                InetSocketAddress local =
                        (InetSocketAddress) channel.bind(null).getLocalAddress();
                check(local.getAddress() instanceof Inet4Address, local.toString());
                channel.close();
            }
            refuses(() -> SocketChannel.open(StandardProtocolFamily.INET6));
            refuses(() -> ServerSocketChannel.open(StandardProtocolFamily.INET6));
            refuses(() -> DatagramChannel.open(StandardProtocolFamily.INET6));
            refusesIpv6Address();
            System.out.print("IPv4 only");
        }

        private static void refusesIpv6Address() throws IOException {
            InetSocketAddress six = new InetSocketAddress(InetAddress.getByName("::1"), 9);
            try (SocketChannel channel = SocketChannel.open()) {
                channel.connect(six);
                throw new AssertionError("connected to an IPv6 address");
            } catch (UnsupportedAddressTypeException e) {
                return;
            }
        }

        private interface Opening {
            NetworkChannel open() throws IOException;
        }

        private static void refuses(Opening opening) throws IOException {
            try (NetworkChannel channel = opening.open()) {
                throw new AssertionError("opened " + channel);
            } catch (UnsupportedOperationException e) {
                return;
            }
        }

        private static void check(boolean condition, String detail) {
            if (!condition) {
                throw new AssertionError(detail);
            }
        }
    }

    /** What the child JVM does: it connects to no address in particular. */
    static final class ToAnyAddress {
        private ToAnyAddress() {
        }

        public static void main(String[] args) throws IOException {
            try (ServerSocketChannel listener = ServerSocketChannel.open().bind(null)) {
                int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
                try (SocketChannel channel = SocketChannel.open(new InetSocketAddress(port))) {
                    InetSocketAddress local = (InetSocketAddress) channel.getLocalAddress();
                    System.out.print(local.getAddress().getClass().getSimpleName());
                }
            }
        }
    }

    @Test
    void preferIpv6AddressesMakesThisHostAnIpv6One() throws Exception {
        assumeTrue(NetworkInterface.getByInetAddress(InetAddress.getByName("::1")) != null);
        assertPrints("Inet4Address", start(ToAnyAddress.class, PREFER_IPV6 + "=false"));
        assertPrints("Inet6Address", start(ToAnyAddress.class, PREFER_IPV6 + "=true"));
    }

    @Test
    void preferIpv4StackMakesEveryChannelAnIpv4One() throws Exception {
        assertPrints("IPv4 only", start(Ipv4Only.class, "-Djava.net.preferIPv4Stack=true"));
    }

    private static void assertPrints(String expected, Process child) throws Exception {
        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, child.waitFor(), output);
        assertTrue(output.endsWith(expected), output);
    }

    private static Process start(Class<?> main, String option) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add(option);
        command.add("-Djava.library.path=" + System.getProperty("java.library.path"));
        String path = locationOf(main).toString();
        Class<?> provider = SelectorProvider.provider().getClass();
        if (locationOf(provider) != null) {
            command.add("-D" + PROVIDER + "=" + provider.getName());
            path += File.pathSeparator + locationOf(provider);
        }
        command.addAll(List.of("-cp", path, main.getName()));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    /** Where a class was loaded from, or null for one of the JDK. */
    private static Path locationOf(Class<?> type) throws Exception {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        return source == null ? null : Path.of(source.getLocation().toURI());
    }
}
