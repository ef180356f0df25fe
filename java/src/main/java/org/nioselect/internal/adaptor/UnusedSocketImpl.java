package org.nioselect.internal.adaptor;

import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.SocketImpl;

/**
 * What {@code Socket} and {@code ServerSocket} want to be made with. It opens nothing, and nobody
 * calls it: the adaptors override all methods that would.
 */
final class UnusedSocketImpl extends SocketImpl {
    private static UnsupportedOperationException unused() {
        return new UnsupportedOperationException("The socket is a channel's");
    }

    @Override
    protected void create(boolean stream) {
        throw unused();
    }

    @Override
    protected void connect(String host, int port) {
        throw unused();
    }

    @Override
    protected void connect(InetAddress address, int port) {
        throw unused();
    }

    @Override
    protected void connect(SocketAddress address, int timeout) {
        throw unused();
    }

    @Override
    protected void bind(InetAddress host, int port) {
        throw unused();
    }

    @Override
    protected void listen(int backlog) {
        throw unused();
    }

    @Override
    protected void accept(SocketImpl accepted) {
        throw unused();
    }

    @Override
    protected InputStream getInputStream() {
        throw unused();
    }

    @Override
    protected OutputStream getOutputStream() {
        throw unused();
    }

    @Override
    protected int available() {
        throw unused();
    }

    @Override
    protected void close() {
        throw unused();
    }

    @Override
    protected void sendUrgentData(int data) {
        throw unused();
    }

    @Override
    public void setOption(int option, Object value) {
        throw unused();
    }

    @Override
    public Object getOption(int option) {
        throw unused();
    }
}
