package org.nioselect.apps;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.nioselect.support.Bytes;

/** Netty with TLS by the JDK. */
class NettyTlsIT {
    @RegisterExtension
    static final NettyLog LOG = new NettyLog();

    private static final int LARGE = 16 * 1024 * 1024;
    private static final int CONNECTIONS = 50;

    private static SslContext serverSide;
    private static SslContext clientSide;

    private final NettyRuntime netty = NettyRuntime.systemWide();

    @BeforeAll
    static void makeKey(@TempDir Path folder) throws Exception {
        SelfSigned key = SelfSigned.in(folder);
        serverSide = SslContextBuilder.forServer(key.keys()).sslProvider(SslProvider.JDK).build();
        clientSide = SslContextBuilder.forClient().trustManager(key.trust())
                .endpointIdentificationAlgorithm(null).sslProvider(SslProvider.JDK).build();
    }

    @AfterEach
    void stop() {
        netty.close();
    }

    private Channel listen() {
        return netty.listen(pipeline -> {
            addTls(serverSide, pipeline);
            NettyEcho.setUp(pipeline);
        });
    }

    private Channel connect(Channel listener, NettyRecorder recorder) {
        return netty.connect(listener.localAddress(), pipeline -> {
            addTls(clientSide, pipeline);
            recorder.setUp(pipeline);
        });
    }

    private static void addTls(SslContext context, ChannelPipeline pipeline) {
        pipeline.addLast(context.newHandler(pipeline.channel().alloc()));
    }

    @Test
    void channelsAndSelectorsAreOfTheProvider() throws Exception {
        connect(listen(), new NettyRecorder(1));

        InUse.assertAlive(Selector.class, ServerSocketChannel.class, SocketChannel.class);
    }

    @Test
    void muchIsEchoed() throws Exception {
        NettyRecorder recorder = new NettyRecorder(LARGE);
        byte[] sent = Bytes.pattern(LARGE);

        connect(listen(), recorder).writeAndFlush(Unpooled.wrappedBuffer(sent));

        assertEquals(Digests.of(sent), Digests.of(recorder.bytes()));
    }

    @Test
    void manyConnectionsAreEchoed() throws Exception {
        Channel listener = listen();
        List<NettyRecorder> recorders = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            NettyRecorder recorder = new NettyRecorder(3);
            recorders.add(recorder);
            connect(listener, recorder).writeAndFlush(Unpooled.wrappedBuffer(Bytes.of("abc")));
        }
        for (NettyRecorder recorder : recorders) {
            assertEquals("abc", recorder.text());
        }
    }
}
