package org.nioselect.internal.channel;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import org.nioselect.internal.adaptor.ServerSocketAdaptor;
import org.nioselect.internal.io.Descriptor;
import org.nioselect.internal.io.Lane;
import org.nioselect.internal.io.TimeLimit;
import org.nioselect.internal.net.Errors;
import org.nioselect.internal.net.OptionSet;
import org.nioselect.internal.sys.AddressForm;
import org.nioselect.internal.sys.Sockets;

/**
 * A TCP or UNIX domain socket that listens.
 */
public final class NioselectServerSocketChannel extends ServerSocketChannel
        implements BlockingChannel {
    private static final int DEFAULT_BACKLOG = 50;

    private final int family;
    private final Descriptor descriptor;
    private final Registrations registrations = new Registrations();
    private final Settings settings;
    private final Lane lane = new Lane();
    private final Acceptor acceptor;
    /** Changed by who has the turn in the lane; it remains when the channel is closed. */
    private volatile SocketAddress local;
    private ServerSocket adaptor;

    /**
     * Opens a socket.
     *
     * @param provider the channel's provider
     * @param family the socket's family, of {@link AddressForm}
     * @throws IOException if the system refuses
     */
    public NioselectServerSocketChannel(SelectorProvider provider, int family)
            throws IOException {
        this(provider, family, new Descriptor(
                Errors.check(Sockets.open(family, Sockets.LISTENER))));
    }

    /**
     * Takes over a listening socket, and closes it if that fails.
     *
     * @param provider the channel's provider
     * @param family the socket's family, of {@link AddressForm}
     * @param fd a non-blocking socket
     * @throws IOException if the system refuses
     */
    public NioselectServerSocketChannel(SelectorProvider provider, int family, int fd)
            throws IOException {
        this(provider, family, new Descriptor(fd));
        try {
            local = AddressCalls.local(fd);
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    private NioselectServerSocketChannel(SelectorProvider provider, int family,
            Descriptor descriptor) {
        super(provider);
        this.family = family;
        this.descriptor = descriptor;
        this.settings = new Settings(this, family,
                family == AddressForm.UNIX ? OptionSet.UNIX_LISTENER : OptionSet.LISTENER);
        this.acceptor = new Acceptor(this, family, lane);
    }

    @Override
    public Descriptor descriptor() {
        return descriptor;
    }

    @Override
    public int kind() {
        return ChannelKind.LISTENER;
    }

    @Override
    public Registrations registrations() {
        return registrations;
    }

    @Override
    public void beginBlocking() {
        begin();
    }

    @Override
    public void endBlocking(boolean completed) throws AsynchronousCloseException {
        end(completed);
    }

    @Override
    public ServerSocketChannel bind(SocketAddress address, int backlog) throws IOException {
        lane.lock();
        try {
            ensureUsable();
            if (local != null) {
                throw new AlreadyBoundException();
            }
            int fd = enter();
            try {
                SocketAddress bound = LocalNames.bindServer(fd, family, address);
                Errors.check(Sockets.listen(fd, backlog > 0 ? backlog : DEFAULT_BACKLOG));
                local = bound;
            } finally {
                leave();
            }
        } finally {
            lane.unlock();
        }
        return this;
    }

    @Override
    public SocketChannel accept() throws IOException {
        lane.lock();
        try {
            ensureBound();
            return isBlocking() ? acceptor.acceptWaiting(TimeLimit.NONE) : acceptor.acceptNow();
        } finally {
            lane.unlock();
        }
    }

    /**
     * Accepts a connection, in blocking mode only, unless there is one.
     *
     * @param nanos for how long to wait at most; negative without a limit
     * @return the new channel
     * @throws IOException as {@link #accept};
     *     {@link java.net.SocketTimeoutException} if the time is over
     */
    public SocketChannel blockingAccept(long nanos) throws IOException {
        lane.lock();
        try {
            ensureBound();
            if (isBlocking()) {
                return acceptor.acceptWaiting(TimeLimit.of(nanos));
            }
            SocketChannel accepted = acceptor.acceptNow();
            if (accepted == null) {
                throw new IllegalBlockingModeException();
            }
            return accepted;
        } finally {
            lane.unlock();
        }
    }

    private void ensureBound() throws ClosedChannelException {
        ensureUsable();
        if (local == null) {
            throw new NotYetBoundException();
        }
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        ensureUsable();
        return local;
    }

    /**
     * What the socket is or was bound to, whether the channel is open or not.
     *
     * @return the address, or null
     */
    public SocketAddress localAddress() {
        return local;
    }

    @Override
    public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        settings.set(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return settings.get(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return settings.supported();
    }

    @Override
    public ServerSocket socket() {
        if (family == AddressForm.UNIX) {
            throw new UnsupportedOperationException("Not supported");
        }
        synchronized (lane) {
            if (adaptor == null) {
                adaptor = ServerSocketAdaptor.of(this);
            }
            return adaptor;
        }
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        awaitOperation(lane);
    }

    @Override
    protected void implCloseSelectableChannel() {
        descriptor.close();
        lane.wake();
    }

    @Override
    public String toString() {
        String state = "closed";
        if (isOpen()) {
            state = local != null ? local.toString() : "unbound";
        }
        return ServerSocketChannel.class.getName() + '[' + state + ']';
    }
}
