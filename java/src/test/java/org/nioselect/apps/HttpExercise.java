package org.nioselect.apps;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.nioselect.support.Bytes;
import org.nioselect.support.Deadline;

/**
 * What is asked of each HTTP server, by the JDK's client. A server answers {@link #ECHO} with the
 * request's body, once it has all of it, and {@link #PORT} with the port of the client's end.
 *
 * @param client the client
 * @param server where the server is: scheme, host and port
 */
record HttpExercise(HttpClient client, URI server) {
    static final String ECHO = "/echo";
    static final String PORT = "/port";

    private static final int LARGE = 32 * 1024 * 1024;
    private static final int KEPT_REQUESTS = 50;

    /** An exercise with a client of plain HTTP/1.1. */
    static HttpExercise http1(int port) {
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        return new HttpExercise(client, URI.create("http://127.0.0.1:" + port));
    }

    void largeBodiesPassBothWays() throws Exception {
        byte[] body = Bytes.pattern(LARGE);

        HttpResponse<InputStream> response =
                client.send(post(ECHO, body), BodyHandlers.ofInputStream());

        assertEquals(200, response.statusCode());
        assertEquals(Digests.of(body), Digests.of(response.body()));
    }

    void oneConnectionServesManyRequests() throws IOException, InterruptedException {
        Set<String> ports = new HashSet<>();
        for (int i = 0; i < KEPT_REQUESTS; i++) {
            ports.add(get(PORT).body());
        }
        assertEquals(1, ports.size(), () -> "ports of the client: " + ports);
    }

    /** Asks at once and awaits all answers. */
    void concurrentRequestsGetTheirOwnAnswers(int count) throws Exception {
        List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            answers.add(client.sendAsync(
                    post(ECHO, question(i).getBytes()), BodyHandlers.ofString()));
        }
        Deadline deadline = Deadline.patient();
        for (int i = 0; i < count; i++) {
            var answer = answers.get(i).get(deadline.millisLeft(), TimeUnit.MILLISECONDS);
            assertEquals(question(i), answer.body());
        }
    }

    private static String question(int number) {
        return "question " + number;
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(request(path).build(), BodyHandlers.ofString());
    }

    HttpRequest post(String path, byte[] body) {
        return request(path).POST(BodyPublishers.ofByteArray(body)).build();
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(server.resolve(path));
    }
}
