package org.nioselect.bench.jmh;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.nioselect.bench.Connections;

/**
 * A selector with {@value #CHANNELS} connections. Some of them, spread evenly, can be read without
 * waiting, and stay so because nobody reads; the others are silent for ever.
 */
final class Watched {
    static final int CHANNELS = 2000;

    private final Connections connections;
    private final Selector selector;
    private final List<SelectionKey> keys = new ArrayList<>(CHANNELS);

    Watched(int ready) throws IOException {
        connections = Connections.open(CHANNELS);
        selector = Selector.open();
        for (SocketChannel channel : connections.accepted()) {
            keys.add(channel.register(selector, SelectionKey.OP_READ));
        }
        for (int i = 0; i < CHANNELS; i++) {
            boolean becomesReady = i * ready / CHANNELS != (i + 1) * ready / CHANNELS;
            if (becomesReady) {
                connections.connected().get(i).write(ByteBuffer.allocate(1));
            }
        }
        awaitReady(ready);
    }

    /** What has been sent need not have arrived yet. */
    private void awaitReady(int ready) throws IOException {
        while (selector.selectedKeys().size() < ready) {
            selector.select();
        }
        selector.selectNow();
        selector.selectedKeys().clear();
    }

    Selector selector() {
        return selector;
    }

    /** The key of a channel, by its number. */
    SelectionKey key(int number) {
        return keys.get(number);
    }

    void close() throws IOException {
        connections.close();
        selector.close();
    }
}
