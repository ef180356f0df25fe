package org.nioselect.apps;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The JDK's HTTP client with HTTP/2, of which Netty is the server. */
class HttpClientHttp2IT {
    @RegisterExtension
    static final NettyLog LOG = new NettyLog();

    private static final int STREAMS = 80;

    private static SelfSigned key;

    private final NettyRuntime netty = NettyRuntime.systemWide();

    @BeforeAll
    static void makeKey(@TempDir Path folder) throws Exception {
        key = SelfSigned.in(folder);
    }

    @AfterEach
    void stop() {
        netty.close();
    }

    /** The first request is in HTTP/1.1 and asks for the change. */
    private HttpExercise clearText() throws Exception {
        Channel listener = netty.listen(NettyHttp::setUpUpgrade);
        return connected("http", listener, HttpClient.newBuilder());
    }

    private HttpExercise encrypted() throws Exception {
        SslContext serverSide = SslContextBuilder.forServer(key.keys())
                .sslProvider(SslProvider.JDK)
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE,
                        SelectedListenerFailureBehavior.ACCEPT,
                        ApplicationProtocolNames.HTTP_2))
                .build();
        Channel listener = netty.listen(pipeline -> pipeline.addLast(
                serverSide.newHandler(pipeline.channel().alloc()), new Negotiated()));
        return connected("https", listener, HttpClient.newBuilder().sslContext(key.context()));
    }

    /** Begins to speak HTTP/2 once the client has agreed to it. */
    private static final class Negotiated extends ApplicationProtocolNegotiationHandler {
        Negotiated() {
            super("the client has not asked for HTTP/2");
        }

        @Override
        protected void configurePipeline(ChannelHandlerContext context, String protocol) {
            assertEquals(ApplicationProtocolNames.HTTP_2, protocol);
            ChannelPipeline pipeline = context.pipeline();
            NettyHttp.setUpHttp2(pipeline);
        }
    }

    private static HttpExercise connected(
            String scheme, Channel listener, HttpClient.Builder client) throws Exception {
        int port = ((InetSocketAddress) listener.localAddress()).getPort();
        HttpExercise exercise = new HttpExercise(
                client.version(HttpClient.Version.HTTP_2).build(),
                URI.create(scheme + "://127.0.0.1:" + port));
        assertEquals(HttpClient.Version.HTTP_2, exercise.get(HttpExercise.PORT).version());
        return exercise;
    }

    @Test
    void clientAndServerUseTheProvider() throws Exception {
        HttpExercise exercise = clearText();

        InUse.assertAlive(Selector.class, ServerSocketChannel.class, SocketChannel.class);
        exercise.get(HttpExercise.PORT);
    }

    @Test
    void largeBodiesPassBothWays() throws Exception {
        clearText().largeBodiesPassBothWays();
    }

    @Test
    void oneConnectionServesManyRequests() throws Exception {
        clearText().oneConnectionServesManyRequests();
    }

    @Test
    void concurrentStreamsGetTheirOwnAnswers() throws Exception {
        clearText().concurrentRequestsGetTheirOwnAnswers(STREAMS);
    }

    @Test
    void largeBodiesPassBothWaysOverTls() throws Exception {
        encrypted().largeBodiesPassBothWays();
    }

    @Test
    void concurrentStreamsGetTheirOwnAnswersOverTls() throws Exception {
        encrypted().concurrentRequestsGetTheirOwnAnswers(STREAMS);
    }
}
