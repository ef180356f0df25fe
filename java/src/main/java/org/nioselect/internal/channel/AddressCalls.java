package org.nioselect.internal.channel;

import java.io.IOException;
import java.net.SocketAddress;
import org.nioselect.internal.io.Scratch;
import org.nioselect.internal.net.Errors;
import org.nioselect.internal.net.SocketAddresses;
import org.nioselect.internal.sys.AddressForm;
import org.nioselect.internal.sys.Memory;
import org.nioselect.internal.sys.Sockets;

/**
 * System calls on sockets that take or give an address.
 */
final class AddressCalls {
    private AddressCalls() {
    }

    static void bind(int fd, int family, SocketAddress address) throws IOException {
        Scratch scratch = Scratch.take(AddressForm.SIZE);
        try {
            Memory memory = scratch.memory();
            SocketAddresses.write(address, memory, 0);
            Errors.check(Sockets.bind(fd, family, memory.address()));
        } finally {
            scratch.release();
        }
    }

    /** Gives what the system call gives: an error number negated is not always a failure. */
    static int connect(int fd, int family, SocketAddress address) throws IOException {
        Scratch scratch = Scratch.take(AddressForm.SIZE);
        try {
            Memory memory = scratch.memory();
            SocketAddresses.write(address, memory, 0);
            return Sockets.connect(fd, family, memory.address());
        } finally {
            scratch.release();
        }
    }

    /** What a socket is bound to. */
    static SocketAddress local(int fd) throws IOException {
        Scratch scratch = Scratch.take(AddressForm.SIZE);
        try {
            Memory memory = scratch.memory();
            Errors.check(Sockets.localAddress(fd, memory.address()));
            return SocketAddresses.read(memory, 0);
        } finally {
            scratch.release();
        }
    }

    /** What a socket is connected to. */
    static SocketAddress remote(int fd) throws IOException {
        Scratch scratch = Scratch.take(AddressForm.SIZE);
        try {
            Memory memory = scratch.memory();
            Errors.check(Sockets.remoteAddress(fd, memory.address()));
            return SocketAddresses.read(memory, 0);
        } finally {
            scratch.release();
        }
    }

    /** Whether a socket is connected. An attempt that failed leaves its error to be taken. */
    static boolean isConnected(int fd) {
        Scratch scratch = Scratch.take(AddressForm.SIZE);
        try {
            return Sockets.remoteAddress(fd, scratch.memory().address()) >= 0;
        } finally {
            scratch.release();
        }
    }
}
