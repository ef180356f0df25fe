package org.nioselect.apps;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jetty's server, asked by the JDK's client. */
class JettyIT {
    private static final int CONCURRENT = 200;

    private final Server server =
            new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    private HttpExercise exercise;

    @BeforeEach
    void start() throws Exception {
        server.setHandler(new Answering());
        server.start();
        exercise = HttpExercise.http1(server.getURI().getPort());
    }

    /** Answers the paths of {@link HttpExercise}. */
    private static final class Answering extends Handler.Abstract {
        @Override
        public boolean handle(Request request, Response response, Callback callback)
                throws Exception {
            response.write(true, body(request), callback);
            return true;
        }

        private static ByteBuffer body(Request request) throws Exception {
            if (Request.getPathInContext(request).equals(HttpExercise.ECHO)) {
                return Content.Source.asByteBuffer(request);
            }
            return StandardCharsets.UTF_8.encode(
                    Integer.toString(Request.getRemotePort(request)));
        }
    }

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    @Test
    void serverAndClientUseTheProvider() throws Exception {
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
