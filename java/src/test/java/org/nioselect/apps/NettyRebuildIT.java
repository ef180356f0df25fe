package org.nioselect.apps;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.nio.NioEventLoopGroup;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.nioselect.support.Bytes;
import org.nioselect.support.Deadline;

/** Netty's change from one selector to a new one, with all its channels. */
@SuppressWarnings("deprecation") // Only the event loop groups of old let a caller ask for it.
class NettyRebuildIT {
    @RegisterExtension
    static final NettyLog LOG = new NettyLog();

    private static final int CONNECTIONS = 20;
    private static final int REBUILDS = 5;

    private final NioEventLoopGroup loops = new NioEventLoopGroup(1);
    private final NettyRuntime netty = NettyRuntime.on(loops);

    @AfterEach
    void stop() {
        netty.close();
    }

    @Test
    void connectionsOutliveTheirSelector() throws Exception {
        Channel listener = netty.listen(NettyEcho::setUp);
        List<NettyRecorder> recorders = new ArrayList<>();
        List<Channel> clients = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            NettyRecorder recorder = new NettyRecorder(REBUILDS);
            recorders.add(recorder);
            clients.add(netty.connect(listener.localAddress(), recorder::setUp));
        }

        for (int i = 0; i < REBUILDS; i++) {
            loops.rebuildSelectors();
            for (Channel client : clients) {
                client.writeAndFlush(Unpooled.wrappedBuffer(Bytes.of("x")));
            }
        }

        for (NettyRecorder recorder : recorders) {
            assertEquals("x".repeat(REBUILDS), recorder.text());
        }
        Deadline.await("Netty tells of it", () -> LOG.contains("Migrated"));
        InUse.assertAlive(Selector.class, SocketChannel.class);
    }
}
