package org.nioselect.regression;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nioselect.support.ChildJvm;
import org.nioselect.support.Deadline;

/** A peer's name may be in bytes that the encoding of the listener's process does not have. */
@Timeout(60)
class UnreadableNameTest {
    @Test
    void peerWhoseNameCannotBeExpressedIsAcceptedAsUnnamed(@TempDir Path folder)
            throws Exception {
        assumeTrue("UTF-8".equals(System.getProperty("sun.jnu.encoding")));
        Path listening = folder.resolve("listener");
        ChildJvm.Running listener = ChildJvm.with(Listener.class)
                .startedBy("env", "LC_ALL=C").start(listening.toString());
        try (SocketChannel peer = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            Deadline.await("the listener has its name", () -> Files.exists(listening));
            peer.bind(UnixDomainSocketAddress.of(folder.resolve("gr\u00fcn")));
            peer.connect(UnixDomainSocketAddress.of(listening));

            assertEquals("[]", listener.output());
        }
    }

    /** Prints the name of the first peer. */
    static final class Listener {
        private Listener() {
        }

        /** Takes the listener's name. */
        public static void main(String[] arguments) throws Exception {
            Path name = Path.of(arguments[0]);
            Path bound = name.resolveSibling("bound");
            try (ServerSocketChannel listener =
                    ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
                listener.bind(UnixDomainSocketAddress.of(bound));
                Files.move(bound, name);
                try (SocketChannel peer = listener.accept()) {
                    System.out.println("[" + peer.getRemoteAddress() + "]");
                }
            }
        }
    }
}
