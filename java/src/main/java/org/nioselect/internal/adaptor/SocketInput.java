package org.nioselect.internal.adaptor;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.nioselect.internal.channel.NioselectSocketChannel;

/**
 * What comes in through a socket, within the socket's time limit.
 */
final class SocketInput extends InputStream {
    private final NioselectSocketChannel channel;
    private final Options options;

    SocketInput(NioselectSocketChannel channel, Options options) {
        this.channel = channel;
        this.options = options;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        int n = read(one, 0, 1);
        return n > 0 ? Byte.toUnsignedInt(one[0]) : -1;
    }

    @Override
    public int read(byte[] dst, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, dst.length);
        if (length == 0) {
            return 0;
        }
        return channel.blockingRead(ByteBuffer.wrap(dst, offset, length), options.timeoutNanos());
    }

    @Override
    public int available() throws IOException {
        return channel.available();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
