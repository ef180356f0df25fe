package org.nioselect.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.function.Executable;

/** Arguments that every channel has to refuse, and the way to assert that it does. */
final class Refusal {
    /** An address of a kind that no channel knows. */
    static final SocketAddress UNKNOWN = new UnknownAddress();
    /** An address that was not to be resolved. */
    static final SocketAddress UNRESOLVED = InetSocketAddress.createUnresolved("unresolved", 1);
    /** An option that no channel has. */
    static final SocketOption<Integer> NO_OPTION = new NoOption();

    private Refusal() {
    }

    /** Asserts that each call throws exactly this exception. */
    static void refuses(Class<? extends Throwable> expected, Executable... calls) {
        for (int i = 0; i < calls.length; i++) {
            int number = i + 1;
            Throwable thrown = Assertions.assertThrows(Throwable.class, calls[i],
                    () -> "call " + number);
            assertEquals(expected, thrown.getClass(), () -> "call " + number + ": " + thrown);
        }
    }

    private static final class UnknownAddress extends SocketAddress {
        private static final long serialVersionUID = 1;
    }

    private record NoOption() implements SocketOption<Integer> {
        @Override
        public String name() {
            return "NO_OPTION";
        }

        @Override
        public Class<Integer> type() {
            return Integer.class;
        }
    }
}
