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
import org.nioselect.internal.net.Families;
import org.nioselect.internal.selector.NioselectSelector;
import org.nioselect.internal.sys.NativeLibrary;

/**
 * Channels and selectors over epoll, kqueue, poll and others.
 *
 * <p>With the jar on the class path and one option a whole JVM runs on it, unchanged: all that
 * {@code SocketChannel.open()}, {@code Selector.open()} and their like give comes from here.
 * <pre>{@code
 * java -cp app.jar:nioselect.jar \
 *     -Djava.nio.channels.spi.SelectorProvider=org.nioselect.NioselectProvider App
 * }</pre>
 * On the module path, {@code --add-modules org.nioselect} has to be added. The jar must be visible
 * to the system class loader: a class path inside another jar or of a web application does not do.
 * Frameworks that take a provider, as Netty's {@code NioIoHandler} does, can be given
 * {@link #provider()} without the option.
 *
 * <p>Since Java 24 the JVM warns of code that loads native code, unless it is started with
 * {@code --enable-native-access=ALL-UNNAMED} (on the module path:
 * {@code --enable-native-access=org.nioselect}), be it in the environment variable
 * {@code JDK_JAVA_OPTIONS}, or from a jar whose manifest has
 * {@code Enable-Native-Access: ALL-UNNAMED}.
 *
 * <p>System properties:
 * <dl>
 * <dt>{@code nioselect.backend}</dt>
 * <dd>the mechanism under a selector, such as {@code epoll}, {@code poll} or {@code select}; by
 * default the best that the system has</dd>
 * <dt>{@code nioselect.native.dir}</dt>
 * <dd>a directory that has the native library, or into which it is copied from the jar. The
 * default is {@code java.io.tmpdir}; another one is needed if code cannot be run from there. A
 * library in {@code java.library.path} comes first</dd>
 * </dl>
 *
 * <p>An instance can always be had. If the native library cannot be loaded, each method that opens
 * something throws an {@link UnsatisfiedLinkError}, whose message says what was tried and what
 * helps.
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

    @Override
    public AbstractSelector openSelector() throws IOException {
        NativeLibrary.load();
        return new NioselectSelector(this);
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
