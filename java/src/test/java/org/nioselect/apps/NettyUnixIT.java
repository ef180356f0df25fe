package org.nioselect.apps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.socket.DuplexChannel;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.nioselect.support.Bytes;
import org.nioselect.support.Deadline;

/** Netty's NIO channels over UNIX domain sockets. */
class NettyUnixIT {
    @RegisterExtension
    static final NettyLog LOG = new NettyLog();

    private static final int LARGE = 8 * 1024 * 1024;
    private static final int MANY = 200;

    private final NettyRuntime netty = NettyRuntime.systemWide();
    private UnixDomainSocketAddress address;

    @BeforeEach
    void listen(@TempDir Path folder) {
        address = UnixDomainSocketAddress.of(folder.resolve("socket"));
        netty.listen(address, NettyEcho::setUp);
    }

    @AfterEach
    void stop() {
        netty.close();
    }

    @Test
    void channelsAndSelectorsAreOfTheProvider() throws Exception {
        netty.connect(address, new NettyRecorder(1)::setUp);

        InUse.assertAlive(Selector.class, ServerSocketChannel.class, SocketChannel.class);
    }

    @Test
    void manyConnectionsAreEchoed() throws Exception {
        for (int i = 0; i < MANY; i++) {
            NettyRecorder recorder = new NettyRecorder(3);
            Channel client = netty.connect(address, recorder::setUp);
            client.writeAndFlush(Unpooled.wrappedBuffer(Bytes.of("abc")));

            assertEquals("abc", recorder.text());
        }
    }

    @Test
    void muchIsEchoed() throws Exception {
        NettyRecorder recorder = new NettyRecorder(LARGE);
        byte[] sent = Bytes.pattern(LARGE);

        netty.connect(address, recorder::setUp).writeAndFlush(Unpooled.wrappedBuffer(sent));

        assertEquals(Digests.of(sent), Digests.of(recorder.bytes()));
    }

    @Test
    void theEndOfOutputReachesThePeer() throws Exception {
        NettyRecorder recorder = new NettyRecorder(1);
        Channel client = netty.connect(address, recorder::setUp);

        ((DuplexChannel) client).shutdownOutput().sync();

        recorder.awaitClose();
    }

    @Test
    void aConnectFailsWhereNoSocketIs(@TempDir Path empty) throws Exception {
        ChannelFuture connect = netty.connecting(
                UnixDomainSocketAddress.of(empty.resolve("none")), new NettyRecorder(1)::setUp);

        assertTrue(connect.await(Deadline.patient().millisLeft()));

        assertInstanceOf(SocketException.class, connect.cause());
    }
}
