package org.nioselect.apps;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The JDK's HTTP server and HTTP client over TLS. */
class JdkHttpsIT {
    private static final int CONCURRENT = 100;

    private static SSLContext context;

    private JdkServer server;
    private HttpExercise exercise;

    @BeforeAll
    static void makeKey(@TempDir Path folder) throws Exception {
        context = SelfSigned.in(folder).context();
    }

    @BeforeEach
    void start() throws IOException {
        server = JdkServer.https(context);
        exercise = withClient(HttpClient.newBuilder().sslContext(context));
    }

    private HttpExercise withClient(HttpClient.Builder client) {
        return new HttpExercise(client.version(HttpClient.Version.HTTP_1_1).build(),
                URI.create("https://127.0.0.1:" + server.port()));
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
    void concurrentRequestsGetTheirOwnAnswers() throws Exception {
        exercise.concurrentRequestsGetTheirOwnAnswers(CONCURRENT);
    }

    @Test
    void aCertificateThatIsNotTrustedFailsTheRequest() {
        HttpExercise distrustful = withClient(HttpClient.newBuilder());

        assertThrows(SSLException.class, () -> distrustful.get(HttpExercise.PORT));
    }
}
