package org.nioselect.internal.channel;

import org.nioselect.internal.io.Descriptor;

/**
 * What a selector needs of a channel of this provider.
 */
public interface Registrable {
    /**
     * The channel's descriptor, of which a registration is a user.
     *
     * @return the descriptor
     */
    Descriptor descriptor();

    /**
     * What readiness means for the channel in its present state.
     *
     * @return one of the constants of {@link ChannelKind}
     */
    int kind();

    /**
     * The keys that are told when the kind has changed.
     *
     * @return the channel's registrations, always the same object
     */
    Registrations registrations();
}
