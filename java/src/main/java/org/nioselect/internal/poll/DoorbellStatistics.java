package org.nioselect.internal.poll;

import java.util.List;
import org.nioselect.internal.sys.PollerCalls;

/**
 * What a poller's doorbell has done since the poller was opened.
 *
 * @param state off, idle, armed or unavailable
 * @param why why it is unavailable; otherwise empty
 * @param rings how many rings it was given: more than one if another thread has come to select
 * @param answered how many looks at the kernel were spared
 * @param rung how often it rang, and ended a stretch of spared looks
 */
public record DoorbellStatistics(
        String state, String why, long rings, long answered, long rung) {
    private static final List<String> STATES = List.of("off", "idle", "armed", "unavailable");

    /**
     * Reads them.
     *
     * @param waker the open handle of a waker
     * @param spared how many looks were spared in Java
     */
    static DoorbellStatistics of(long waker, long spared) {
        String state = STATES.get((int) PollerCalls.doorbell(waker, 0));
        String why = state.equals("unavailable") ? PollerCalls.whyNoDoorbell(waker) : "";
        return new DoorbellStatistics(state, why, PollerCalls.doorbell(waker, 1),
                PollerCalls.doorbell(waker, 2) + spared, PollerCalls.doorbell(waker, 3));
    }

    /**
     * Whether there is none, nor will be.
     *
     * @return whether the policy or the backend rules it out
     */
    public boolean isOff() {
        return state.equals("off");
    }

    /**
     * In a line that programs can read.
     *
     * @return such as {@code doorbell armed: 1234 answered, 5 rung}; the reason, if there is one,
     *     stands in brackets after the state
     */
    @Override
    public String toString() {
        String reason = why.isEmpty() ? "" : " (" + why + ")";
        return "doorbell " + state + reason + ": " + answered + " answered, " + rung + " rung";
    }
}
