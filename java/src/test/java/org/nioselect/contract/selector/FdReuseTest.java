package org.nioselect.contract.selector;

import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.nioselect.support.Connections;
import org.nioselect.support.Descriptors;

/** The number of a closed descriptor soon belongs to another channel: the two never mix. */
class FdReuseTest extends SelectorFixture {
    private static final int ROUNDS = 200;

    @Test
    void interestInAClosedChannelIsNotAppliedToItsSuccessor() throws IOException {
        for (int i = 0; i < ROUNDS; i++) {
            far.register(selector, OP_READ);
            assertEquals(0, selector.selectNow());
            far.keyFor(selector).interestOps(OP_WRITE);
            replaceConnection();
            SelectionKey successor = far.register(selector, OP_READ);
            assertEquals(0, selector.selectNow());
            send(near);
            assertEquals(1, selector.select());
            assertEquals(Set.of(successor), selector.selectedKeys());
            assertEquals(OP_READ, successor.readyOps());
            assertEquals(1, drain(far));
            selector.selectedKeys().clear();
        }
    }

    @Test
    void aClosedChannelIsForgottenWhenItsSuccessorIsRegistered() throws IOException {
        for (int i = 0; i < ROUNDS; i++) {
            SelectionKey old = far.register(selector, OP_READ | OP_WRITE);
            assertEquals(1, selector.selectNow());
            replaceConnection();
            selector.selectNow();
            SelectionKey successor = far.register(selector, OP_WRITE);
            assertEquals(1, selector.select());
            assertEquals(Set.of(successor), selector.selectedKeys());
            assertTrue(!old.isValid() && successor.isValid());
            selector.selectedKeys().clear();
        }
    }

    @Test
    void aSelectorThatHasNotSelectedYetKeepsTheNumberFromBeingReused() throws IOException {
        try (Selector late = Selector.open()) {
            for (int i = 0; i < ROUNDS; i++) {
                far.register(selector, OP_READ);
                far.register(late, OP_READ);
                assertEquals(0, selector.selectNow());
                assertEquals(0, late.selectNow());
                replaceConnection();
                assertEquals(0, selector.selectNow());

                SelectionKey successor = far.register(selector, OP_READ);
                send(near);
                assertEquals(1, selector.select());
                assertEquals(Set.of(successor), selector.selectedKeys());
                assertEquals(0, late.selectNow());
                assertTrue(late.keys().isEmpty());
                assertEquals(1, drain(far));
                selector.selectedKeys().clear();
            }
        }
    }

    @Test
    void bytesReachTheirOwnConnectionOnly() throws IOException {
        try (Connections.Pair kept = Connections.openNonBlocking()) {
            SelectionKey key = kept.far().register(selector, OP_READ);
            for (int i = 0; i < ROUNDS; i++) {
                far.register(selector, OP_READ);
                near.register(selector, OP_WRITE);
                selector.selectNow();
                replaceConnection();
                kept.near().write(ByteBuffer.wrap(new byte[] {(byte) i}));
                do {
                    selector.selectedKeys().clear();
                    selector.select();
                } while (!selector.selectedKeys().contains(key));
                assertEquals((byte) i, readByte(kept.far()));
                assertEquals(0, drain(far));
                assertEquals(0, drain(near));
                selector.selectedKeys().clear();
            }
        }
    }

    @Test
    void closedChannelsReleaseTheirDescriptorsAtTheNextSelection() throws Exception {
        Descriptors.assertNoLeak(ROUNDS, () -> {
            far.register(selector, OP_READ);
            near.register(selector, OP_READ);
            replaceConnection();
            selector.selectNow();
        });
    }

    @Test
    void closedChannelsWhoseKeysWereFlushedBeforeReleaseTheirDescriptorsAtOnce() throws Exception {
        Descriptors.assertNoLeak(ROUNDS, () -> {
            far.register(selector, OP_READ).cancel();
            selector.selectNow();
            replaceConnection();
        });
    }

    private void replaceConnection() throws IOException {
        near.close();
        far.close();
        Connections.Pair pair = Connections.openNonBlocking();
        near = pair.near();
        far = pair.far();
    }

    private static byte readByte(SocketChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(2);
        assertEquals(1, channel.read(buffer));
        return buffer.get(0);
    }
}
