package org.nioselect.contract.selector;

import java.net.ProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;

/** A channel of a provider that no selector under test knows. */
final class ForeignChannel extends AbstractSelectableChannel {
    ForeignChannel() {
        super(new ForeignProvider());
    }

    @Override
    public int validOps() {
        return SelectionKey.OP_READ;
    }

    @Override
    protected void implCloseSelectableChannel() {
        // There is nothing to close.
    }

    @Override
    protected void implConfigureBlocking(boolean block) {
        // There is nothing to configure.
    }

    private static final class ForeignProvider extends SelectorProvider {
        @Override
        public DatagramChannel openDatagramChannel() {
            throw new UnsupportedOperationException();
        }

        @Override
        public DatagramChannel openDatagramChannel(ProtocolFamily family) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Pipe openPipe() {
            throw new UnsupportedOperationException();
        }

        @Override
        public AbstractSelector openSelector() {
            throw new UnsupportedOperationException();
        }

        @Override
        public ServerSocketChannel openServerSocketChannel() {
            throw new UnsupportedOperationException();
        }

        @Override
        public SocketChannel openSocketChannel() {
            throw new UnsupportedOperationException();
        }
    }
}
