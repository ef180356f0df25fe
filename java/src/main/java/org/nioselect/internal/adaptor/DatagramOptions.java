package org.nioselect.internal.adaptor;

import java.io.IOException;
import java.net.InetAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.Set;
import org.nioselect.internal.channel.NioselectDatagramChannel;

/**
 * The options of a datagram socket that is a channel.
 *
 * <p>Applications cast the socket of a datagram channel to {@link MulticastSocket}, whose
 * constructors all open a socket. That one is closed at once and never used.
 */
abstract class DatagramOptions extends MulticastSocket {
    final NioselectDatagramChannel channel;
    final Options options;

    /** What {@link #getNetworkInterface} gives while none was set: only the JDK can create it. */
    private final NetworkInterface anyInterface;

    /** What was given to {@link #setInterface} last, of the addresses of the interface. */
    private InetAddress interfaceAddress;

    DatagramOptions(NioselectDatagramChannel channel) throws IOException {
        super((SocketAddress) null);
        this.channel = channel;
        this.options = new Options(channel);
        try {
            this.anyInterface = super.getNetworkInterface();
        } finally {
            super.close();
        }
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return channel.supportedOptions();
    }

    @Override
    public <T> MulticastSocket setOption(SocketOption<T> name, T value) throws IOException {
        channel.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return channel.getOption(name);
    }

    @Override
    public void setSoTimeout(int timeout) throws SocketException {
        options.setTimeout(timeout);
    }

    @Override
    public int getSoTimeout() throws SocketException {
        return options.timeout();
    }

    @Override
    public void setSendBufferSize(int size) throws SocketException {
        options.setSize(StandardSocketOptions.SO_SNDBUF, size, "Invalid send size");
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return options.get(StandardSocketOptions.SO_SNDBUF);
    }

    @Override
    public void setReceiveBufferSize(int size) throws SocketException {
        options.setSize(StandardSocketOptions.SO_RCVBUF, size, "Invalid receive size");
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return options.get(StandardSocketOptions.SO_RCVBUF);
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        options.set(StandardSocketOptions.SO_REUSEADDR, on);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return options.get(StandardSocketOptions.SO_REUSEADDR);
    }

    @Override
    public void setBroadcast(boolean on) throws SocketException {
        options.set(StandardSocketOptions.SO_BROADCAST, on);
    }

    @Override
    public boolean getBroadcast() throws SocketException {
        return options.get(StandardSocketOptions.SO_BROADCAST);
    }

    @Override
    public void setTrafficClass(int trafficClass) throws SocketException {
        options.set(StandardSocketOptions.IP_TOS, trafficClass);
    }

    @Override
    public int getTrafficClass() throws SocketException {
        return options.get(StandardSocketOptions.IP_TOS);
    }

    @Override
    public void setTimeToLive(int hops) throws SocketException {
        options.set(StandardSocketOptions.IP_MULTICAST_TTL, hops);
    }

    @Override
    public int getTimeToLive() throws SocketException {
        return options.get(StandardSocketOptions.IP_MULTICAST_TTL);
    }

    @Override
    @Deprecated
    public void setTTL(byte hops) throws SocketException {
        setTimeToLive(Byte.toUnsignedInt(hops));
    }

    @Override
    @Deprecated
    public byte getTTL() throws SocketException {
        return (byte) getTimeToLive();
    }

    @Override
    @Deprecated
    public void setLoopbackMode(boolean disable) throws SocketException {
        options.set(StandardSocketOptions.IP_MULTICAST_LOOP, !disable);
    }

    @Override
    @Deprecated
    public boolean getLoopbackMode() throws SocketException {
        return !options.get(StandardSocketOptions.IP_MULTICAST_LOOP);
    }

    @Override
    public void setNetworkInterface(NetworkInterface networkInterface) throws SocketException {
        options.set(StandardSocketOptions.IP_MULTICAST_IF, networkInterface);
    }

    @Override
    public NetworkInterface getNetworkInterface() throws SocketException {
        NetworkInterface set = options.get(StandardSocketOptions.IP_MULTICAST_IF);
        return set == null ? anyInterface : set;
    }

    @Override
    @Deprecated
    public void setInterface(InetAddress address) throws SocketException {
        if (address == null) {
            throw new SocketException("Invalid value 'null'");
        }
        NetworkInterface found = NetworkInterface.getByInetAddress(address);
        if (found == null) {
            throw new SocketException(
                    "No network interface found with address " + address.getHostAddress());
        }
        synchronized (anyInterface) {
            setNetworkInterface(found);
            interfaceAddress = address;
        }
    }

    @Override
    @Deprecated
    public InetAddress getInterface() throws SocketException {
        synchronized (anyInterface) {
            NetworkInterface current = getNetworkInterface();
            return current.inetAddresses().filter(address -> address.equals(interfaceAddress))
                    .findAny().or(() -> current.inetAddresses().findFirst())
                    .orElseThrow(() -> new SocketException("No address for this interface"));
        }
    }
}
