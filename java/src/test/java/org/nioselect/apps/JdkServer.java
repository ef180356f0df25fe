package org.nioselect.apps;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;
import org.nioselect.support.Connections;

/** The JDK's HTTP server, with the paths of {@link HttpExercise}. */
final class JdkServer implements AutoCloseable {
    private static final int BACKLOG = 1024;

    private final HttpServer server;
    private final ExecutorService threads;

    private JdkServer(HttpServer server, ExecutorService threads) {
        this.server = server;
        this.threads = threads;
        server.setExecutor(threads);
        handle(HttpExercise.ECHO, exchange ->
                answer(exchange, exchange.getRequestBody().readAllBytes()));
        handle(HttpExercise.PORT, exchange -> answer(exchange, portOfClient(exchange)));
        server.start();
    }

    static JdkServer http() throws IOException {
        return http(Executors.newCachedThreadPool());
    }

    /** The server on a Java that has virtual threads. */
    static JdkServer httpOnVirtualThreads() throws IOException, ReflectiveOperationException {
        return http((ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null));
    }

    private static JdkServer http(ExecutorService threads) throws IOException {
        return new JdkServer(HttpServer.create(Connections.anyPort(), BACKLOG), threads);
    }

    static JdkServer https(SSLContext context) throws IOException {
        HttpsServer server = HttpsServer.create(Connections.anyPort(), BACKLOG);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        return new JdkServer(server, Executors.newCachedThreadPool());
    }

    void handle(String path, HttpHandler handler) {
        server.createContext(path, handler);
    }

    int port() {
        return address().getPort();
    }

    InetSocketAddress address() {
        return server.getAddress();
    }

    static void answer(HttpExchange exchange, byte[] body) throws IOException {
        try (exchange) {
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private static byte[] portOfClient(HttpExchange exchange) {
        String port = Integer.toString(exchange.getRemoteAddress().getPort());
        return port.getBytes(StandardCharsets.UTF_8);
    }

    /** Stops without waiting for requests that are being handled. */
    void stop() {
        server.stop(0);
    }

    @Override
    public void close() {
        stop();
        threads.shutdownNow();
    }
}
