package org.nioselect.bench.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** HTTP/1.1 requests over connections that are kept, each answered with {@value #SIZE} bytes. */
@State(Scope.Thread)
public class NettyHttp extends NettyLoad {
    private static final int SIZE = 64;

    /** How many connections. */
    @Param({"16"})
    public int connections;

    /**
     * Waits for responses.
     *
     * @throws InterruptedException if the JVM is to end
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void get() throws InterruptedException {
        awaitBatch();
    }

    @Override
    int connections() {
        return connections;
    }

    @Override
    void setUpServer(ChannelPipeline pipeline) {
        pipeline.addLast(new HttpServerCodec(), new Answering());
    }

    @Override
    void setUpClient(ChannelPipeline pipeline) {
        pipeline.addLast(new HttpClientCodec(), new Asking());
    }

    /** Answers each request. */
    private static final class Answering extends SimpleChannelInboundHandler<HttpObject> {
        private static final byte[] BODY = new byte[SIZE];

        @Override
        protected void channelRead0(ChannelHandlerContext context, HttpObject part) {
            if (part instanceof LastHttpContent) {
                ByteBuf body = Unpooled.wrappedBuffer(BODY);
                FullHttpResponse response = new DefaultFullHttpResponse(
                        HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body);
                HttpUtil.setContentLength(response, SIZE);
                context.writeAndFlush(response, context.voidPromise());
            }
        }
    }

    /** Asks, and asks again once it is answered. */
    private final class Asking extends SimpleChannelInboundHandler<HttpObject> {
        @Override
        public void channelActive(ChannelHandlerContext context) {
            ask(context);
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, HttpObject part) {
            if (part instanceof LastHttpContent) {
                answered();
                ask(context);
            }
        }

        private static void ask(ChannelHandlerContext context) {
            FullHttpRequest request = new DefaultFullHttpRequest(
                    HttpVersion.HTTP_1_1, HttpMethod.GET, "/");
            request.headers().set(HttpHeaderNames.HOST, "localhost");
            context.writeAndFlush(request, context.voidPromise());
        }
    }
}
