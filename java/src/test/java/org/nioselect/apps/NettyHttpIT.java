package org.nioselect.apps;

import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Netty's HTTP/1.1 server, asked by the JDK's client. */
class NettyHttpIT {
    @RegisterExtension
    static final NettyLog LOG = new NettyLog();

    private static final int CONCURRENT = 500;

    private final NettyRuntime netty = NettyRuntime.systemWide();
    private HttpExercise exercise;

    @BeforeEach
    void start() {
        Channel listener = netty.listen(NettyHttp::setUpHttp1);
        exercise = HttpExercise.http1(((InetSocketAddress) listener.localAddress()).getPort());
    }

    @AfterEach
    void stop() {
        netty.close();
    }

    @Test
    void channelsAndSelectorsAreOfTheProvider() throws Exception {
        exercise.get(HttpExercise.PORT);

        InUse.assertAlive(Selector.class, ServerSocketChannel.class, SocketChannel.class);
    }

    @Test
    void largeBodiesPassBothWays() throws Exception {
        exercise.largeBodiesPassBothWays();
    }

    @Test
    void oneConnectionServesManyRequests() throws Exception {
        exercise.oneConnectionServesManyRequests();
    }

    @Test
    void concurrentRequestsGetTheirOwnAnswers() throws Exception {
        exercise.concurrentRequestsGetTheirOwnAnswers(CONCURRENT);
    }
}
