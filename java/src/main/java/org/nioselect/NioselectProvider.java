package org.nioselect;

import java.io.IOException;
import java.net.ProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import org.nioselect.internal.channel.InheritedChannel;
import org.nioselect.internal.channel.NioselectDatagramChannel;
import org.nioselect.internal.channel.NioselectPipe;
import org.nioselect.internal.channel.NioselectServerSocketChannel;
import org.nioselect.internal.channel.NioselectSocketChannel;
import org.nioselect.internal.management.Management;
import org.nioselect.internal.net.Families;
import org.nioselect.internal.selector.NioselectSelector;
import org.nioselect.internal.sys.NativeLibrary;

/**
 * Channels and selectors over epoll, io_uring, poll or select, and over what other systems have.
 *
 * <p>With the jar on the class path and one option a whole JVM runs on it, unchanged: every channel
 * and selector that {@code SocketChannel.open()}, {@code Selector.open()} and their like return
 * comes from here. ({@code new Socket()}, {@code new DatagramSocket()} and asynchronous channels
 * do not ask a provider.)
 * <pre>{@code
 * java -cp app.jar:nioselect-0.1.0.jar \
 *     -Djava.nio.channels.spi.SelectorProvider=org.nioselect.NioselectProvider App
 * }</pre>
 * On the module path, {@code --add-modules org.nioselect} has to be added. The jar must be visible
 * to the system class loader: a jar packed inside another one, or in a web application, is not
 * found, and with {@code java -jar} it has to be in the {@code Class-Path} of the manifest.
 *
 * <p>Who hands on a provider takes {@link #provider()}, and needs no option. It has to be given to
 * all who open channels and selectors: those of different providers refuse each other.
 *
 * <p>Since Java 24 the JVM warns of code that loads native code, unless it is started with
 * {@code --enable-native-access=ALL-UNNAMED} (on the module path:
 * {@code --enable-native-access=org.nioselect}). The option can also stand in the environment
 * variable {@code JDK_JAVA_OPTIONS}, or {@code Enable-Native-Access: ALL-UNNAMED} in the manifest
 * of the jar that is started with {@code java -jar}.
 *
 * <p>System properties:
 * <dl>
 * <dt>{@code nioselect.backend}</dt>
 * <dd>the mechanism under the selectors that are opened from then on: {@code epoll},
 * {@code io_uring}, {@code poll}, {@code select} or, if it is insisted on, {@code rt_signal} on
 * Linux; by default the best that the system has</dd>
 * <dt>{@code nioselect.rt_signal}</dt>
 * <dd>{@code true} insists on the backend {@code rt_signal}, which is refused otherwise: it takes
 * a real-time signal away from the process and blocks it and SIGIO in every thread that selects,
 * for good. Whatever else in the JVM uses them does not know</dd>
 * <dt>{@code nioselect.doorbell}</dt>
 * <dd>when a selector over epoll is to know without a system call that nothing is ready:
 * {@code auto}, the default, when it has been asked in vain some times in a row, unless a filter
 * of system calls is in force; {@code on}, in spite of that too; {@code off}, never;
 * {@code eager}, at once, for tests</dd>
 * <dt>{@code nioselect.spin.micros}</dt>
 * <dd>for how many microseconds a selection looks again and again before it blocks, at the cost of
 * a processor meanwhile; by default 0</dd>
 * <dt>{@code nioselect.jmx}</dt>
 * <dd>{@code true} publishes the open selectors as {@link SelectorsMXBean}</dd>
 * <dt>{@code nioselect.native.dir}</dt>
 * <dd>a directory that has the native library, or into which it is copied from the jar. It must
 * belong to the user or to root, and others must not be able to write to it. The default is
 * {@code java.io.tmpdir}; another one is needed if code cannot be run from there. A library in
 * {@code java.library.path} comes first</dd>
 * </dl>
 *
 * <p>Constructing the provider never fails. If the native library cannot be loaded, each method
 * that opens something throws an {@link UnsatisfiedLinkError}, whose message says what was tried
 * and what helps. There are no checks of a {@code SecurityManager}.
 */
public final class NioselectProvider extends SelectorProvider {
    /** For the JVM, which instantiates the provider that the system property names. */
    public NioselectProvider() {
    }

    /**
     * The provider for those who pass one on: the system-wide one if that is of this class, as
     * channels and selectors of one provider belong together.
     *
     * @return the provider, always the same one
     */
    public static NioselectProvider provider() {
        return Single.PROVIDER;
    }

    /** Made when it is first asked for, as the JVM may be about to make the system-wide one. */
    private static final class Single {
        static final NioselectProvider PROVIDER =
                SelectorProvider.provider() instanceof NioselectProvider systemWide
                        ? systemWide
                        : new NioselectProvider();
    }

    /**
     * Opens a selector over the backend that the system property {@code nioselect.backend} names
     * just then, or else the best one.
     *
     * <p>The text of a selector tells how it is: its backend, keys and, if it can have one, its
     * doorbell, as in {@code NioselectSelector[epoll, 3 keys, doorbell armed: 1234 answered,
     * 5 rung]}. So do {@linkplain SelectorsMXBean management beans}.
     *
     * @return the new selector
     * @throws IllegalArgumentException if the property names no backend of this system, or one
     *     that has to be insisted on, or one of {@code nioselect.doorbell} and
     *     {@code nioselect.spin.micros} has a value that it does not know
     * @throws IOException if there is no descriptor left
     */
    @Override
    public AbstractSelector openSelector() throws IOException {
        NativeLibrary.load();
        NioselectSelector selector = new NioselectSelector(this);
        Management.opened(selector);
        return selector;
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
        NativeLibrary.load();
        return new NioselectSocketChannel(this, Families.standard());
    }

    @Override
    public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
        NativeLibrary.load();
        return new NioselectSocketChannel(this, Families.ofStream(family));
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() throws IOException {
        NativeLibrary.load();
        return new NioselectServerSocketChannel(this, Families.standard());
    }

    @Override
    public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
        NativeLibrary.load();
        return new NioselectServerSocketChannel(this, Families.ofStream(family));
    }

    @Override
    public DatagramChannel openDatagramChannel() throws IOException {
        NativeLibrary.load();
        return new NioselectDatagramChannel(this, Families.standard());
    }

    @Override
    public DatagramChannel openDatagramChannel(ProtocolFamily family) throws IOException {
        NativeLibrary.load();
        return new NioselectDatagramChannel(this, Families.ofDatagram(family));
    }

    @Override
    public Pipe openPipe() throws IOException {
        NativeLibrary.load();
        return new NioselectPipe(this);
    }

    /**
     * The channel over the socket that this process was started with as its standard input.
     *
     * <p>From then on the channel alone has the socket: the standard input, and the standard output
     * and error if they are the same socket, are at the null device.
     */
    @Override
    public Channel inheritedChannel() throws IOException {
        NativeLibrary.load();
        return InheritedChannel.get(this);
    }
}
