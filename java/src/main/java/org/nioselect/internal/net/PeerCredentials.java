package org.nioselect.internal.net;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.net.SocketException;
import java.net.SocketOption;
import java.nio.file.FileSystems;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalLookupService;
import org.nioselect.internal.sys.Memory;
import org.nioselect.internal.sys.Sockets;

/**
 * SO_PEERCRED: who the peer of a UNIX domain socket is. Its value is a
 * {@code jdk.net.UnixDomainPrincipal}, a record of a user and a group.
 *
 * @param <T> the class of that record, which this code does not link to
 */
final class PeerCredentials<T> extends Option<T> {
    private static final int USER = 0;
    private static final int GROUP = Integer.BYTES;
    private static final int SIZE = 2 * Integer.BYTES;

    private final Constructor<T> constructor;

    private PeerCredentials(SocketOption<T> name, Constructor<T> constructor) {
        super(name);
        this.constructor = constructor;
    }

    /** The option; null without the module jdk.net. */
    static Option<?> find() {
        try {
            return find(Class.forName("jdk.net.UnixDomainPrincipal"));
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    private static <T> Option<T> find(Class<T> type) throws ReflectiveOperationException {
        SocketOption<T> name = ExtendedOptions.find("SO_PEERCRED", type);
        return name == null ? null : new PeerCredentials<>(name,
                type.getConstructor(UserPrincipal.class, GroupPrincipal.class));
    }

    @Override
    boolean isAvailable() {
        return true;
    }

    @Override
    T get(int fd, int family) throws IOException {
        Memory memory = new Memory(SIZE);
        Errors.check(Sockets.peerCredentials(fd, memory.address()));
        UserPrincipalLookupService lookup =
                FileSystems.getDefault().getUserPrincipalLookupService();
        UserPrincipal user =
                lookup.lookupPrincipalByName(Sockets.userName(memory.buffer().getInt(USER)));
        GroupPrincipal group = lookup.lookupPrincipalByGroupName(
                Sockets.groupName(memory.buffer().getInt(GROUP)));
        try {
            return constructor.newInstance(user, group);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("jdk.net.UnixDomainPrincipal cannot be created", e);
        }
    }

    @Override
    void set(int fd, int family, T value) throws IOException {
        throw new SocketException("SO_PEERCRED cannot be set");
    }
}
