package org.nioselect.internal.adaptor;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketOption;
import java.nio.channels.NetworkChannel;

/**
 * The options of a channel with the exceptions of a socket, and the time limit, which only the
 * socket has.
 */
final class Options {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final NetworkChannel channel;
    private volatile int timeout;

    Options(NetworkChannel channel) {
        this.channel = channel;
    }

    <T> void set(SocketOption<T> name, T value) throws SocketException {
        try {
            channel.setOption(name, value);
        } catch (IOException e) {
            throw Translation.ofChecked(e);
        }
    }

    /** For a buffer, of which the channel would take 0. */
    void setSize(SocketOption<Integer> name, int size, String complaint) throws SocketException {
        if (size <= 0) {
            throw new IllegalArgumentException(complaint);
        }
        set(name, size);
    }

    <T> T get(SocketOption<T> name) throws SocketException {
        try {
            return channel.getOption(name);
        } catch (IOException e) {
            throw Translation.ofChecked(e);
        }
    }

    /** In milliseconds; 0 without a limit. */
    void setTimeout(int millis) throws SocketException {
        ensureOpen();
        if (millis < 0) {
            throw new IllegalArgumentException("timeout < 0");
        }
        timeout = millis;
    }

    int timeout() throws SocketException {
        ensureOpen();
        return timeout;
    }

    /** The time limit as the channels take it. */
    long timeoutNanos() {
        return nanos(timeout);
    }

    /** A time limit as the channels take it: they wait for ever if it is negative. */
    static long nanos(int millis) {
        return millis == 0 ? -1 : millis * NANOS_PER_MILLI;
    }

    private void ensureOpen() throws SocketException {
        if (!channel.isOpen()) {
            throw new SocketException("Socket is closed");
        }
    }
}
