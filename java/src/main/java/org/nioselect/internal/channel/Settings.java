package org.nioselect.internal.channel;

import java.io.IOException;
import java.net.SocketOption;
import java.util.Set;
import org.nioselect.internal.net.OptionSet;

/**
 * The socket options of a channel.
 */
final class Settings {
    private final BlockingChannel channel;
    private final int family;
    private final OptionSet options;

    Settings(BlockingChannel channel, int family, OptionSet options) {
        this.channel = channel;
        this.family = family;
        this.options = options;
    }

    Set<SocketOption<?>> supported() {
        return options.supported();
    }

    <T> void set(SocketOption<T> name, T value) throws IOException {
        options.check(name, value);
        int fd = channel.enter();
        try {
            options.set(fd, family, name, value);
        } finally {
            channel.leave();
        }
    }

    <T> T get(SocketOption<T> name) throws IOException {
        options.check(name);
        int fd = channel.enter();
        try {
            return options.get(fd, family, name);
        } finally {
            channel.leave();
        }
    }
}
