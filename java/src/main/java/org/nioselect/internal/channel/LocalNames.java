package org.nioselect.internal.channel;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import org.nioselect.internal.net.SocketAddresses;
import org.nioselect.internal.sys.AddressForm;

/**
 * Binds stream sockets to local addresses, or to names of UNIX domain sockets.
 */
final class LocalNames {
    private static final int ATTEMPTS = 10;

    private LocalNames() {
    }

    /** Binds a socket that will connect. Gives what it is bound to. */
    static SocketAddress bindClient(int fd, int family, SocketAddress local) throws IOException {
        if (family != AddressForm.UNIX) {
            return bindInet(fd, family, local);
        }
        // Linux would bind a socket without a name to one of its own choice.
        if (local == null || isUnnamed(SocketAddresses.checkUnix(local))) {
            return UnixDomainSocketAddress.of("");
        }
        return bind(fd, family, local);
    }

    /** Binds a socket that will listen. Gives what it is bound to. */
    static SocketAddress bindServer(int fd, int family, SocketAddress local) throws IOException {
        if (family != AddressForm.UNIX) {
            return bindInet(fd, family, local);
        }
        if (local == null) {
            return bindTemporary(fd);
        }
        if (isUnnamed(SocketAddresses.checkUnix(local))) {
            throw new BindException("Server socket cannot bind to unnamed address");
        }
        return bind(fd, family, local);
    }

    /** Whether a socket with this address is bound, as far as the address tells. */
    static boolean isName(SocketAddress address) {
        return address instanceof InetSocketAddress inet
                ? inet.getPort() != 0
                : address instanceof UnixDomainSocketAddress unix && !isUnnamed(unix);
    }

    private static boolean isUnnamed(UnixDomainSocketAddress address) {
        return address.getPath().toString().isEmpty();
    }

    private static SocketAddress bindInet(int fd, int family, SocketAddress local)
            throws IOException {
        return bind(fd, family, local == null
                ? SocketAddresses.wildcard(family)
                : SocketAddresses.checkInet(local, family));
    }

    private static SocketAddress bindTemporary(int fd) throws IOException {
        Path directory = temporaryDirectory();
        for (int i = 1;; i++) {
            int number = ThreadLocalRandom.current().nextInt(Integer.MAX_VALUE);
            Path path = directory.resolve("socket_" + number).toAbsolutePath();
            try {
                return bind(fd, AddressForm.UNIX, UnixDomainSocketAddress.of(path));
            } catch (BindException e) {
                if (i == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /** The property is the JDK's, for its own channels. */
    private static Path temporaryDirectory() {
        String name = System.getProperty("jdk.net.unixdomain.tmpdir");
        return Path.of(name != null ? name : System.getProperty("java.io.tmpdir"));
    }

    private static SocketAddress bind(int fd, int family, SocketAddress local)
            throws IOException {
        AddressCalls.bind(fd, family, local);
        return AddressCalls.local(fd);
    }
}
