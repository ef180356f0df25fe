package org.nioselect.internal.sys;

import java.net.DatagramPacket;

/**
 * What the Java API has no method for.
 */
public final class Fields {
    static {
        NativeLibrary.load();
    }

    private Fields() {
    }

    /**
     * Sets how much of a packet's buffer a received datagram takes.
     *
     * <p>{@link DatagramPacket#setLength} would also be the limit of what the next datagram may
     * take; {@code DatagramSocket.receive} must leave that alone.
     *
     * @param packet a packet
     * @param length the length, at most that of its buffer less the offset
     */
    public static native void setReceivedLength(DatagramPacket packet, int length);

    /**
     * How much of a packet's buffer the next datagram may take, which
     * {@link DatagramPacket#getLength} no longer tells after a shorter one was received.
     *
     * @param packet a packet
     * @return the length that was set last by the user
     */
    public static native int capacity(DatagramPacket packet);
}
