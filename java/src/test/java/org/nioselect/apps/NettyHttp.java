package org.nioselect.apps;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpServerUpgradeHandler;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http2.CleartextHttp2ServerUpgradeHandler;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ServerUpgradeCodec;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.util.AsciiString;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Netty as an HTTP server of both versions, with the paths of {@link HttpExercise}. */
final class NettyHttp {
    private static final int MAX_BODY = 64 * 1024 * 1024;

    private NettyHttp() {
    }

    /** Speaks HTTP/1.1 alone. */
    static void setUpHttp1(ChannelPipeline pipeline) {
        pipeline.addLast(new HttpServerCodec());
        addAnswering(pipeline);
    }

    /** Speaks HTTP/1.1 until the client asks for HTTP/2. */
    static void setUpUpgrade(ChannelPipeline pipeline) {
        HttpServerCodec http1 = new HttpServerCodec();
        HttpServerUpgradeHandler upgrade = new HttpServerUpgradeHandler(
                http1, NettyHttp::upgradeCodec, MAX_BODY);
        pipeline.addLast(new CleartextHttp2ServerUpgradeHandler(
                http1, upgrade, initializer(NettyHttp::setUpHttp2)));
        addAnswering(pipeline);
    }

    private static Http2ServerUpgradeCodec upgradeCodec(CharSequence protocol) {
        return AsciiString.contentEquals(Http2CodecUtil.HTTP_UPGRADE_PROTOCOL_NAME, protocol)
                ? new Http2ServerUpgradeCodec(frames(), streams()) : null;
    }

    /** Speaks HTTP/2 from the start. */
    static void setUpHttp2(ChannelPipeline pipeline) {
        pipeline.addLast(frames(), streams(), Parting.INSTANCE);
    }

    private static Http2FrameCodec frames() {
        return Http2FrameCodecBuilder.forServer().build();
    }

    private static Http2MultiplexHandler streams() {
        return new Http2MultiplexHandler(initializer(pipeline -> {
            pipeline.addLast(new Http2StreamFrameToHttpObjectCodec(true));
            addAnswering(pipeline);
        }));
    }

    private static void addAnswering(ChannelPipeline pipeline) {
        pipeline.addLast(
                new HttpObjectAggregator(MAX_BODY), Answering.INSTANCE, Parting.INSTANCE);
    }

    private static ChannelHandler initializer(Consumer<ChannelPipeline> setUp) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                setUp.accept(channel.pipeline());
            }
        };
    }

    /** Answers the requests of a connection or of a stream. */
    @Sharable
    private static final class Answering extends SimpleChannelInboundHandler<FullHttpRequest> {
        static final Answering INSTANCE = new Answering();

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            FullHttpResponse response = new DefaultFullHttpResponse(
                    request.protocolVersion(), HttpResponseStatus.OK, body(context, request));
            HttpUtil.setContentLength(response, response.content().readableBytes());
            context.writeAndFlush(response);
        }

        private static ByteBuf body(ChannelHandlerContext context, FullHttpRequest request) {
            if (request.uri().equals(HttpExercise.ECHO)) {
                return request.content().retain();
            }
            InetSocketAddress client = (InetSocketAddress) context.channel().remoteAddress();
            return Unpooled.copiedBuffer(
                    Integer.toString(client.getPort()), StandardCharsets.UTF_8);
        }
    }

    /** Takes leave of a client that is no longer in use and resets its connection. */
    @Sharable
    private static final class Parting extends ChannelInboundHandlerAdapter {
        static final Parting INSTANCE = new Parting();

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            if (cause instanceof IOException) {
                context.close();
            } else {
                context.fireExceptionCaught(cause);
            }
        }
    }
}
