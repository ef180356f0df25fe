package org.nioselect.internal.sys;

import java.nio.ByteBuffer;

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

    /** Where changes are in a poller's memory. */
    public static final int CHANGES = 0;
    /** The size of a change in bytes: four ints, the index, the descriptor, the kind, the ops. */
    public static final int CHANGE_SIZE = 16;
    /** For how many changes there is room. */
    public static final int MOST_CHANGES = 256;
    /** Where events are in a poller's memory. */
    public static final int EVENTS = CHANGES + MOST_CHANGES * CHANGE_SIZE;
    /** The size of an event in bytes: a long, the index in its lower half, then the ready ops. */
    public static final int EVENT_SIZE = 8;
    /** How many events a wait reports at most. */
    public static final int MOST_EVENTS = 1024;
    /** Where a refusal is: a long, the index in its lower half, then an error number. */
    public static final int REFUSAL = EVENTS + MOST_EVENTS * EVENT_SIZE;
    /**
     * Where it stands after a {@link #select} without waiting that has answered 0 what can be
     * looked at instead of selecting: two longs, the addresses of two words, or zeros. For the
     * thread that has selected, as long as both words are 0 and there is no other call for the
     * poller, another selection would find nothing.
     */
    public static final int SILENCE = REFUSAL + 8;

    /** In place of a kind: the registration ends. */
    public static final int REMOVE = -1;
    /** Kind: any descriptor, to be reported once, after which it has to be removed. */
    public static final int ONCE = 6;
    /** In the answer of {@link #select}: it was woken. */
    public static final int WOKEN = 1 << 30;
    /** In the answer of {@link #select}: one descriptor cannot be watched. */
    public static final int REFUSED = 1 << 29;
    /** The part of the answer of {@link #select} that is the number of events. */
    public static final int COUNT = REFUSED - 1;

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
     * When a poller can have a doorbell, by which it knows without a system call that nothing is
     * ready.
     *
     * @return the names of the policies, separated by commas, that by default first; the index of
     *     a name is the number of the policy
     */
    public static native String policies();

    /**
     * Opens a poller.
     *
     * @param backend the number of a backend
     * @param doorbell the number of a policy
     * @param spinMicros for how long a wait looks again and again before it blocks
     * @return a handle, or an error number negated
     */
    public static native long open(int backend, int doorbell, long spinMicros);

    /**
     * Why a backend cannot run, after {@link #open} has answered EOPNOTSUPP.
     *
     * @param backend the number of a backend
     * @return the reason in words
     */
    public static native String whyNot(int backend);

    /**
     * The memory by which a poller gets changes and gives events. It must not be used after the
     * poller was closed.
     *
     * @param poller a handle
     * @return a new buffer over the memory
     */
    public static native ByteBuffer memory(long poller);

    /**
     * A word that {@link #SILENCE} tells of. The first stays where it is until the poller is
     * closed, the second until another call for the poller; they must not be read later.
     *
     * @param address its address
     * @return a new buffer over the word
     */
    public static native ByteBuffer word(long address);

    /**
     * Closes a poller: the kernel watches nothing for it any more.
     *
     * @param poller a handle
     * @return 0
     */
    public static native int close(long poller);

    /**
     * Makes changes and waits until a registration is ready, a waker wakes it or the time is over.
     * It does not wait if there is a refusal to be told, which ends the registration.
     *
     * @param poller a handle
     * @param changes how many changes there are in its memory
     * @param millis for how long at most: 0 does not wait, a negative number is for ever
     * @return the number of events in its memory, with {@link #WOKEN} and {@link #REFUSED}; or an
     *     error number negated
     */
    public static native int select(long poller, int changes, long millis);

    /**
     * Makes changes without waiting. What is removed is no longer watched when it returns; of the
     * others the kernel learns by the next wait.
     *
     * @param poller a handle
     * @param changes how many changes there are in its memory
     * @return 0, or an error number negated
     */
    public static native int change(long poller, int changes);

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
     * What is known of the doorbell of a waker's poller: its state (0 off, 1 idle, 2 armed,
     * 3 unavailable), how many rings it was given, how many looks at the kernel the native code
     * has spared, and how often it rang.
     *
     * @param waker a handle of {@link #openWaker}
     * @param which which of these numbers, from 0
     * @return the number
     */
    public static native long doorbell(long waker, int which);

    /**
     * Why the doorbell is unavailable, if it is.
     *
     * @param waker a handle of {@link #openWaker}
     * @return the reason in words
     */
    public static native String whyNoDoorbell(long waker);

    /**
     * Gives a waker back.
     *
     * @param waker a handle of {@link #openWaker}
     * @return 0
     */
    public static native int closeWaker(long waker);
}
