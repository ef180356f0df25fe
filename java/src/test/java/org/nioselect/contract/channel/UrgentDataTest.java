package org.nioselect.contract.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;

/** TCP urgent data, which only the socket adaptor can send. */
@Timeout(60)
class UrgentDataTest {
    @Test
    void urgentByteIsLeftOutOfTheStreamByDefault() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            pair.near().write(Bytes.of("be"));
            pair.near().socket().sendUrgentData('!');
            pair.near().write(Bytes.of("fore"));
            assertEquals("before", Bytes.readText(pair.far(), 6));
        }
    }

    @Test
    void urgentByteIsInTheStreamWithOobInline() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            pair.far().socket().setOOBInline(true);
            assertTrue(pair.far().socket().getOOBInline());
            pair.near().write(Bytes.of("a"));
            pair.near().socket().sendUrgentData('!');
            pair.near().write(Bytes.of("b"));
            assertEquals("a!b", Bytes.readText(pair.far(), 3));
        }
    }

    @Test
    void onlyTheLowByteIsSent() throws IOException {
        try (Connections.Pair pair = Connections.open()) {
            pair.far().socket().setOOBInline(true);
            pair.near().socket().sendUrgentData(0xABCD41);
            assertEquals("A", Bytes.readText(pair.far(), 1));
        }
    }

    @Test
    void urgentByteMakesAKeyReadableOnlyWithOobInline() throws Exception {
        try (Connections.Pair pair = Connections.openNonBlocking();
                Selector selector = Selector.open()) {
            SelectionKey key = pair.far().register(selector, SelectionKey.OP_READ);
            pair.near().socket().sendUrgentData('1');
            assertEquals(0, selector.selectNow());
            pair.far().socket().setOOBInline(true);
            pair.near().socket().sendUrgentData('2');
            Deadline.await("the urgent byte is there", () -> selector.selectNow() == 1);
            assertTrue(key.isReadable());
        }
    }

    @Test
    void fullSocketBufferIsSaidSo() throws Exception {
        try (Connections.Pair pair = Connections.open()) {
            Bytes.fill(pair);
            pair.near().configureBlocking(false);
            Deadline deadline = Deadline.patient();
            Exception e = assertThrows(IOException.class, () -> {
                while (!deadline.passed()) {
                    pair.near().socket().sendUrgentData('x');
                }
            });
            assertTrue(e.getMessage().contains("Socket buffer full"), e::getMessage);
            assertEquals(0, pair.near().write(ByteBuffer.allocate(1)));
        }
    }
}
