package org.nioselect.apps;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;

/** Sends back what comes, as it comes. */
@Sharable
final class NettyEcho extends ChannelInboundHandlerAdapter {
    private static final NettyEcho INSTANCE = new NettyEcho();

    static void setUp(ChannelPipeline pipeline) {
        pipeline.addLast(INSTANCE);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        context.write(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.flush();
    }
}
