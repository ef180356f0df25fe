package org.nioselect.internal.adaptor;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.nioselect.internal.channel.NioselectSocketChannel;

/**
 * What goes out through a socket.
 */
final class SocketOutput extends OutputStream {
    private final NioselectSocketChannel channel;

    SocketOutput(NioselectSocketChannel channel) {
        this.channel = channel;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] src, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, src.length);
        if (length > 0) {
            channel.blockingWriteFully(ByteBuffer.wrap(src, offset, length));
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
