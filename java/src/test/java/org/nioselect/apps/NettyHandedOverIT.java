package org.nioselect.apps;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import java.io.File;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.nioselect.NioselectProvider;
import org.nioselect.support.Bytes;
import org.nioselect.support.ChildJvm;

/** Netty in a JVM that uses the JDK's provider, with ours handed over to it. */
class NettyHandedOverIT {
    @Test
    void nettyUsesTheProviderThatItIsHanded() throws Exception {
        String report = ChildJvm.plain(Program.class).allowNativeAccess()
                .classPath(classPath())
                .run();

        assertEquals("""
                tcp echoed
                unix echoed
                udp echoed
                all by the provider handed over
                that of the JVM: sun.nio.ch.EPollSelectorProvider""", report);
    }

    private static Path[] classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of).toArray(Path[]::new);
    }

    /** Echoes over each kind of channel; prints what has been echoed, and by which provider. */
    static final class Program {
        private static final String MESSAGE = "over a channel of the provider";

        private final NettyRuntime netty =
                NettyRuntime.handedOver(NioselectProvider.provider());

        public static void main(String[] args) throws Exception {
            new Program().run();
        }

        private void run() throws Exception {
            Path folder = Files.createTempDirectory("handed-over");
            Path socket = folder.resolve("socket");
            try (netty) {
                tcp();
                unix(UnixDomainSocketAddress.of(socket));
                udp();
                InUse.assertAliveThoughNotSystemWide(Selector.class, SocketChannel.class,
                        ServerSocketChannel.class, DatagramChannel.class);
            } finally {
                Files.deleteIfExists(socket);
                Files.delete(folder);
            }
            System.out.println("all by the provider handed over");
            System.out.println(
                    "that of the JVM: " + SelectorProvider.provider().getClass().getName());
        }

        private void tcp() throws Exception {
            echo("tcp", netty.listen(NettyEcho::setUp).localAddress());
        }

        private void unix(UnixDomainSocketAddress address) throws Exception {
            netty.listen(address, NettyEcho::setUp);
            echo("unix", address);
        }

        private void echo(String name, SocketAddress server) throws Exception {
            NettyRecorder recorder = new NettyRecorder(MESSAGE.length());
            netty.connect(server, recorder::setUp).writeAndFlush(message());
            report(name, recorder.text());
        }

        private void udp() throws Exception {
            NettyRecorder recorder = new NettyRecorder(MESSAGE.length());
            Channel receiver = netty.datagrams(pipeline -> {
                pipeline.addLast(new Contents());
                recorder.setUp(pipeline);
            });
            netty.datagrams(pipeline -> { }).writeAndFlush(new DatagramPacket(
                    message(), (InetSocketAddress) receiver.localAddress()));
            report("udp", recorder.text());
        }

        private static ByteBuf message() {
            return Unpooled.wrappedBuffer(Bytes.of(MESSAGE));
        }

        private static void report(String name, String echo) {
            System.out.println(name + (echo.equals(MESSAGE) ? " echoed" : " garbled: " + echo));
        }
    }

    /** Passes on what is in the datagrams. */
    private static final class Contents extends SimpleChannelInboundHandler<DatagramPacket> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
            context.fireChannelRead(packet.content().retain());
        }
    }
}
