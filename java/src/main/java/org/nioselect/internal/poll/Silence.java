package org.nioselect.internal.poll;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.nioselect.internal.sys.CurrentThread;
import org.nioselect.internal.sys.PollerCalls;

/**
 * Knowing that a look at the kernel would find nothing, from two words in native memory: one that
 * other threads of this process set to wake the selecting one, and one that the kernel sets when
 * something becomes ready.
 *
 * <p>The native poller says after an empty answer whether they can be trusted. From then on
 * nothing but a native call for the poller could change what they mean, or where they are:
 * <ul>
 * <li>Native code moves or unmaps a word only in {@code select} and {@code change}, and when the
 * poller is closed. {@link Poller} calls {@link #end} before each of these, and notes no change
 * without it.
 * <li>{@link #lasts}, {@link #begin} and {@link #end} are called by one thread at a time, as
 * everything of a poller: that of a selector by who holds the selector's monitor. Closing holds it
 * as well, so who reads the words has either come before, and the words are there until the
 * monitor is let go of; or after, and finds that the silence has ended.
 * <li>{@link #lastsUnlocked} is called without the monitor. It says that it is about to look, and
 * only then reads whether the silence still stands for its thread; {@link #end} first ends it, and
 * only then reads whether somebody looks, and waits until nobody does. All four are volatile, so
 * at least one of the two sees the other. A listener is set by its own thread only, which is not
 * looking then, so none that has been ended comes back while its thread is about to look.
 * </ul>
 * Silence is that of one thread, whose ring is set by the kernel. A platform thread is the same
 * thread of the system all its life. A virtual one may be carried by another one next time, so it
 * always asks.
 */
final class Silence {
    private static final VarHandle WORD =
            MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());
    private static final VarHandle SPARED;
    private static final VarHandle LOOKING;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            SPARED = lookup.findVarHandle(Silence.class, "spared", long.class);
            LOOKING = lookup.findVarHandle(Listener.class, "isLooking", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** A thread for which it may be silent. */
    private static final class Listener {
        final Thread thread;
        /** Whether it looks at the words without the monitor. Only the thread itself sets it. */
        volatile boolean isLooking;

        Listener(Thread thread) {
            this.thread = thread;
        }
    }

    /** For whom it is silent; null if that is not known. */
    private volatile Listener listener;
    /** For whom it is silent, or was the last time. */
    private Listener last;
    private ByteBuffer signalled;
    private ByteBuffer rung;
    /** Where {@link #rung} is. */
    private long rungAddress;
    /** How many looks were spared; other threads read it. */
    private long spared;

    /** The poller is about to be told something, or asked for more than what is ready now. */
    void end() {
        if (listener != null) {
            listener = null;
        }
        // Also if it had ended before: waiting fails if the stack is exhausted, and is made up for.
        Listener ended = last;
        while (ended != null && ended.isLooking) {
            Thread.yield();
        }
    }

    /** The poller has just answered, in this thread, that nothing is ready. */
    void begin(ByteBuffer memory) {
        long address = memory.getLong(PollerCalls.SILENCE + Long.BYTES);
        if (address == 0 || CurrentThread.isVirtual()) {
            return;
        }
        if (address != rungAddress) {
            lookAt(memory.getLong(PollerCalls.SILENCE), address);
        }
        Thread current = Thread.currentThread();
        if (last == null || last.thread != current) {
            last = new Listener(current);
        }
        listener = last;
    }

    private void lookAt(long signalledAddress, long address) {
        if (signalled == null) {
            signalled = PollerCalls.word(signalledAddress).asReadOnlyBuffer();
        }
        rung = PollerCalls.word(address).asReadOnlyBuffer();
        rungAddress = address;
    }

    /** Whether it is still silent, and then a look is spared. */
    boolean lasts() {
        Listener current = listener;
        return current != null && current.thread == Thread.currentThread() && isUntold();
    }

    /** As {@link #lasts}, by a thread that does not hold the monitor. */
    boolean lastsUnlocked() {
        Listener current = listener;
        if (current == null || current.thread != Thread.currentThread()) {
            return false;
        }
        try {
            current.isLooking = true;
            boolean lasts = listener == current && isUntold();
            LOOKING.setRelease(current, false);
            return lasts;
        } catch (Throwable e) {
            // The stack is exhausted, or the thread stopped. A call could fail again.
            current.isLooking = false;
            throw e;
        }
    }

    private boolean isUntold() {
        if ((int) WORD.getAcquire(rung, 0) != 0 || (int) WORD.getAcquire(signalled, 0) != 0) {
            return false;
        }
        SPARED.setOpaque(this, spared + 1);
        return true;
    }

    long spared() {
        return (long) SPARED.getOpaque(this);
    }
}
