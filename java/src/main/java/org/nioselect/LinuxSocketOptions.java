package org.nioselect;

import java.net.SocketOption;
import org.nioselect.internal.net.OptionName;

/**
 * Socket options of Linux for the channels of {@link NioselectProvider}, beyond those of
 * {@link java.net.StandardSocketOptions} and {@code jdk.net.ExtendedSocketOptions}.
 *
 * <p>A channel lists those that the system has among its
 * {@linkplain java.nio.channels.NetworkChannel#supportedOptions supported options}. Each is
 * described in the manual pages socket(7) and tcp(7).
 */
public final class LinuxSocketOptions {
    /**
     * For how many milliseconds sent data may be unacknowledged until a connection is closed; 0
     * for the system's default. TCP channels, listening ones hand it on.
     */
    public static final SocketOption<Integer> TCP_USER_TIMEOUT = OptionName.TCP_USER_TIMEOUT;

    /**
     * With how many bytes not yet sent a connection counts as writable; 0 for the system's
     * default. TCP channels, listening ones hand it on.
     */
    public static final SocketOption<Integer> TCP_NOTSENT_LOWAT = OptionName.TCP_NOTSENT_LOWAT;

    /**
     * How many connections that are not yet established, but were opened by data in the first
     * segment, a listening TCP channel keeps; 0 for none.
     */
    public static final SocketOption<Integer> TCP_FASTOPEN = OptionName.TCP_FASTOPEN;

    /**
     * For how many microseconds an operation without data polls the network device before it
     * waits for its interrupt. TCP and datagram channels; a greater value than before takes a
     * privilege.
     */
    public static final SocketOption<Integer> SO_BUSY_POLL = OptionName.SO_BUSY_POLL;

    /**
     * The processor on which the last packet of this socket was received; -1 if none was. On TCP
     * and datagram channels that share a port, setting it steers packets of that processor.
     */
    public static final SocketOption<Integer> SO_INCOMING_CPU = OptionName.SO_INCOMING_CPU;

    private LinuxSocketOptions() {
    }
}
