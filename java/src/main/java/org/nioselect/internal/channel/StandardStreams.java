package org.nioselect.internal.channel;

import java.io.Closeable;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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
     * Closes the standard input, and of the other two those that are the same socket. The JDK puts
     * the null device in place of a standard stream that is closed.
     */
    static void letGoOfInput() {
        List<Closeable> streams = new ArrayList<>();
        streams.add(new FileInputStream(FileDescriptor.in));
        if (isInput(OUTPUT)) {
            streams.add(new FileOutputStream(FileDescriptor.out));
        }
        if (isInput(ERROR)) {
            streams.add(new FileOutputStream(FileDescriptor.err));
        }
        streams.forEach(StandardStreams::close);
    }

    private static void close(Closeable stream) {
        try {
            stream.close();
        } catch (IOException e) {
            // The descriptor is replaced all the same.
        }
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
