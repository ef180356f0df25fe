package org.nioselect.internal.channel;

/**
 * Kinds of channels and states of connections, by what their readiness means. The numbers are
 * those of the native poller.
 */
public final class ChannelKind {
    /** A listening socket, or one that will listen. */
    public static final int LISTENER = 0;
    /** A stream socket that is not connected: new, connecting, or with an attempt that failed. */
    public static final int CONNECTING = 1;
    /** A connected stream socket. */
    public static final int CONNECTED = 2;
    /** A datagram socket. */
    public static final int DATAGRAM = 3;
    /** The end of a pipe that is read from. */
    public static final int PIPE_SOURCE = 4;
    /** The end of a pipe that is written to. */
    public static final int PIPE_SINK = 5;

    private ChannelKind() {
    }
}
