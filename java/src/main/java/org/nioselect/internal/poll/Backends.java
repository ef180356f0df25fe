package org.nioselect.internal.poll;

import java.util.List;
import org.nioselect.internal.sys.PollerCalls;

/**
 * Which mechanism of the kernel is used.
 */
public final class Backends {
    /** The system property that names the backend. */
    public static final String PROPERTY = "nioselect.backend";

    private static final List<String> NAMES = List.of(PollerCalls.backends().split(","));

    private Backends() {
    }

    /**
     * The backend asked for by {@link #PROPERTY}, or else the preferred one.
     *
     * @return its number
     * @throws IllegalArgumentException if the property names none of this system
     */
    public static int chosen() {
        String asked = System.getProperty(PROPERTY);
        if (asked == null || asked.isEmpty()) {
            return 0;
        }
        int number = NAMES.indexOf(asked);
        if (number < 0) {
            throw new IllegalArgumentException("-D" + PROPERTY + "=" + asked
                    + " is none of the backends of this system: " + String.join(", ", NAMES));
        }
        return number;
    }

    /**
     * The name of a backend.
     *
     * @param number its number
     * @return its name, such as epoll
     */
    public static String name(int number) {
        return NAMES.get(number);
    }
}
