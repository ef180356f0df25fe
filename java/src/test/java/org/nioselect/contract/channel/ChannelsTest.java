package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.Pipe;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Task;
import org.nioselect.support.Threads;

/** The streams, readers and writers that java.nio.channels.Channels puts over channels. */
@Timeout(60)
class ChannelsTest {
    private static final int MUCH = 1024 * 1024;

    @Test
    void streamsCarryBytesUntilTheEnd() throws Exception {
        byte[] sent = Bytes.pattern(MUCH);
        try (Connections.Pair pair = Connections.open()) {
            InputStream in = Channels.newInputStream(pair.far());
            OutputStream out = Channels.newOutputStream(pair.near());
            Task<Void> writer = Threads.run(() -> {
                out.write(sent);
                out.write(0xFF);
                out.close();
            });
            assertArrayEquals(sent, in.readNBytes(MUCH));
            assertEquals(0xFF, in.read());
            assertEquals(-1, in.read());
            writer.join();
            assertFalse(pair.near().isOpen());
        }
    }

    @Test
    void pipeStreamsCarryBytesUntilTheEnd() throws Exception {
        byte[] sent = Bytes.pattern(MUCH);
        Pipe pipe = Pipe.open();
        try (InputStream in = Channels.newInputStream(pipe.source())) {
            Task<Void> writer = Threads.run(() -> {
                try (OutputStream out = Channels.newOutputStream(pipe.sink())) {
                    out.write(sent);
                }
            });
            assertArrayEquals(sent, in.readAllBytes());
            writer.join();
        }
    }

    @Test
    void readersAndWritersCarryText() throws Exception {
        try (Connections.Pair pair = Connections.open();
                Writer writer = Channels.newWriter(pair.near(), StandardCharsets.UTF_8);
                BufferedReader reader = new BufferedReader(
                        Channels.newReader(pair.far(), StandardCharsets.UTF_8))) {
            writer.write("gr\u00fc\u00dfe\n");
            writer.flush();
            assertEquals("gr\u00fc\u00dfe", reader.readLine());
        }
    }

    @Test
    void streamsOfANonBlockingChannelAreIllegal() throws Exception {
        try (Connections.Pair pair = Connections.openNonBlocking()) {
            assertThrows(IllegalBlockingModeException.class,
                    () -> Channels.newInputStream(pair.near()).read());
            assertThrows(IllegalBlockingModeException.class,
                    () -> Channels.newOutputStream(pair.near()).write(1));
            assertTrue(pair.near().isOpen());
        }
    }

    @Test
    void closeOfTheChannelWakesABlockedRead() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            InputStream in = Channels.newInputStream(pair.near());
            Task<Integer> reader = Threads.start(() -> in.read()).awaitBlockedIn("read");
            pair.near().close();
            assertThrows(ClosedChannelException.class, reader::join);
        }
    }

    @Test
    void interruptWakesABlockedReadAndClosesTheChannel() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            InputStream in = Channels.newInputStream(pair.near());
            Task<Integer> reader = Threads.start(() -> in.read()).awaitBlockedIn("read");
            reader.interrupt();
            assertThrows(ClosedByInterruptException.class, reader::join);
            assertFalse(pair.near().isOpen());
        }
    }
}
