package org.nioselect.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nioselect.support.ChildJvm;
import org.nioselect.support.Providers;

/** {@link System#inheritedChannel} in a JVM that was started with a socket, or with none. */
class InheritedChannelTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "tcp-listener  | ServerSocketChannel, blocking true, accepts true",
        "unix-listener | ServerSocketChannel, blocking true, accepts true",
        "udp           | DatagramChannel, blocking true, connected false, receives true",
    })
    void aListenerAndDatagramsAreUsedAtOnce(String kind, String found) throws Exception {
        assertEquals(found, serve(kind, service().command()));
    }

    @ParameterizedTest
    @CsvSource({"tcp", "unix"})
    void aConnectionIsUsedAndEndsWhenTheChannelIsClosed(String kind) throws Exception {
        assertEquals("SocketChannel, blocking true, connected true, peer known true\n"
                + "peer has read: pong", serve(kind, service().command()));
    }

    @ParameterizedTest
    @CsvSource({"tcp", "unix"})
    void aConnectionEndsTooIfItIsTheOutputAsWell(String kind) throws Exception {
        ChildJvm service = service().startedBy("sh", "-c", "exec \"$@\" >&0 2>&0", "sh");

        assertEquals("peer has read: pong", serve(kind, service.command("quiet")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "unix", "tcp-listener", "unix-listener", "udp"})
    void theStandardInputIsAtItsEndAfterwards(String kind) throws Exception {
        Providers.assumeOurs();

        String printed = serve(kind, service().command("input"));

        assertTrue(printed.startsWith("input -1"), printed);
    }

    @Test
    void theStandardOutputStaysUsableIfItWasTheSocket() throws Exception {
        Providers.assumeOurs();
        Path report = folder.resolve("report");
        ChildJvm service = service().startedBy("sh", "-c", "exec \"$@\" >&0 2>&0", "sh");

        assertEquals("peer has read: pong",
                serve("tcp", service.command("output", report.toString())));
        assertEquals("output failed: false, error failed: false", Files.readString(report));
    }

    @Test
    void otherInputIsNoChannel() throws Exception {
        File file = Files.writeString(folder.resolve("input"), "text").toFile();

        assertEquals("no channel", service().run());
        assertEquals("no channel", service().input(ProcessBuilder.Redirect.from(file)).run());
        assertEquals("no channel",
                service().input(ProcessBuilder.Redirect.from(new File("/dev/null"))).run());
    }

    @Test
    void closedInputIsNoChannel() throws Exception {
        assertEquals("no channel",
                service().startedBy("sh", "-c", "exec \"$@\" <&-", "sh").run());
    }

    private static ChildJvm service() {
        return Providers.ours() ? ChildJvm.with(InheritingService.class)
                : ChildJvm.plain(InheritingService.class);
    }

    private String serve(String kind, List<String> command) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(kind, folder.toString()));
        arguments.addAll(command);
        return ChildJvm.plain(SuperServer.class).allowNativeAccess()
                .run(arguments.toArray(String[]::new));
    }
}
