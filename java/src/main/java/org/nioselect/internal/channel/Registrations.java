package org.nioselect.internal.channel;

import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The registrations of one channel with selectors: seldom more than one.
 */
public final class Registrations {
    private final CopyOnWriteArrayList<Registration> all = new CopyOnWriteArrayList<>();

    /**
     * A selector has registered the channel.
     *
     * @param registration the registration
     */
    public void add(Registration registration) {
        all.add(registration);
    }

    /**
     * A selector has let go of the channel.
     *
     * @param registration the registration
     */
    public void remove(Registration registration) {
        all.remove(registration);
    }

    /**
     * Whether a selector may still watch the channel.
     *
     * @return whether there is no registration
     */
    public boolean isEmpty() {
        return all.isEmpty();
    }

    /** Tells all selectors that the channel's kind has changed. */
    public void kindChanged() {
        for (Registration registration : all) {
            registration.kindChanged();
        }
    }
}
