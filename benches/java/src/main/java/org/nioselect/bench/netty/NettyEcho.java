package org.nioselect.bench.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Messages of {@value #SIZE} bytes go to and fro. */
@State(Scope.Thread)
public class NettyEcho extends NettyLoad {
    private static final int SIZE = 64;

    /** How many connections. */
    @Param({"16", "1000"})
    public int connections;

    /**
     * Waits for echoes.
     *
     * @throws InterruptedException if the JVM is to end
     */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void echo() throws InterruptedException {
        awaitBatch();
    }

    @Override
    int connections() {
        return connections;
    }

    @Override
    void setUpServer(ChannelPipeline pipeline) {
        pipeline.addLast(new Returning());
    }

    @Override
    void setUpClient(ChannelPipeline pipeline) {
        pipeline.addLast(new Counting());
    }

    /** Sends back what comes. */
    private static class Returning extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(message, context.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }

    /** Begins, then sends back what comes and counts it. */
    private final class Counting extends Returning {
        private int bytes;

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.writeAndFlush(Unpooled.wrappedBuffer(new byte[SIZE]));
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            bytes += ((ByteBuf) message).readableBytes();
            if (bytes >= SIZE) {
                bytes -= SIZE;
                answered();
            }
            super.channelRead(context, message);
        }
    }
}
