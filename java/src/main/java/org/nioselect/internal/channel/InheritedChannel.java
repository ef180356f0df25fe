package org.nioselect.internal.channel;

import java.io.IOException;
import java.nio.channels.Channel;
import java.nio.channels.spi.SelectorProvider;
import org.nioselect.internal.net.Errors;
import org.nioselect.internal.sys.AddressForm;
import org.nioselect.internal.sys.Memory;
import org.nioselect.internal.sys.Sockets;

/**
 * The channel over the socket that a super-server, such as inetd or systemd, has started this
 * process with as its standard input.
 */
public final class InheritedChannel {
    private static boolean known;
    private static Channel channel;

    private InheritedChannel() {
    }

    /**
     * The channel, made for whoever asks first.
     *
     * @param provider its provider
     * @return always the same channel; null if the standard input is no socket that a channel of
     *     java.nio can be made over
     * @throws IOException if the system has no descriptor left, or no null device
     */
    public static synchronized Channel get(SelectorProvider provider) throws IOException {
        if (!known) {
            channel = find(provider);
            known = true;
        }
        return channel;
    }

    private static Channel find(SelectorProvider provider) throws IOException {
        Memory facts = new Memory(4 * Integer.BYTES);
        if (Sockets.inspect(StandardStreams.INPUT, facts.address()) < 0) {
            return null;
        }
        int family = facts.buffer().getInt(0);
        int type = facts.buffer().getInt(Integer.BYTES);
        boolean connected = facts.buffer().getInt(2 * Integer.BYTES) == 1;
        boolean known = family != AddressForm.NONE
                && !(family == AddressForm.UNIX && type == Sockets.DATAGRAM);
        return known ? takeOver(provider, family, type, connected) : null;
    }

    /**
     * The channel gets a number of its own, as 0 must not become free: whatever is opened next
     * would be the standard input. And it is left alone with the socket, since a connection ends
     * only when all its descriptors are closed.
     */
    private static Channel takeOver(SelectorProvider provider, int family, int type,
            boolean connected) throws IOException {
        int fd = Errors.check(Sockets.duplicate(StandardStreams.INPUT));
        Channel made = switch (type) {
            case Sockets.STREAM -> new NioselectSocketChannel(provider, family, fd, connected);
            case Sockets.LISTENER -> new NioselectServerSocketChannel(provider, family, fd);
            default -> new NioselectDatagramChannel(provider, family, fd, connected);
        };
        try {
            StandardStreams.letGoOfInput();
        } catch (IOException e) {
            made.close();
            throw e;
        }
        return made;
    }
}
