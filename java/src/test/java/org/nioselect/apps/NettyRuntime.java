package org.nioselect.apps;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.spi.SelectorProvider;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.nioselect.support.Connections;

/** Netty's event loops and channels over a provider. */
final class NettyRuntime implements AutoCloseable {
    private static final int BACKLOG = 1024;
    private static final int THREADS = 2;
    private static final int PATIENCE_MILLIS = 30_000;

    /** With less, a loop that is busy when it is to stop may leave its channels open. */
    private static final int QUIET_MILLIS = 100;

    private final SelectorProvider provider;
    private final EventLoopGroup loops;

    private NettyRuntime(SelectorProvider provider, EventLoopGroup loops) {
        this.provider = provider;
        this.loops = loops;
    }

    /** On the provider of the JVM, which is not handed over but found by Netty itself. */
    static NettyRuntime systemWide() {
        return on(new MultiThreadIoEventLoopGroup(THREADS, NioIoHandler.newFactory()));
    }

    /** On loops that use the provider of the JVM. */
    static NettyRuntime on(EventLoopGroup loops) {
        return new NettyRuntime(SelectorProvider.provider(), loops);
    }

    /** On a provider that is handed over to each object of Netty's. */
    static NettyRuntime handedOver(SelectorProvider provider) {
        return new NettyRuntime(provider,
                new MultiThreadIoEventLoopGroup(THREADS, NioIoHandler.newFactory(provider)));
    }

    /** Listens for TCP connections; each accepted one is set up. */
    Channel listen(Consumer<ChannelPipeline> setUp) {
        return listen(() -> new NioServerSocketChannel(provider), Connections.anyPort(), setUp);
    }

    /** Listens for connections to a UNIX domain socket. */
    Channel listen(UnixDomainSocketAddress address, Consumer<ChannelPipeline> setUp) {
        return listen(() -> new NioServerDomainSocketChannel(provider), address, setUp);
    }

    private Channel listen(ChannelFactory<ServerChannel> factory, SocketAddress address,
            Consumer<ChannelPipeline> setUp) {
        return new ServerBootstrap().group(loops).channelFactory(factory)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childHandler(initializer(setUp))
                .bind(address).syncUninterruptibly().channel();
    }

    /** Connects to a TCP or UNIX domain socket and waits until that is done. */
    Channel connect(SocketAddress address, Consumer<ChannelPipeline> setUp) {
        return connecting(address, setUp).syncUninterruptibly().channel();
    }

    /** Begins to connect. */
    ChannelFuture connecting(SocketAddress address, Consumer<ChannelPipeline> setUp) {
        return new Bootstrap().group(loops)
                .channelFactory(() -> address instanceof UnixDomainSocketAddress
                        ? new NioDomainSocketChannel(provider) : new NioSocketChannel(provider))
                .handler(initializer(setUp))
                .connect(address);
    }

    /** Binds a datagram channel to a free port. */
    Channel datagrams(Consumer<ChannelPipeline> setUp) {
        return new Bootstrap().group(loops)
                .channelFactory(() -> new NioDatagramChannel(provider))
                .handler(initializer(setUp))
                .bind(Connections.anyPort()).syncUninterruptibly().channel();
    }

    private static ChannelHandler initializer(Consumer<ChannelPipeline> setUp) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                setUp.accept(channel.pipeline());
            }
        };
    }

    /** Stops the loops as Netty does by default: they close their channels. */
    void shutDown() {
        loops.shutdownGracefully().syncUninterruptibly();
    }

    /** Stops the loops soon. */
    @Override
    public void close() {
        loops.shutdownGracefully(QUIET_MILLIS, PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
                .syncUninterruptibly();
    }
}
