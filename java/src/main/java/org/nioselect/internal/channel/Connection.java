package org.nioselect.internal.channel;

import java.net.SocketAddress;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;

/**
 * What is known of a stream socket: its addresses, and how far its connection has come.
 *
 * <p>It is changed only by who has the turn in both directions of the channel; all threads read
 * it. What it says last remains when the channel is closed.
 */
final class Connection {
    private enum State { UNCONNECTED, PENDING, CONNECTED }

    private volatile SocketAddress local;
    private volatile SocketAddress remote;
    private volatile State state = State.UNCONNECTED;

    SocketAddress local() {
        return local;
    }

    /** The peer, also while the connection is pending. */
    SocketAddress remote() {
        return remote;
    }

    boolean isPending() {
        return state == State.PENDING;
    }

    boolean isConnected() {
        return state == State.CONNECTED;
    }

    void ensureConnected() {
        if (state != State.CONNECTED) {
            throw new NotYetConnectedException();
        }
    }

    void ensureBindable() {
        if (state == State.PENDING) {
            throw new ConnectionPendingException();
        }
        if (local != null) {
            throw new AlreadyBoundException();
        }
    }

    void ensureConnectable() {
        switch (state) {
            case CONNECTED:
                throw new AlreadyConnectedException();
            case PENDING:
                throw new ConnectionPendingException();
            default:
        }
    }

    void bound(SocketAddress to) {
        local = to;
    }

    void pending(SocketAddress to) {
        remote = to;
        state = State.PENDING;
    }

    void connected(SocketAddress from, SocketAddress to) {
        local = from;
        remote = to;
        state = State.CONNECTED;
    }

    /** The text for the channel's {@code toString}. */
    String describe(boolean inputShut, boolean outputShut) {
        StringBuilder text = new StringBuilder(switch (state) {
            case UNCONNECTED -> "unconnected";
            case PENDING -> "connection-pending";
            case CONNECTED -> "connected";
        });
        if (inputShut) {
            text.append(" ishut");
        }
        if (outputShut) {
            text.append(" oshut");
        }
        if (local != null) {
            text.append(" local=").append(local);
        }
        if (remote != null) {
            text.append(" remote=").append(remote);
        }
        return text.toString();
    }
}
