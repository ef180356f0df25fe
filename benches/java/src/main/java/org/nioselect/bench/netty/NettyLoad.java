package org.nioselect.bench.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.nioselect.bench.jmh.ProviderChecked;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A server and clients, each with one event loop. Every connection always has one question that is
 * not yet answered. The load runs on its own, and the benchmark waits while it gets on.
 */
@State(Scope.Thread)
public abstract class NettyLoad extends ProviderChecked {
    /** How many answers the benchmark waits for, so that its own thread is seldom awake. */
    static final int BATCH = 100;

    /** Until Netty is compiled: much more code than that of the other benchmarks. */
    private static final int WARM_UP_BATCHES = 2000;
    private static final int BACKLOG = 1024;
    private static final int PATIENCE_SECONDS = 60;

    private final Semaphore batches = new Semaphore(0);
    private EventLoopGroup serverLoop;
    private EventLoopGroup clientLoop;

    /** Only the loop of the clients touches it. */
    private int answers;

    /** For the benchmarks. */
    protected NettyLoad() {
    }

    abstract int connections();

    abstract void setUpServer(ChannelPipeline pipeline);

    /** The client begins when it is connected, and calls {@link #answered} for each answer. */
    abstract void setUpClient(ChannelPipeline pipeline);

    /** Counts an answer. */
    final void answered() {
        answers++;
        if (answers == BATCH) {
            answers = 0;
            batches.release();
        }
    }

    /**
     * Connects the clients and lets them run until the code is compiled.
     *
     * @throws InterruptedException if the JVM is to end
     */
    @Setup
    public void start() throws InterruptedException {
        serverLoop = loop();
        clientLoop = loop();
        SocketAddress address = listen();
        for (int i = 0; i < connections(); i++) {
            connect(address);
        }
        for (int i = 0; i < WARM_UP_BATCHES; i++) {
            awaitBatch();
        }
    }

    private static EventLoopGroup loop() {
        return new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    }

    private SocketAddress listen() throws InterruptedException {
        return new ServerBootstrap().group(serverLoop).channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(initializer(pipeline -> {
                    setUpServer(pipeline);
                    pipeline.addLast(new EndsWithReset());
                }))
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync().channel().localAddress();
    }

    /** It will end with a reset, as otherwise it would keep its port from the next runs. */
    private void connect(SocketAddress address) throws InterruptedException {
        new Bootstrap().group(clientLoop).channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_LINGER, 0)
                .handler(initializer(this::setUpClient))
                .connect(address).sync();
    }

    /** Keeps Netty from warning of what was meant to happen. */
    private static final class EndsWithReset extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable reset) {
            context.close();
        }
    }

    private static ChannelHandler initializer(Consumer<ChannelPipeline> setUp) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                setUp.accept(channel.pipeline());
            }
        };
    }

    /** Leaves out what was answered between the iterations. */
    @Setup(Level.Iteration)
    public void forgetEarlierBatches() {
        batches.drainPermits();
    }

    final void awaitBatch() throws InterruptedException {
        if (!batches.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the connections are silent");
        }
    }

    /** Closes all connections. */
    @TearDown
    public void stop() {
        stop(clientLoop);
        stop(serverLoop);
    }

    private static void stop(EventLoopGroup loop) {
        loop.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
