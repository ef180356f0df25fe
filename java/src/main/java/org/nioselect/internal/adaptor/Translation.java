package org.nioselect.internal.adaptor;

import java.io.IOException;
import java.net.SocketException;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Map;

/**
 * Exceptions of channels as those expect them who use a socket.
 */
final class Translation {
    private static final Map<Class<?>, String> TEXTS = Map.of(
            NotYetConnectedException.class, "Socket is not connected",
            AlreadyConnectedException.class, "Already connected",
            AlreadyBoundException.class, "Already bound",
            NotYetBoundException.class, "Socket is not bound yet",
            UnsupportedAddressTypeException.class, "Unsupported address type",
            UnresolvedAddressException.class, "Unresolved address");

    private Translation() {
    }

    /**
     * What sockets throw in that state or for that address. One of another kind is thrown as it
     * is.
     */
    static SocketException ofUnchecked(RuntimeException e) {
        String text = TEXTS.get(e.getClass());
        if (text == null) {
            throw e;
        }
        return withCause(text, e);
    }

    /** For methods that cannot throw other exceptions of input and output. */
    static SocketException ofChecked(IOException e) {
        if (e instanceof SocketException same) {
            return same;
        }
        return withCause(e instanceof ClosedChannelException ? "Socket is closed" : e.getMessage(),
                e);
    }

    static SocketException withCause(String text, Exception cause) {
        SocketException translated = new SocketException(text);
        translated.initCause(cause);
        return translated;
    }
}
