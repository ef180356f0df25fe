package org.nioselect;

/**
 * What one selector is and has done since it was opened. The numbers are not all of the same moment
 * if it is selecting.
 */
public interface SelectorStatistics {
    /**
     * Which selector it is.
     *
     * @return 1 for the first that was opened, and so on
     */
    long getNumber();

    /**
     * The mechanism of the kernel.
     *
     * @return its name, such as {@code epoll}
     */
    String getBackend();

    /**
     * How many keys it has, cancelled ones until the next selection among them.
     *
     * @return how many
     */
    int getKeys();

    /**
     * Whether the selector knows without a system call that nothing is ready: {@code off} (the
     * property {@code nioselect.doorbell}, or a backend that has none), {@code idle} (it has not
     * been asked in vain often enough), {@code armed} (it does) or {@code unavailable}.
     *
     * @return the state in one word
     */
    String getDoorbell();

    /**
     * Why the doorbell is unavailable.
     *
     * @return the reason; empty if it is not
     */
    String getWhy();

    /**
     * How many rings the doorbell was given: more than one if another thread has come to select.
     *
     * @return how many
     */
    long getRings();

    /**
     * How many looks at the kernel the doorbell has spared.
     *
     * @return how many
     */
    long getAnswered();

    /**
     * How often the doorbell rang, and ended a stretch of spared looks.
     *
     * @return how often
     */
    long getRung();
}
