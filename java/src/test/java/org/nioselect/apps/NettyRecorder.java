package org.nioselect.apps;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.nioselect.support.Deadline;

/** Keeps what a channel is told: bytes, the end of its input, its close, its failure. */
final class NettyRecorder extends SimpleChannelInboundHandler<ByteBuf> {
    private final int expected;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> received = new CompletableFuture<>();
    private final CompletableFuture<byte[]> endOfInput = new CompletableFuture<>();
    private final CompletableFuture<Void> close = new CompletableFuture<>();
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();

    /** A recorder that is satisfied with so many bytes. */
    NettyRecorder(int expected) {
        this.expected = expected;
    }

    void setUp(ChannelPipeline pipeline) {
        pipeline.addLast(this);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf message) throws Exception {
        message.readBytes(bytes, message.readableBytes());
        if (bytes.size() >= expected) {
            received.complete(bytes.toByteArray());
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            endOfInput.complete(bytes.toByteArray());
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        endOfInput.complete(bytes.toByteArray());
        received.completeExceptionally(new AssertionError("closed after " + bytes.size()));
        close.complete(null);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        failure.complete(cause);
        context.close();
    }

    /** Awaits the expected bytes. */
    byte[] bytes() throws Exception {
        return await(received);
    }

    /** Awaits the expected bytes, as text. */
    String text() throws Exception {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    /** Awaits the end of input. */
    byte[] bytesUntilEnd() throws Exception {
        return await(endOfInput);
    }

    void awaitClose() throws Exception {
        await(close);
    }

    /** Awaits an exception of the channel. */
    Throwable failure() throws Exception {
        return await(failure);
    }

    private static <T> T await(CompletableFuture<T> future) throws Exception {
        return future.get(Deadline.patient().millisLeft(), TimeUnit.MILLISECONDS);
    }
}
