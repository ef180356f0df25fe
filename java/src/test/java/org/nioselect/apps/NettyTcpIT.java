package org.nioselect.apps;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;

/** Netty over TCP. */
class NettyTcpIT {
    @RegisterExtension
    static final NettyLog LOG = new NettyLog();

    private static final int MANY = 1000;
    private static final int LARGE = 32 * 1024 * 1024;

    private final NettyRuntime netty = NettyRuntime.systemWide();

    @AfterEach
    void stop() {
        netty.close();
    }

    @Test
    void channelsAndSelectorsAreOfTheProvider() throws Exception {
        Channel listener = netty.listen(NettyEcho::setUp);
        netty.connect(listener.localAddress(), new NettyRecorder(1)::setUp);

        InUse.assertAlive(Selector.class, ServerSocketChannel.class, SocketChannel.class);
    }

    @Test
    void aThousandConnectionsAreEchoed() throws Exception {
        Channel listener = netty.listen(NettyEcho::setUp);
        List<NettyRecorder> recorders = new ArrayList<>();
        List<ChannelFuture> connects = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            NettyRecorder recorder = new NettyRecorder(message(i).length());
            recorders.add(recorder);
            connects.add(netty.connecting(listener.localAddress(), recorder::setUp));
        }
        for (int i = 0; i < MANY; i++) {
            connects.get(i).sync().channel().writeAndFlush(buffer(message(i)));
        }
        for (int i = 0; i < MANY; i++) {
            assertEquals(message(i), recorders.get(i).text());
        }
    }

    private static String message(int number) {
        return "message of connection " + number;
    }

    private static ByteBuf buffer(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    @Test
    void aWriterWaitsForASlowReader() throws Exception {
        NettyRecorder reader = new NettyRecorder(LARGE);
        CompletableFuture<Channel> accepted = new CompletableFuture<>();
        Channel listener = netty.listen(pipeline -> {
            pipeline.channel().config().setAutoRead(false);
            reader.setUp(pipeline);
            accepted.complete(pipeline.channel());
        });
        Channel client = netty.connect(listener.localAddress(), new NettyRecorder(1)::setUp);
        byte[] sent = Bytes.pattern(LARGE);

        ChannelFuture written = client.writeAndFlush(Unpooled.wrappedBuffer(sent));
        Channel slow = accepted.get(Deadline.patient().millisLeft(), TimeUnit.MILLISECONDS);

        Deadline.await("the writer has to wait", () -> !client.isWritable());
        slow.config().setAutoRead(true);
        assertEquals(Digests.of(sent), Digests.of(reader.bytes()));
        written.sync();
        Deadline.await("the writer may go on", client::isWritable);
    }

    @Test
    void aFileRegionArrivesWhole(@TempDir Path folder) throws Exception {
        byte[] content = Bytes.pattern(LARGE);
        Path file = Files.write(folder.resolve("file"), content);
        NettyRecorder reader = new NettyRecorder(LARGE);
        Channel listener = netty.listen(reader::setUp);
        Channel client = netty.connect(listener.localAddress(), new NettyRecorder(1)::setUp);

        client.writeAndFlush(new DefaultFileRegion(file.toFile(), 0, LARGE)).sync();

        assertEquals(Digests.of(content), Digests.of(reader.bytes()));
    }

    /** Answers with the size of what came, once the peer has nothing more to say. */
    private static final class Sizer extends ChannelInboundHandlerAdapter {
        private int size;

        static void setUp(ChannelPipeline pipeline) {
            pipeline.channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
            pipeline.addLast(new Sizer());
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf buffer = (ByteBuf) message;
            size += buffer.readableBytes();
            buffer.release();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof ChannelInputShutdownEvent) {
                context.writeAndFlush(buffer(size + " bytes"))
                        .addListener(done -> context.close());
            }
        }
    }

    @Test
    void aHalfClosedConnectionStillCarriesTheAnswer() throws Exception {
        Channel listener = netty.listen(Sizer::setUp);
        NettyRecorder recorder = new NettyRecorder(1);
        DuplexChannel client =
                (DuplexChannel) netty.connect(listener.localAddress(), recorder::setUp);

        client.writeAndFlush(Unpooled.wrappedBuffer(new byte[100_000])).sync();
        client.shutdownOutput().sync();

        assertArrayEquals(Bytes.of("100000 bytes").array(), recorder.bytesUntilEnd());
        recorder.awaitClose();
    }

    @Test
    void aConnectIsRefusedWhereNobodyListens() throws Exception {
        ChannelFuture connect =
                netty.connecting(Connections.refusing(), new NettyRecorder(1)::setUp);

        assertTrue(connect.await(Deadline.patient().millisLeft()));

        assertInstanceOf(ConnectException.class, connect.cause());
        assertTrue(connect.cause().getMessage().startsWith("Connection refused"),
                connect.cause().getMessage());
    }

    @Test
    void writingToAClosedPeerFailsAndClosesTheChannel() throws Exception {
        NettyRecorder recorder = new NettyRecorder(1);
        Channel client = connectToOneThatResets(pipeline -> {
            pipeline.channel().config().setAutoRead(false);
            recorder.setUp(pipeline);
        });

        Deadline.await("a write fails", () -> !client.writeAndFlush(buffer("anyone there?"))
                .await().isSuccess());

        assertInstanceOf(IOException.class, client.writeAndFlush(buffer("no")).await().cause());
        recorder.awaitClose();
    }

    @Test
    void aResetConnectionFailsTheReader() throws Exception {
        NettyRecorder recorder = new NettyRecorder(1);

        connectToOneThatResets(recorder::setUp);

        assertEquals("Connection reset", recorder.failure().getMessage());
        recorder.awaitClose();
    }

    /** The peer resets the connection, but not before it is established on both sides. */
    private Channel connectToOneThatResets(Consumer<ChannelPipeline> setUp) throws Exception {
        CompletableFuture<Channel> accepted = new CompletableFuture<>();
        Channel listener = netty.listen(pipeline -> accepted.complete(pipeline.channel()));
        Channel client = netty.connect(listener.localAddress(), setUp);
        Channel peer = accepted.get(Deadline.patient().millisLeft(), TimeUnit.MILLISECONDS);
        peer.config().setOption(ChannelOption.SO_LINGER, 0);
        peer.close().sync();
        return client;
    }

    @Test
    void shuttingDownClosesTheChannels() throws Exception {
        NettyRecorder recorder = new NettyRecorder(1);
        Channel listener = netty.listen(NettyEcho::setUp);
        Channel client = netty.connect(listener.localAddress(), recorder::setUp);

        netty.shutDown();

        recorder.awaitClose();
        assertFalse(client.isOpen());
        assertFalse(listener.isOpen());
    }
}
