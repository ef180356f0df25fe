package org.nioselect.internal.channel;

import java.io.IOException;
import org.nioselect.internal.net.Errors;
import org.nioselect.internal.sys.AddressForm;
import org.nioselect.internal.sys.Memory;
import org.nioselect.internal.sys.Sockets;

/**
 * The standard input, output and error of a process that a super-server has started: it makes the
 * socket all three of them.
 */
final class StandardStreams {
    static final int INPUT = 0;
    private static final int OUTPUT = 1;
    private static final int ERROR = 2;

    private StandardStreams() {
    }

    /**
     * Puts the null device in place of the standard input, and of those of the other two that are
     * the same socket. They stay usable, but have nothing to do with the socket any more. The
     * input is the last, so that all of this can be tried again.
     *
     * @throws IOException if the system has no descriptor left, or no null device
     */
    static void letGoOfInput() throws IOException {
        for (int fd : new int[] {ERROR, OUTPUT}) {
            if (isInput(fd)) {
                Errors.check(Sockets.replaceByNull(fd));
            }
        }
        Errors.check(Sockets.replaceByNull(INPUT));
    }

    /** The output of a service can be another socket, such as that of a log. */
    private static boolean isInput(int fd) {
        Memory input = new Memory(2 * AddressForm.SIZE);
        Memory other = new Memory(2 * AddressForm.SIZE);
        return writeEnds(INPUT, input) && writeEnds(fd, other)
                && input.buffer().equals(other.buffer());
    }

    /** Writes the addresses of both ends to memory; false if the descriptor is no socket. */
    private static boolean writeEnds(int fd, Memory memory) {
        Sockets.remoteAddress(fd, memory.address() + AddressForm.SIZE);
        return Sockets.localAddress(fd, memory.address()) == 0;
    }
}
