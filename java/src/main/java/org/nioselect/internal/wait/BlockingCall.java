package org.nioselect.internal.wait;

import java.io.IOException;

/**
 * A call that blocks in the kernel.
 */
@FunctionalInterface
public interface BlockingCall {
    /**
     * Makes the call.
     *
     * @return its answer
     * @throws IOException if it fails
     */
    int make() throws IOException;
}
