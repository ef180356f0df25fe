package org.nioselect.internal.channel;

import java.util.Arrays;

/**
 * The registrations of one channel with selectors: seldom more than one.
 */
public final class Registrations {
    private static final Registration[] NONE = {};

    /** Replaced, never changed. */
    private volatile Registration[] all = NONE;

    /**
     * A selector has registered the channel.
     *
     * @param registration the registration
     */
    public synchronized void add(Registration registration) {
        Registration[] before = all;
        Registration[] after = Arrays.copyOf(before, before.length + 1);
        after[before.length] = registration;
        all = after;
    }

    /**
     * A selector has let go of the channel.
     *
     * @param registration the registration
     */
    public synchronized void remove(Registration registration) {
        Registration[] before = all;
        int place = Arrays.asList(before).indexOf(registration);
        if (before.length == 1 && place == 0) {
            all = NONE;
        } else if (place >= 0) {
            Registration[] after = Arrays.copyOf(before, before.length - 1);
            System.arraycopy(before, place + 1, after, place, after.length - place);
            all = after;
        }
    }

    /** Tells all selectors that the channel's kind has changed. */
    public void kindChanged() {
        for (Registration registration : all) {
            registration.kindChanged();
        }
    }
}
