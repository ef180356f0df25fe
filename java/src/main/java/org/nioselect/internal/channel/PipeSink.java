package org.nioselect.internal.channel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Pipe;
import java.nio.channels.spi.SelectorProvider;
import org.nioselect.internal.io.Descriptor;

/**
 * The end of a pipe that is written to.
 */
final class PipeSink extends Pipe.SinkChannel implements BlockingChannel {
    private final Descriptor descriptor;
    private final Registrations registrations = new Registrations();
    private final StreamOutput output;

    PipeSink(SelectorProvider provider, int fd) {
        super(provider);
        descriptor = new Descriptor(fd);
        output = new StreamOutput(this);
    }

    @Override
    public Descriptor descriptor() {
        return descriptor;
    }

    @Override
    public int kind() {
        return ChannelKind.PIPE_SINK;
    }

    @Override
    public Registrations registrations() {
        return registrations;
    }

    @Override
    public void beginBlocking() {
        begin();
    }

    @Override
    public void endBlocking(boolean completed) throws AsynchronousCloseException {
        end(completed);
    }

    @Override
    public int write(ByteBuffer src) throws IOException {
        return output.write(src);
    }

    @Override
    public long write(ByteBuffer[] srcs) throws IOException {
        return output.write(srcs, 0, srcs.length);
    }

    @Override
    public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        return output.write(srcs, offset, length);
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        awaitOperation(output.lane());
    }

    @Override
    protected void implCloseSelectableChannel() {
        descriptor.close();
        output.lane().wake();
    }
}
