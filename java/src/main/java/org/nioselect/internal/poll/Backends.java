package org.nioselect.internal.poll;

import java.util.List;
import org.nioselect.internal.sys.PollerCalls;

/**
 * Which mechanism of the kernel is used.
 */
public final class Backends {
    /** The system property that names the backend. */
    public static final String PROPERTY = "nioselect.backend";

    /** The system property that insists on real-time signals. */
    public static final String RT_SIGNAL = "nioselect.rt_signal";

    private static final List<String> NAMES = List.of(PollerCalls.backends().split(","));

    private Backends() {
    }

    /**
     * The backend asked for by {@link #PROPERTY}, or else the preferred one.
     *
     * @return its number
     * @throws IllegalArgumentException if the property names none of this system, or real-time
     *     signals, and {@link #RT_SIGNAL} does not insist on them
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
        if (asked.equals("rt_signal") && !Boolean.getBoolean(RT_SIGNAL)) {
            throw new IllegalArgumentException("-D" + PROPERTY + "=rt_signal takes a signal away"
                    + " from the process and blocks it and SIGIO in each selecting thread for good,"
                    + " which the rest of a JVM knows nothing of; if that is what you want, say"
                    + " -D" + RT_SIGNAL + "=true too");
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
