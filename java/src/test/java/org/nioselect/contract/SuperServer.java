package org.nioselect.contract;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channel;
import java.nio.channels.Channels;
import java.nio.channels.DatagramChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.nioselect.internal.sys.Descriptors;
import org.nioselect.internal.sys.Memory;
import org.nioselect.internal.sys.Sockets;

/**
 * Starts a command with a socket as its standard input, as inetd and systemd do. It runs in a JVM
 * with the JDK's own provider, whose sockets a command can inherit.
 */
final class SuperServer {
    private static final InetSocketAddress LOOPBACK =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static final StandardProtocolFamily UNIX = StandardProtocolFamily.UNIX;
    private static final int ATTEMPTS = 1000;

    private SuperServer() {
    }

    /** Arguments: the kind of socket, a folder for socket files, the command. */
    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[1]);
        List<String> command = List.of(args).subList(2, args.length);
        switch (args[0]) {
            case "tcp" -> serveConnection(ServerSocketChannel.open().bind(LOOPBACK),
                    SocketChannel::open, command);
            case "unix" -> serveConnection(
                    ServerSocketChannel.open(UNIX).bind(file(folder, "peer")),
                    () -> SocketChannel.open(UNIX), command);
            case "tcp-listener" ->
                    run(inherited(ServerSocketChannel::open).bind(LOOPBACK), command);
            case "unix-listener" -> run(inherited(() -> ServerSocketChannel.open(UNIX))
                    .bind(file(folder, "name")), command);
            case "udp" -> run(inherited(DatagramChannel::open).bind(LOOPBACK), command);
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static UnixDomainSocketAddress file(Path folder, String name) {
        return UnixDomainSocketAddress.of(folder.resolve(name));
    }

    /**
     * Makes a socket the descriptor 0: a new one gets the lowest number that is free. The JVM
     * itself may have taken that for a moment, to read how much memory it may use.
     */
    private static <C extends Channel> C inherited(Opener<C> opener) throws IOException {
        openWhatTheJdkKeepsOpen();
        Memory facts = new Memory(4 * Integer.BYTES);
        Descriptors.close(0);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            C socket = opener.open();
            if (Sockets.inspect(0, facts.address()) == 0) {
                return socket;
            }
            socket.close();
        }
        throw new AssertionError("the socket is not descriptor 0");
    }

    private static void openWhatTheJdkKeepsOpen() throws IOException {
        SocketChannel.open().close();
        DatagramChannel.open().close();
        ServerSocketChannel.open(UNIX).close();
    }

    private static void run(Channel socket, List<String> command) throws Exception {
        Process service = new ProcessBuilder(command).inheritIO().start();
        socket.close();
        service.waitFor();
    }

    /** Plays the peer of a connection, until it ends. The service lives on until this JVM ends. */
    private static void serveConnection(ServerSocketChannel listener,
            Opener<SocketChannel> opener, List<String> command) throws Exception {
        SocketChannel connection = inherited(opener);
        connection.connect(listener.getLocalAddress());
        SocketChannel peer = listener.accept();
        new ProcessBuilder(command).inheritIO().start();
        connection.close();

        peer.write(StandardCharsets.US_ASCII.encode("ping"));
        byte[] received = Channels.newInputStream(peer).readAllBytes();
        System.out.println("peer has read: " + new String(received, StandardCharsets.US_ASCII));
    }

    /** Opens a channel. */
    private interface Opener<C extends Channel> {
        C open() throws IOException;
    }
}
