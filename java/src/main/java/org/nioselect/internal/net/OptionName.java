package org.nioselect.internal.net;

import java.net.SocketOption;

/**
 * A socket option of this provider: one that neither {@link java.net.StandardSocketOptions} nor
 * {@code jdk.net.ExtendedSocketOptions} has.
 *
 * @param name the name, as in the manual pages of the system
 * @param type the class of its values
 * @param <T> the type of its values
 */
public record OptionName<T>(String name, Class<T> type) implements SocketOption<T> {
    /** Whether urgent data is received in line. */
    public static final SocketOption<Boolean> SO_OOBINLINE =
            new OptionName<>("SO_OOBINLINE", Boolean.class);
    /** For how many milliseconds sent data may be unacknowledged. */
    public static final SocketOption<Integer> TCP_USER_TIMEOUT = number("TCP_USER_TIMEOUT");
    /** How much unsent data makes a socket not writable. */
    public static final SocketOption<Integer> TCP_NOTSENT_LOWAT = number("TCP_NOTSENT_LOWAT");
    /** How many connections may be opened by data in the first segment. */
    public static final SocketOption<Integer> TCP_FASTOPEN = number("TCP_FASTOPEN");
    /** For how many microseconds to poll the device. */
    public static final SocketOption<Integer> SO_BUSY_POLL = number("SO_BUSY_POLL");
    /** The processor on which the last packet came in. */
    public static final SocketOption<Integer> SO_INCOMING_CPU = number("SO_INCOMING_CPU");

    private static SocketOption<Integer> number(String name) {
        return new OptionName<>(name, Integer.class);
    }

    /** The name alone, as of the options of the JDK. */
    @Override
    public String toString() {
        return name;
    }
}
