package org.nioselect.contract;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What {@link SuperServer} starts: uses the inherited channel and prints what it finds. */
final class InheritingService {
    private InheritingService() {
    }

    /** The argument says what to print; nothing if the output is the socket. */
    public static void main(String[] args) throws Exception {
        Channel channel = System.inheritedChannel();
        switch (args.length == 0 ? "" : args[0]) {
            case "quiet" -> { }
            case "input" -> System.out.println("input " + System.in.read());
            case "output" -> Files.writeString(Path.of(args[1]), useOutput());
            default -> System.out.println(describe(channel));
        }
        if (channel instanceof SocketChannel connection) {
            answer(connection);
            ProcessHandle.current().parent().orElseThrow().onExit().join();
        }
    }

    private static String useOutput() {
        System.out.println("lost");
        System.err.println("lost");
        return "output failed: " + System.out.checkError()
                + ", error failed: " + System.err.checkError();
    }

    private static String describe(Channel channel) throws IOException {
        if (channel == null) {
            return "no channel";
        }
        if (channel != System.inheritedChannel()) {
            return "not the same channel each time";
        }
        if (channel instanceof SocketChannel socket) {
            return "SocketChannel, blocking " + socket.isBlocking()
                    + ", connected " + socket.isConnected()
                    + ", peer known " + (socket.getRemoteAddress() != null);
        }
        if (channel instanceof ServerSocketChannel listener) {
            return "ServerSocketChannel, blocking " + listener.isBlocking()
                    + ", accepts " + accepts(listener);
        }
        DatagramChannel datagrams = (DatagramChannel) channel;
        return "DatagramChannel, blocking " + datagrams.isBlocking()
                + ", connected " + datagrams.isConnected()
                + ", receives " + receives(datagrams);
    }

    private static boolean accepts(ServerSocketChannel listener) throws IOException {
        try (SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                SocketChannel accepted = listener.accept()) {
            return client.isConnected() && accepted.isConnected();
        }
    }

    private static boolean receives(DatagramChannel channel) throws IOException {
        SocketAddress own = channel.getLocalAddress();
        channel.send(ByteBuffer.wrap(new byte[] {1}), own);
        return own.equals(channel.receive(ByteBuffer.allocate(1)));
    }

    /** Answers "pong" to "ping" and closes. */
    private static void answer(SocketChannel connection) throws IOException {
        ByteBuffer ping = ByteBuffer.allocate("ping".length());
        while (ping.hasRemaining() && connection.read(ping) >= 0) {
            continue;
        }
        connection.write(StandardCharsets.US_ASCII.encode("pong"));
        connection.close();
    }
}
