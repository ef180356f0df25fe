package org.nioselect.bench.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
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
 * A server and clients. Every connection always has one question that is not yet answered. The load
 * runs on its own, and the benchmark waits while it gets on.
 *
 * <p>All share one event loop: with two, the result would depend on whether the system runs their
 * threads on one core or on two, and it changes its mind.
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
    private EventLoopGroup loop;

    /** Only the event loop touches it. */
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
        loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        SocketAddress address = listen();
        for (int i = 0; i < connections(); i++) {
            connect(address);
        }
        for (int i = 0; i < WARM_UP_BATCHES; i++) {
            awaitBatch();
        }
    }

    private SocketAddress listen() throws InterruptedException {
        return new ServerBootstrap().group(loop).channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(initializer(this::setUpServer))
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync().channel().localAddress();
    }

    /** It will end with a reset, as otherwise it would keep its port from the next runs. */
    private void connect(SocketAddress address) throws InterruptedException {
        new Bootstrap().group(loop).channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_LINGER, 0)
                .handler(initializer(this::setUpClient))
                .connect(address).sync();
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
        loop.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
