package org.nioselect.internal.net;

import java.io.IOException;
import java.net.SocketOption;

/**
 * How a socket option is set and read.
 *
 * @param <T> the type of its values
 */
abstract class Option<T> {
    private final SocketOption<T> name;

    Option(SocketOption<T> name) {
        this.name = name;
    }

    final SocketOption<T> name() {
        return name;
    }

    /** Whether this system has the option. */
    abstract boolean isAvailable();

    abstract T get(int fd, int family) throws IOException;

    /** Sets the option to a value of its type. */
    abstract void set(int fd, int family, T value) throws IOException;
}
