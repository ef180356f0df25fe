package org.nioselect.internal.poll;

import java.util.List;
import org.nioselect.internal.sys.PollerCalls;

/**
 * What a poller is made of.
 *
 * @param backend a number of {@link Backends}
 * @param doorbell the number of a policy, as {@link #DOORBELL} names it
 * @param spinMicros for how long a wait looks again and again before it blocks
 */
public record PollerOptions(int backend, int doorbell, long spinMicros) {
    /**
     * The system property by which selections that the doorbell answers do without the monitors of
     * their selector.
     */
    public static final String UNLOCKED = "nioselect.doorbell.unlocked";

    /** The system property that tells when selectors have a doorbell. */
    public static final String DOORBELL = "nioselect.doorbell";

    /** The system property that tells for how many microseconds a selection spins. */
    public static final String SPIN = "nioselect.spin.micros";

    private static final List<String> POLICIES = List.of(PollerCalls.policies().split(","));

    /**
     * What the system properties say, for a selector.
     *
     * @return the options
     * @throws IllegalArgumentException if one of them has a value that is not to be had
     */
    public static PollerOptions chosen() {
        return new PollerOptions(Backends.chosen(), chosenPolicy(), chosenSpin());
    }

    /**
     * For what waits and does nothing else, over the backend that the system property names.
     *
     * @return the options
     * @throws IllegalArgumentException if that names a backend that is not to be had
     */
    public static PollerOptions forBlockingOnly() {
        return new PollerOptions(Backends.chosen(), POLICIES.indexOf("off"), 0);
    }

    private static int chosenPolicy() {
        String asked = System.getProperty(DOORBELL);
        if (asked == null || asked.isEmpty()) {
            return 0;
        }
        int number = POLICIES.indexOf(asked);
        if (number < 0) {
            throw new IllegalArgumentException("-D" + DOORBELL + "=" + asked
                    + " is none of the policies for it: " + String.join(", ", POLICIES));
        }
        return number;
    }

    private static long chosenSpin() {
        String asked = System.getProperty(SPIN);
        if (asked == null || asked.isEmpty()) {
            return 0;
        }
        try {
            long micros = Long.parseLong(asked);
            if (micros >= 0) {
                return micros;
            }
        } catch (NumberFormatException e) {
            // As good as a negative number.
        }
        throw new IllegalArgumentException("-D" + SPIN + "=" + asked
                + " is no number of microseconds: 0 or more are");
    }
}
