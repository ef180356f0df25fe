package org.nioselect.internal.channel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Pipe;
import java.nio.channels.spi.SelectorProvider;
import org.nioselect.internal.io.Descriptor;

/**
 * The end of a pipe that is read from.
 */
final class PipeSource extends Pipe.SourceChannel implements BlockingChannel {
    private final Descriptor descriptor;
    private final Registrations registrations = new Registrations();
    private final StreamInput input;

    PipeSource(SelectorProvider provider, int fd) {
        super(provider);
        descriptor = new Descriptor(fd);
        input = new StreamInput(this);
    }

    @Override
    public Descriptor descriptor() {
        return descriptor;
    }

    @Override
    public int kind() {
        return ChannelKind.PIPE_SOURCE;
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
    public int read(ByteBuffer dst) throws IOException {
        return input.read(dst);
    }

    @Override
    public long read(ByteBuffer[] dsts) throws IOException {
        return input.read(dsts, 0, dsts.length);
    }

    @Override
    public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        return input.read(dsts, offset, length);
    }

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        awaitOperation(input.lane());
    }

    @Override
    protected void implCloseSelectableChannel() {
        descriptor.close();
        input.lane().wake();
    }
}
