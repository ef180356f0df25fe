package org.nioselect.regression;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nioselect.NioselectProvider;
import org.nioselect.support.ChildJvm;
import org.nioselect.support.Descriptors;
import org.nioselect.support.Providers;

/**
 * Some Java versions open descriptors to initialize their datagram sockets, and can use none of
 * them any more if that fails once.
 */
class DatagramInitializationTest {
    @TempDir
    static Path folder;

    private static Path provider;

    /** Classes in a jar can be loaded without another descriptor, those in a folder cannot. */
    @BeforeAll
    static void packProvider() {
        Path location = ChildJvm.locationOf(NioselectProvider.class);
        provider = Files.isDirectory(location) ? folder.resolve("provider.jar") : location;
        if (!provider.equals(location)) {
            assertEquals(0, ToolProvider.findFirst("jar").orElseThrow().run(System.out, System.err,
                    "--create", "--file", provider.toString(), "-C", location.toString(), "."));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3})
    void aSocketThatIsAskedForWithoutDescriptorsSpoilsNoLaterOne(int left) throws Exception {
        Providers.assumeOurs();

        assertEquals("a socket, and one of the JDK's", limited(AskForSocket.class)
                .run(Integer.toString(left)));
    }

    @Test
    void aSocketAfterTheFirstOneNeedsOnlyOneDescriptor() throws Exception {
        Providers.assumeOurs();

        assertEquals("a socket", limited(AskAgain.class).run());
    }

    private static ChildJvm limited(Class<?> main) {
        return ScarceJvm.limit(main, "-n 100").classPath(provider, ChildJvm.tests());
    }

    /** Asks a channel for its socket when only so many descriptors are left, and again later. */
    static final class AskForSocket {
        public static void main(String[] args) throws Exception {
            try (DatagramChannel channel = DatagramChannel.open()) {
                // The class of these methods has to be loaded, for which a descriptor is needed.
                free(List.of(), 0);
                List<FileInputStream> taken = Descriptors.exhaust();
                free(taken, Integer.parseInt(args[0]));
                ask(channel);
                free(taken, taken.size());
                String later = ask(channel);
                new DatagramSocket().close();
                System.out.println(later + ", and one of the JDK's");
            }
        }
    }

    /** Asks a second channel for its socket when only one descriptor is left. */
    static final class AskAgain {
        public static void main(String[] args) throws Exception {
            try (DatagramChannel first = DatagramChannel.open();
                    DatagramChannel second = DatagramChannel.open()) {
                ask(first);
                List<FileInputStream> taken = Descriptors.exhaust();
                free(taken, 1);
                String answer = ask(second);
                free(taken, taken.size());
                System.out.println(answer);
            }
        }
    }

    private static String ask(DatagramChannel channel) {
        try {
            channel.socket();
            return "a socket";
        } catch (UncheckedIOException e) {
            return "no socket";
        }
    }

    private static void free(List<FileInputStream> taken, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            taken.remove(taken.size() - 1).close();
        }
    }
}
