package org.nioselect.internal.channel;

/**
 * A channel's registration with a selector, as the channel sees it.
 */
public interface Registration {
    /** The channel's {@linkplain Registrable#kind kind} is another one. */
    void kindChanged();
}
