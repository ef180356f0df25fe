package org.nioselect.internal.net;

import java.net.SocketOption;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;
import org.nioselect.internal.sys.SocketOptionCalls;

/**
 * The options of {@code jdk.net.ExtendedSocketOptions}, by reflection: a run-time image need not
 * have that module, and an older JDK has fewer of them.
 */
final class ExtendedOptions {
    private ExtendedOptions() {
    }

    /** Of listening and of connected sockets. */
    static Stream<Option<?>> ofTcp() {
        return present(
                flag("TCP_QUICKACK", SocketOptionCalls.TCP_QUICKACK),
                number("TCP_KEEPIDLE", SocketOptionCalls.TCP_KEEPIDLE),
                number("TCP_KEEPINTERVAL", SocketOptionCalls.TCP_KEEPINTERVAL),
                number("TCP_KEEPCOUNT", SocketOptionCalls.TCP_KEEPCOUNT),
                number("SO_INCOMING_NAPI_ID", SocketOptionCalls.SO_INCOMING_NAPI_ID));
    }

    static Stream<Option<?>> ofDatagrams() {
        return present(
                number("SO_INCOMING_NAPI_ID", SocketOptionCalls.SO_INCOMING_NAPI_ID),
                flag("IP_DONTFRAGMENT", SocketOptionCalls.IP_DONTFRAGMENT));
    }

    static Stream<Option<?>> ofUnix() {
        return present(PeerCredentials.find());
    }

    private static Stream<Option<?>> present(Option<?>... options) {
        return Arrays.stream(options).filter(Objects::nonNull);
    }

    private static Option<Boolean> flag(String name, int number) {
        SocketOption<Boolean> option = find(name, Boolean.class);
        return option == null ? null : IntOption.flag(option, number);
    }

    private static Option<Integer> number(String name, int number) {
        SocketOption<Integer> option = find(name, Integer.class);
        return option == null ? null : IntOption.number(option, number);
    }

    /** The option of that name; null if this JDK has none whose values are of the type. */
    @SuppressWarnings("unchecked")
    static <T> SocketOption<T> find(String name, Class<T> type) {
        try {
            Object found = Class.forName("jdk.net.ExtendedSocketOptions").getField(name).get(null);
            SocketOption<?> option = (SocketOption<?>) found;
            return option.type() == type ? (SocketOption<T>) option : null;
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }
}
