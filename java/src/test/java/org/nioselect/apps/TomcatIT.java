package org.nioselect.apps;

import static org.junit.jupiter.api.Assertions.assertEquals;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.servlets.DefaultServlet;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nioselect.support.Bytes;

/** Tomcat's server, asked by the JDK's client. */
class TomcatIT {
    private static final int CONCURRENT = 200;
    private static final int LARGE = 32 * 1024 * 1024;

    /** Kept here, as the system only holds loggers weakly; Tomcat tells much at every start. */
    private static final Logger TOMCAT = Logger.getLogger("org.apache");

    @TempDir
    private Path folder;
    private final Tomcat server = new Tomcat();
    private HttpExercise exercise;

    @BeforeAll
    static void silence() {
        TOMCAT.setLevel(Level.SEVERE);
    }

    @BeforeEach
    void start() throws Exception {
        server.setBaseDir(folder.toString());
        server.setHostname("localhost");
        server.setPort(0);
        server.getConnector().setProperty("address", "127.0.0.1");
        Path files = Files.createDirectory(folder.resolve("files"));
        Context context = server.addContext("", files.toString());
        add(context, HttpExercise.ECHO, new Echo());
        add(context, HttpExercise.PORT, new Port());
        add(context, "/", new DefaultServlet());
        server.start();
        exercise = HttpExercise.http1(server.getConnector().getLocalPort());
    }

    private static void add(Context context, String path, HttpServlet servlet) {
        Tomcat.addServlet(context, path, servlet).addMapping(path);
    }

    /** Answers with the body of the request. */
    private static final class Echo extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            response.getOutputStream().write(request.getInputStream().readAllBytes());
        }
    }

    /** Answers with the port of the client's end. */
    private static final class Port extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            response.getWriter().print(request.getRemotePort());
        }
    }

    @AfterEach
    void stop() throws LifecycleException {
        server.stop();
        server.destroy();
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

    /** Tomcat has {@code FileChannel.transferTo} send it. */
    @Test
    void aLargeFileArrivesWhole() throws Exception {
        byte[] content = Bytes.pattern(LARGE);
        Files.write(folder.resolve("files/large"), content);

        var response = exercise.client().send(
                exercise.request("/large").build(), BodyHandlers.ofInputStream());

        assertEquals(Digests.of(content), Digests.of(response.body()));
    }
}
