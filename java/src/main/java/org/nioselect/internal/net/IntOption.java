package org.nioselect.internal.net;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketOption;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
import org.nioselect.internal.sys.SocketOptionCalls;

/**
 * A socket option that is an int to the system, by its number in {@link SocketOptionCalls}.
 *
 * @param <T> the type of its values
 */
final class IntOption<T> extends Option<T> {
    private static final int LONGEST_LINGER = 65535;
    private static final int BYTE = 255;

    private final int number;
    private final ToIntFunction<T> encode;
    private final IntFunction<T> decode;

    private IntOption(SocketOption<T> name, int number, ToIntFunction<T> encode,
            IntFunction<T> decode) {
        super(name);
        this.number = number;
        this.encode = encode;
        this.decode = decode;
    }

    static IntOption<Boolean> flag(SocketOption<Boolean> name, int number) {
        return new IntOption<>(name, number, value -> value ? 1 : 0, value -> value != 0);
    }

    /** Any number: the system knows which ones are right. */
    static IntOption<Integer> number(SocketOption<Integer> name, int number) {
        return new IntOption<>(name, number, value -> value, value -> value);
    }

    static IntOption<Integer> bufferSize(SocketOption<Integer> name, int number) {
        return ranged(name, number, Integer.MAX_VALUE, "Invalid send/receive buffer size");
    }

    static IntOption<Integer> typeOfService(SocketOption<Integer> name, int number) {
        return ranged(name, number, BYTE, "Invalid IP_TOS value");
    }

    static IntOption<Integer> timeToLive(SocketOption<Integer> name, int number) {
        return ranged(name, number, BYTE, "Invalid TTL/hop value");
    }

    static IntOption<Integer> notNegative(SocketOption<Integer> name, int number) {
        return ranged(name, number, Integer.MAX_VALUE, "Invalid " + name.name() + " value");
    }

    static IntOption<Integer> linger(SocketOption<Integer> name, int number) {
        return new IntOption<>(name, number,
                value -> Math.max(-1, Math.min(value, LONGEST_LINGER)), value -> value);
    }

    private static IntOption<Integer> ranged(SocketOption<Integer> name, int number, int greatest,
            String message) {
        return new IntOption<>(name, number, value -> {
            if (value < 0 || value > greatest) {
                throw new IllegalArgumentException(message);
            }
            return value;
        }, value -> value);
    }

    @Override
    boolean isAvailable() {
        return SocketOptionCalls.isAvailable(number) != 0;
    }

    @Override
    T get(int fd, int family) throws IOException {
        long answer = SocketOptionCalls.get(fd, family, number);
        if (answer < 0) {
            throw Errors.socket((int) -answer);
        }
        return decode.apply((int) answer);
    }

    @Override
    void set(int fd, int family, T value) throws IOException {
        if (number == SocketOptionCalls.SO_INCOMING_NAPI_ID) {
            throw new SocketException("Attempt to set read only option " + name().name());
        }
        Errors.check(SocketOptionCalls.set(fd, family, number, encode.applyAsInt(value)));
    }
}
