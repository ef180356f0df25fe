package org.nioselect.internal.channel;

import java.io.IOException;
import java.nio.channels.Pipe;
import java.nio.channels.spi.SelectorProvider;
import org.nioselect.internal.io.Scratch;
import org.nioselect.internal.net.Errors;
import org.nioselect.internal.sys.Descriptors;

/**
 * A pipe of the system, and its two ends.
 */
public final class NioselectPipe extends Pipe {
    private final PipeSource source;
    private final PipeSink sink;

    /**
     * Opens a pipe.
     *
     * @param provider the provider of its ends
     * @throws IOException if the system refuses
     */
    public NioselectPipe(SelectorProvider provider) throws IOException {
        Scratch scratch = Scratch.take(2 * Integer.BYTES);
        try {
            int answer = Descriptors.pipe(scratch.memory().address());
            if (answer < 0) {
                throw Errors.io(-answer);
            }
            source = new PipeSource(provider, scratch.memory().buffer().getInt(0));
            sink = new PipeSink(provider, scratch.memory().buffer().getInt(Integer.BYTES));
        } finally {
            scratch.release();
        }
    }

    @Override
    public SourceChannel source() {
        return source;
    }

    @Override
    public SinkChannel sink() {
        return sink;
    }
}
