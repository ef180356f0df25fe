package org.nioselect.internal.net;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.nioselect.internal.sys.SocketOptionCalls;

/**
 * The socket options of one kind of channel: the JDK's and a few of this provider's own, as far as
 * this system has them.
 */
public final class OptionSet {
    /** Of TCP channels. */
    public static final OptionSet STREAM = new OptionSet(ExtendedOptions.ofTcp(),
            sendBuffer(), receiveBuffer(), reuseAddress(), reusePort(), linger(), typeOfService(),
            IntOption.flag(StandardSocketOptions.SO_KEEPALIVE, SocketOptionCalls.SO_KEEPALIVE),
            IntOption.flag(StandardSocketOptions.TCP_NODELAY, SocketOptionCalls.TCP_NODELAY),
            IntOption.flag(OptionName.SO_OOBINLINE, SocketOptionCalls.SO_OOBINLINE),
            userTimeout(), unsentLowWater(), busyPoll(), incomingCpu());

    /** Of UNIX domain channels. */
    public static final OptionSet UNIX_STREAM = new OptionSet(ExtendedOptions.ofUnix(),
            sendBuffer(), receiveBuffer(), linger());

    /** Of listening TCP channels. */
    public static final OptionSet LISTENER = new OptionSet(ExtendedOptions.ofTcp(),
            receiveBuffer(), reuseAddress(), reusePort(), userTimeout(), unsentLowWater(),
            busyPoll(), incomingCpu(),
            IntOption.notNegative(OptionName.TCP_FASTOPEN, SocketOptionCalls.TCP_FASTOPEN));

    /** Of listening UNIX domain channels. */
    public static final OptionSet UNIX_LISTENER =
            new OptionSet(Stream.empty(), receiveBuffer());

    /** Of datagram channels. */
    public static final OptionSet DATAGRAM = new OptionSet(ExtendedOptions.ofDatagrams(),
            sendBuffer(), receiveBuffer(), reuseAddress(), reusePort(), typeOfService(),
            IntOption.flag(StandardSocketOptions.SO_BROADCAST, SocketOptionCalls.SO_BROADCAST),
            new MulticastInterface(),
            IntOption.timeToLive(StandardSocketOptions.IP_MULTICAST_TTL,
                    SocketOptionCalls.IP_MULTICAST_TTL),
            IntOption.flag(StandardSocketOptions.IP_MULTICAST_LOOP,
                    SocketOptionCalls.IP_MULTICAST_LOOP),
            busyPoll(), incomingCpu());

    private final Map<SocketOption<?>, Option<?>> options;
    private final Set<SocketOption<?>> names;

    private OptionSet(Stream<Option<?>> extended, Option<?>... others) {
        options = Stream.concat(extended, Stream.of(others)).filter(Option::isAvailable)
                .collect(Collectors.toUnmodifiableMap(Option::name, Function.identity()));
        names = Set.copyOf(options.keySet());
    }

    /**
     * The names of the options.
     *
     * @return a set that cannot be modified
     */
    public Set<SocketOption<?>> supported() {
        return names;
    }

    /**
     * Sets an option that was checked.
     *
     * @param fd a socket
     * @param family its family
     * @param name an option
     * @param value the value
     * @param <T> the type of the option's values
     * @throws UnsupportedOperationException if it is not in this set
     * @throws IllegalArgumentException if it cannot have that value
     * @throws IOException if the system refuses
     */
    public <T> void set(int fd, int family, SocketOption<T> name, T value) throws IOException {
        find(name).set(fd, family, value);
    }

    /**
     * Reads an option.
     *
     * @param fd a socket
     * @param family its family
     * @param name an option
     * @param <T> the type of the option's values
     * @return the value, which can be null
     * @throws UnsupportedOperationException if it is not in this set
     * @throws IOException if the system refuses
     */
    public <T> T get(int fd, int family, SocketOption<T> name) throws IOException {
        return find(name).get(fd, family);
    }

    /**
     * Checks that an option is in this set, which is asked before whether the channel is open.
     *
     * @param name an option
     * @throws UnsupportedOperationException if it is not
     */
    public void check(SocketOption<?> name) {
        find(name);
    }

    /**
     * Checks that an option is in this set and has such values, which is asked before whether the
     * channel is open.
     *
     * @param name an option
     * @param value a value, which may have got around the compiler
     * @throws UnsupportedOperationException if the option is not in this set
     * @throws IllegalArgumentException if the value is not of its type
     */
    public void check(SocketOption<?> name, Object value) {
        if (!find(name).name().type().isInstance(value)) {
            throw new IllegalArgumentException("Invalid value '" + value + "'");
        }
    }

    // The constructor has put every option under its own name.
    @SuppressWarnings("unchecked")
    private <T> Option<T> find(SocketOption<T> name) {
        Option<?> option = options.get(Objects.requireNonNull(name));
        if (option == null) {
            throw new UnsupportedOperationException("'" + name + "' not supported");
        }
        return (Option<T>) option;
    }

    private static Option<?> sendBuffer() {
        return IntOption.bufferSize(StandardSocketOptions.SO_SNDBUF, SocketOptionCalls.SO_SNDBUF);
    }

    private static Option<?> receiveBuffer() {
        return IntOption.bufferSize(StandardSocketOptions.SO_RCVBUF, SocketOptionCalls.SO_RCVBUF);
    }

    private static Option<?> reuseAddress() {
        return IntOption.flag(StandardSocketOptions.SO_REUSEADDR, SocketOptionCalls.SO_REUSEADDR);
    }

    private static Option<?> reusePort() {
        return IntOption.flag(StandardSocketOptions.SO_REUSEPORT, SocketOptionCalls.SO_REUSEPORT);
    }

    private static Option<?> linger() {
        return IntOption.linger(StandardSocketOptions.SO_LINGER, SocketOptionCalls.SO_LINGER);
    }

    private static Option<?> typeOfService() {
        return IntOption.typeOfService(StandardSocketOptions.IP_TOS, SocketOptionCalls.IP_TOS);
    }

    private static Option<?> userTimeout() {
        return IntOption.notNegative(OptionName.TCP_USER_TIMEOUT,
                SocketOptionCalls.TCP_USER_TIMEOUT);
    }

    private static Option<?> unsentLowWater() {
        return IntOption.notNegative(OptionName.TCP_NOTSENT_LOWAT,
                SocketOptionCalls.TCP_NOTSENT_LOWAT);
    }

    private static Option<?> busyPoll() {
        return IntOption.notNegative(OptionName.SO_BUSY_POLL, SocketOptionCalls.SO_BUSY_POLL);
    }

    private static Option<?> incomingCpu() {
        return IntOption.number(OptionName.SO_INCOMING_CPU, SocketOptionCalls.SO_INCOMING_CPU);
    }
}
