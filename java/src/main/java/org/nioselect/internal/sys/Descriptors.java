package org.nioselect.internal.sys;

/**
 * System calls on descriptors of any kind. Results are not negative, or error numbers negated.
 */
public final class Descriptors {
    static {
        NativeLibrary.load();
    }

    /** To wait until something can be read. */
    public static final int READABLE = 1;
    /** To wait until something can be written. */
    public static final int WRITABLE = 2;
    /** What {@link #await} adds to its answer if it was woken. */
    public static final int WOKEN = 4;

    private Descriptors() {
    }

    /**
     * read(2).
     *
     * @param fd a descriptor
     * @param memory where to put what is read
     * @param length at most how many bytes
     * @return how many bytes; 0 is the end of input
     */
    public static native int read(int fd, long memory, int length);

    /**
     * write(2).
     *
     * @param fd a descriptor
     * @param memory where the bytes are
     * @param length how many bytes
     * @return how many bytes were written
     */
    public static native int write(int fd, long memory, int length);

    /**
     * readv(2).
     *
     * @param fd a descriptor
     * @param vector pairs of an address and a length, of the word size of this system
     * @param count how many pairs
     * @return how many bytes; 0 is the end of input
     */
    public static native long readv(int fd, long vector, int count);

    /**
     * writev(2).
     *
     * @param fd a descriptor
     * @param vector pairs of an address and a length, of the word size of this system
     * @param count how many pairs
     * @return how many bytes were written
     */
    public static native long writev(int fd, long vector, int count);

    /**
     * close(2).
     *
     * @param fd a descriptor that nobody uses any more
     * @return 0
     */
    public static native int close(int fd);

    /**
     * pipe(2), both ends non-blocking and closed on exec.
     *
     * @param memory where to put the two descriptors, 4 bytes each: the reading end first
     * @return 0
     */
    public static native int pipe(long memory);

    /**
     * What can wake a thread from {@link #await}.
     *
     * @return its two descriptors, which can be the same one: the one to be watched in the lower
     *     half, the one to be rung in the upper half
     */
    public static native long openBell();

    /**
     * Makes a bell readable, until it is {@linkplain #quieten quietened}.
     *
     * @param bell what {@link #openBell} has given
     * @return 0
     */
    public static native int ring(long bell);

    /**
     * Makes a bell that may have been rung silent again.
     *
     * @param bell what {@link #openBell} has given
     * @return 0
     */
    public static native int quieten(long bell);

    /**
     * Closes the descriptors of a bell.
     *
     * @param bell what {@link #openBell} has given, which nobody rings any more
     * @return 0
     */
    public static native int closeBell(long bell);

    /**
     * Waits with poll(2) until a descriptor is ready or a bell is rung. An error or a hang-up is
     * readiness. Signal handlers do not end the wait.
     *
     * @param fd a descriptor
     * @param events {@link #READABLE}, {@link #WRITABLE} or both
     * @param bell what {@link #openBell} has given
     * @param nanos for how long at most, rounded up to milliseconds; negative for ever
     * @return what there is of events and {@link #WOKEN}; 0 if the time is over
     */
    public static native int await(int fd, int events, long bell, long nanos);
}
