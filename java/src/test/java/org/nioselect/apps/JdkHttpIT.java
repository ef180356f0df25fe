package org.nioselect.apps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardSocketOptions;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.nioselect.support.Bytes;
import org.nioselect.support.Connections;
import org.nioselect.support.Deadline;
import org.nioselect.support.VirtualThreads;

/** The JDK's HTTP server and HTTP client, with HTTP/1.1. */
class JdkHttpIT {
    private static final int MANY = 500;

    private JdkServer server;
    private HttpExercise exercise;

    @BeforeEach
    void start() throws IOException {
        server = JdkServer.http();
        exercise = HttpExercise.http1(server.port());
    }

    @AfterEach
    void stop() {
        server.close();
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
    void virtualThreadsServeRequests() throws Exception {
        VirtualThreads.assumeSupported();

        try (JdkServer virtual = JdkServer.httpOnVirtualThreads()) {
            HttpExercise asked = HttpExercise.http1(virtual.port());
            asked.concurrentRequestsGetTheirOwnAnswers(MANY);
            asked.largeBodiesPassBothWays();
        }
    }

    @Test
    void requestsOfManyConnectionsAreOpenAtOnce() throws Exception {
        Gathering gathering = new Gathering(MANY);
        server.handle("/gathering", gathering::join);

        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            answers.add(exercise.client().sendAsync(
                    exercise.request("/gathering").build(), BodyHandlers.ofString()));
        }

        Deadline deadline = Deadline.patient();
        for (var answer : answers) {
            assertEquals("all here",
                    answer.get(deadline.millisLeft(), TimeUnit.MILLISECONDS).body());
        }
    }

    /** Answers nobody before all have come. */
    private static final class Gathering {
        private final int expected;
        private final List<HttpExchange> present = new ArrayList<>();

        Gathering(int expected) {
            this.expected = expected;
        }

        synchronized void join(HttpExchange exchange) throws IOException {
            present.add(exchange);
            if (present.size() == expected) {
                for (HttpExchange one : present) {
                    JdkServer.answer(one, "all here".getBytes());
                }
            }
        }
    }

    @Test
    void aServerThatStopsFailsTheRequestsThatRun() throws Exception {
        CountDownLatch arrived = new CountDownLatch(3);
        CountDownLatch never = new CountDownLatch(1);
        server.handle("/never", exchange -> {
            arrived.countDown();
            awaitInterrupt(never);
        });
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            answers.add(exercise.client().sendAsync(
                    exercise.request("/never").build(), BodyHandlers.ofString()));
        }
        arrived.await();

        server.stop();

        for (var answer : answers) {
            var failure = assertThrows(ExecutionException.class, () -> answer.get(
                    Deadline.patient().millisLeft(), TimeUnit.MILLISECONDS));
            assertInstanceOf(IOException.class, failure.getCause());
        }
        assertThrows(ConnectException.class, () -> exercise.get(HttpExercise.PORT));
    }

    private static void awaitInterrupt(CountDownLatch never) {
        try {
            never.await();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aConnectionResetByTheClientFailsItsRequestOnly() throws Exception {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        CountDownLatch arrived = new CountDownLatch(1);
        server.handle("/upload", exchange -> {
            arrived.countDown();
            try {
                failure.completeExceptionally(new AssertionError(
                        exchange.getRequestBody().readAllBytes().length + " bytes"));
            } catch (IOException reset) {
                failure.complete(reset);
                throw reset;
            }
        });
        try (SocketChannel client = SocketChannel.open(server.address())) {
            client.setOption(StandardSocketOptions.SO_LINGER, 0);
            client.write(Bytes.of("POST /upload HTTP/1.1\r\nHost: localhost\r\n"
                    + "Content-Length: 1000000\r\n\r\nonly the start"));
            arrived.await();
        }

        Throwable reset = failure.get(Deadline.patient().millisLeft(), TimeUnit.MILLISECONDS);

        assertEquals("Connection reset", reset.getMessage());
        assertEquals(200, exercise.get(HttpExercise.PORT).statusCode());
    }

    @Test
    void connectingWhereNobodyListensIsRefused() throws IOException {
        HttpExercise nobody = HttpExercise.http1(Connections.refusing().getPort());

        assertThrows(ConnectException.class, () -> nobody.get(HttpExercise.PORT));
    }
}
