package org.nioselect.internal.channel;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import org.nioselect.internal.io.Lane;
import org.nioselect.internal.io.TimeLimit;

/**
 * What concerns both directions of a stream socket: binding, connecting and the blocking mode.
 * Each takes the turn in both, first that of reading, so that nothing else happens meanwhile.
 */
final class StreamEnds {
    private final NioselectSocketChannel channel;
    private final int family;
    private final Connection connection;
    private final Connector connector;
    private final Lane reading;
    private final Lane writing;

    StreamEnds(NioselectSocketChannel channel, int family, Connection connection, Lane reading,
            Lane writing) {
        this.channel = channel;
        this.family = family;
        this.connection = connection;
        this.connector = new Connector(channel, family, connection, writing);
        this.reading = reading;
        this.writing = writing;
    }

    private void takeBothTurns() {
        reading.lock();
        writing.lock();
    }

    private void endBothTurns() {
        writing.unlock();
        reading.unlock();
    }

    void bind(SocketAddress local) throws IOException {
        takeBothTurns();
        try {
            channel.ensureOpen();
            connection.ensureBindable();
            int fd = channel.enter();
            try {
                connection.bound(LocalNames.bindClient(fd, family, local));
            } finally {
                channel.leave();
            }
        } finally {
            endBothTurns();
        }
    }

    boolean connect(SocketAddress remote) throws IOException {
        return connect(remote, TimeLimit.NONE, false);
    }

    /** Connects in blocking mode only. Throws SocketTimeoutException if the time is over. */
    void connect(SocketAddress remote, TimeLimit limit) throws IOException {
        connect(remote, limit, true);
    }

    private boolean connect(SocketAddress remote, TimeLimit limit, boolean mustBlock)
            throws IOException {
        SocketAddress peer = connector.check(remote);
        return closingOnFailure(() -> {
            if (mustBlock && !channel.isBlocking()) {
                throw new IllegalBlockingModeException();
            }
            return connector.connect(peer, limit);
        });
    }

    boolean finishConnect() throws IOException {
        return closingOnFailure(connector::finish);
    }

    private interface Attempt {
        boolean make() throws IOException;
    }

    /** A socket whose attempt to connect has failed cannot be used any more. */
    private boolean closingOnFailure(Attempt attempt) throws IOException {
        try {
            takeBothTurns();
            try {
                channel.ensureOpen();
                return attempt.make();
            } finally {
                endBothTurns();
            }
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Waits until the operations are done that began in the present blocking mode. */
    void awaitOperations() throws ClosedChannelException {
        takeBothTurns();
        try {
            channel.ensureOpen();
        } finally {
            endBothTurns();
        }
    }
}
