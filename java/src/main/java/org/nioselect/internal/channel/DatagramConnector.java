package org.nioselect.internal.channel;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import org.nioselect.internal.net.SocketAddresses;

/**
 * Binds, connects and disconnects a datagram channel: with its turn in both directions, so that
 * the peer does not change under a datagram on its way.
 */
final class DatagramConnector {
    private final BlockingChannel channel;
    private final int family;
    private final DatagramEnds ends;
    private final DatagramInput input;
    private final DatagramOutput output;

    DatagramConnector(BlockingChannel channel, int family, DatagramEnds ends,
            DatagramInput input, DatagramOutput output) {
        this.channel = channel;
        this.family = family;
        this.ends = ends;
        this.input = input;
        this.output = output;
    }

    void takeBothTurns() {
        input.lane().lock();
        output.lane().lock();
    }

    void endBothTurns() {
        output.lane().unlock();
        input.lane().unlock();
    }

    void bind(SocketAddress local) throws IOException {
        takeBothTurns();
        try {
            channel.ensureUsable();
            if (ends.local() != null) {
                throw new AlreadyBoundException();
            }
            InetSocketAddress address = local == null
                    ? SocketAddresses.wildcard(family)
                    : SocketAddresses.checkInet(local, family);
            channel.enter();
            try {
                ends.bind(address);
            } finally {
                channel.leave();
            }
        } finally {
            endBothTurns();
        }
    }

    /** Connects for the first time, or also if the socket has another peer already. */
    void connect(SocketAddress remote, boolean again) throws IOException {
        InetSocketAddress peer = SocketAddresses.checkInet(remote, family);
        takeBothTurns();
        try {
            channel.ensureUsable();
            if (!again && ends.remote() != null) {
                throw new AlreadyConnectedException();
            }
            channel.enter();
            try {
                connectTo(peer);
            } finally {
                channel.leave();
            }
        } finally {
            endBothTurns();
        }
    }

    private void connectTo(InetSocketAddress peer) throws IOException {
        if (peer.getPort() == 0) {
            throw new SocketException("Can't connect to port 0");
        }
        ends.bindIfUnbound();
        ends.disconnect();
        ends.connect(peer);
        // What came in before may be of others.
        input.dropAll();
    }

    /** Does nothing if the channel is closed. */
    void disconnect() throws IOException {
        takeBothTurns();
        try {
            if (channel.descriptor().enter()) {
                try {
                    ends.disconnect();
                } finally {
                    channel.leave();
                }
            }
        } finally {
            endBothTurns();
        }
    }
}
