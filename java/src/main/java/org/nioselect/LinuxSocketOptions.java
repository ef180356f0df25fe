package org.nioselect;

import java.net.SocketOption;
import org.nioselect.internal.net.OptionName;

/**
 * Socket options of Linux for the channels of {@link NioselectProvider}, beyond those of
 * {@link java.net.StandardSocketOptions} and {@code jdk.net.ExtendedSocketOptions}.
 *
 * <p>A channel lists those that the system has among its
 * {@linkplain java.nio.channels.NetworkChannel#supportedOptions supported options}; on others, and
 * with another provider, {@code setOption} throws {@link UnsupportedOperationException}. Most are
 * described in the manual pages socket(7) and tcp(7), {@link #TCP_NOTSENT_LOWAT} in the kernel's
 * documentation of {@code tcp_notsent_lowat}.
 */
public final class LinuxSocketOptions {
    /**
     * For how many milliseconds sent data may be unacknowledged until a connection is closed; 0
     * for the system's default. For TCP channels; a listening one passes it to those it accepts.
     */
    public static final SocketOption<Integer> TCP_USER_TIMEOUT = OptionName.TCP_USER_TIMEOUT;

    /**
     * With how many bytes not yet sent a connection counts as writable; 0 for the system's
     * default. For TCP channels; a listening one passes it to those it accepts.
     */
    public static final SocketOption<Integer> TCP_NOTSENT_LOWAT = OptionName.TCP_NOTSENT_LOWAT;

    /**
     * The length of the queue of TCP Fast Open requests of a listening channel; 0 switches it off.
     */
    public static final SocketOption<Integer> TCP_FASTOPEN = OptionName.TCP_FASTOPEN;

    /**
     * For how many microseconds an operation without data polls the network device before it
     * waits for its interrupt. For TCP and datagram channels; raising it needs
     * CAP_NET_ADMIN.
     */
    public static final SocketOption<Integer> SO_BUSY_POLL = OptionName.SO_BUSY_POLL;

    /**
     * The processor on which the last packet of this socket was received; -1 if none was. Among
     * TCP or datagram channels that share a port, the one for which it is set gets the packets that
     * this processor receives.
     */
    public static final SocketOption<Integer> SO_INCOMING_CPU = OptionName.SO_INCOMING_CPU;

    private LinuxSocketOptions() {
    }
}
