package org.nioselect.apps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Selector;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;

/** Netty over UDP. Over loopback datagrams get lost only if the receiver's buffer is full. */
class NettyUdpIT {
    @RegisterExtension
    static final NettyLog LOG = new NettyLog();

    private static final int MANY = 1000;

    private final NettyRuntime netty = NettyRuntime.systemWide();
    private final Inbox inbox = new Inbox();
    private Channel server;
    private Channel client;

    /** Sends each datagram back to its sender. */
    private static final class Echo extends SimpleChannelInboundHandler<DatagramPacket> {
        static void setUp(ChannelPipeline pipeline) {
            pipeline.addLast(new Echo());
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
            context.writeAndFlush(
                    new DatagramPacket(packet.content().retain(), packet.sender()));
        }
    }

    /** Keeps the datagrams and the failures of a channel. */
    private static final class Inbox extends SimpleChannelInboundHandler<DatagramPacket> {
        private final BlockingQueue<String> texts = new LinkedBlockingQueue<>();
        private final BlockingQueue<InetSocketAddress> senders = new LinkedBlockingQueue<>();
        private final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();

        void setUp(ChannelPipeline pipeline) {
            pipeline.addLast(this);
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
            texts.add(packet.content().toString(StandardCharsets.UTF_8));
            senders.add(packet.sender());
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            failures.add(cause);
        }

        static <T> T next(BlockingQueue<T> queue) throws InterruptedException {
            return queue.poll(Deadline.patient().millisLeft(), TimeUnit.MILLISECONDS);
        }
    }

    @BeforeEach
    void bind() {
        server = netty.datagrams(Echo::setUp);
        client = netty.datagrams(inbox::setUp);
    }

    @AfterEach
    void stop() {
        netty.close();
    }

    @Test
    void channelsAndSelectorsAreOfTheProvider() throws Exception {
        InUse.assertAlive(Selector.class, DatagramChannel.class);
    }

    @Test
    void datagramsPassBothWays() throws Exception {
        for (int i = 0; i < MANY; i++) {
            client.writeAndFlush(new DatagramPacket(buffer("datagram " + i), addressOf(server)));

            assertEquals("datagram " + i, Inbox.next(inbox.texts));
            assertEquals(addressOf(server), Inbox.next(inbox.senders));
        }
    }

    @Test
    void datagramsPassBothWaysOverConnectedChannels() throws Exception {
        client.connect(server.localAddress()).sync();

        for (int i = 0; i < MANY; i++) {
            client.writeAndFlush(buffer("datagram " + i));

            assertEquals("datagram " + i, Inbox.next(inbox.texts));
            assertEquals(addressOf(server), Inbox.next(inbox.senders));
        }
    }

    @Test
    void aConnectedChannelReceivesFromItsPeerOnly() throws Exception {
        Inbox strangers = new Inbox();
        Channel stranger = netty.datagrams(strangers::setUp);
        client.connect(server.localAddress()).sync();

        stranger.writeAndFlush(
                new DatagramPacket(buffer("from a stranger"), addressOf(client))).sync();
        client.writeAndFlush(buffer("from the peer")).sync();

        assertEquals("from the peer", Inbox.next(inbox.texts));
    }

    @Test
    void aDisconnectedChannelReceivesFromAnyoneAgain() throws Exception {
        Inbox strangers = new Inbox();
        Channel stranger = netty.datagrams(strangers::setUp);
        client.connect(server.localAddress()).sync();
        client.disconnect().sync();

        stranger.writeAndFlush(new DatagramPacket(buffer("hello"), addressOf(client))).sync();

        assertEquals("hello", Inbox.next(inbox.texts));
        assertEquals(addressOf(stranger), Inbox.next(inbox.senders));
    }

    @Test
    void anEmptyDatagramArrives() throws Exception {
        client.writeAndFlush(new DatagramPacket(Unpooled.EMPTY_BUFFER, addressOf(server))).sync();

        assertEquals("", Inbox.next(inbox.texts));
    }

    @Test
    void nobodyAtThePortOfThePeerIsAFailureOfTheChannel() throws Exception {
        client.connect(Connections.refusing()).sync();

        client.writeAndFlush(buffer("anyone there?")).sync();

        assertInstanceOf(PortUnreachableException.class, Inbox.next(inbox.failures));
        assertTrue(client.isOpen());
    }

    private static InetSocketAddress addressOf(Channel channel) {
        return (InetSocketAddress) channel.localAddress();
    }

    private static ByteBuf buffer(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }
}
