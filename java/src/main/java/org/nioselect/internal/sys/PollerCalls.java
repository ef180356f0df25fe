package org.nioselect.internal.sys;

/**
 * The native poller, by handles.
 *
 * <p>A handle is the address of a native object: it must not be used after it was closed, and one
 * thread at a time uses a poller. A waker may be used by any thread at any time until it is
 * closed. {@link org.nioselect.internal.poll.Poller} keeps these rules.
 */
public final class PollerCalls {
    static {
        NativeLibrary.load();
    }

    /** The size of a change in bytes: four ints, the index, the descriptor, the kind, the ops. */
    public static final int CHANGE_SIZE = 16;
    /** The size of an event in bytes: a long, the index in its lower half, then the ready ops. */
    public static final int EVENT_SIZE = 8;
    /** In place of a kind: the registration ends. */
    public static final int REMOVE = -1;
    /** Kind: any descriptor, to be reported once, after which it has to be removed. */
    public static final int ONCE = 6;
    /** In the answer of {@link #select}: it was woken. */
    public static final int WOKEN = 1 << 30;

    private PollerCalls() {
    }

    /**
     * The backends of this system.
     *
     * @return their names, separated by commas, the preferred one first; the index of a name is
     *     the number of the backend
     */
    public static native String backends();

    /**
     * Opens a poller.
     *
     * @param backend the number of a backend
     * @param events where it puts events
     * @param capacity how many events there is room for
     * @return a handle, or an error number negated
     */
    public static native long open(int backend, long events, int capacity);

    /**
     * Closes a poller: the kernel watches nothing for it any more.
     *
     * @param poller a handle
     * @return 0
     */
    public static native int close(long poller);

    /**
     * Makes changes and waits until a registration is ready, a waker wakes it or the time is over.
     *
     * @param poller a handle
     * @param changes where changes are; those that cannot fail because of the system are made
     *     before anything else, the others are told to the kernel by this call
     * @param count how many changes
     * @param millis for how long at most: 0 does not wait, a negative number is for ever
     * @return the number of events, and {@link #WOKEN}; or an error number negated
     */
    public static native int select(long poller, long changes, int count, long millis);

    /**
     * Makes changes without waiting. What is removed is no longer watched when it returns.
     *
     * @param poller a handle
     * @param changes where changes are
     * @param count how many changes
     * @return 0, or an error number negated
     */
    public static native int change(long poller, long changes, int count);

    /**
     * What wakes a poller.
     *
     * @param poller a handle
     * @return a handle of its own
     */
    public static native long openWaker(long poller);

    /**
     * Ends the wait in progress, or else the next one. Also after the poller was closed.
     *
     * @param waker a handle of {@link #openWaker}
     * @return 0
     */
    public static native int wake(long waker);

    /**
     * Gives a waker back.
     *
     * @param waker a handle of {@link #openWaker}
     * @return 0
     */
    public static native int closeWaker(long waker);
}
