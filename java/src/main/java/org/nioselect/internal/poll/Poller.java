package org.nioselect.internal.poll;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.nioselect.internal.net.Errors;
import org.nioselect.internal.sys.Errno;
import org.nioselect.internal.sys.PollerCalls;

/**
 * A native poller: changes are collected in memory and go along with the next wait, whose answer
 * is read from memory. One thread at a time uses it; only {@link #wake} is for all.
 *
 * <p>The memory is the native poller's own, so that to note a change does not allocate, and to
 * close a poller gives all of it back.
 */
public final class Poller {
    private final int backend;
    private final Silence silence = new Silence();
    private final long handle;
    /** Null when the poller is closed: the memory is gone then. */
    private ByteBuffer memory;
    private int changes;

    private final Object wakerLock = new Object();
    /** Guarded by {@link #wakerLock}; 0 when the poller is closed. */
    private long waker;

    /**
     * Opens a poller.
     *
     * @param options what it is made of
     * @throws IOException if there is no descriptor left, or the backend cannot run here
     */
    public Poller(PollerOptions options) throws IOException {
        backend = options.backend();
        handle = PollerCalls.open(backend, options.doorbell(), options.spinMicros());
        if (handle < 0) {
            throw cannotOpen((int) -handle);
        }
        try {
            memory = PollerCalls.memory(handle).order(ByteOrder.nativeOrder());
        } catch (Throwable e) {
            PollerCalls.close(handle);
            throw e;
        }
        waker = PollerCalls.openWaker(handle);
    }

    private IOException cannotOpen(int errno) {
        if (errno == Errno.EOPNOTSUPP) {
            return new IOException("The backend " + Backends.name(backend) + " cannot run here: "
                    + PollerCalls.whyNot(backend));
        }
        return Errors.io(errno);
    }

    /**
     * The backend in use.
     *
     * @return its number
     */
    public int backend() {
        return backend;
    }

    /**
     * Notes a registration, or what has changed of it, for the next wait.
     *
     * @param index what its events carry
     * @param fd its descriptor
     * @param kind a constant of {@link org.nioselect.internal.channel.ChannelKind}, or
     *     {@link PollerCalls#ONCE}
     * @param ops the interest set
     * @throws IOException as {@link #flush}, if there is no room for another note
     */
    public void put(int index, int fd, int kind, int ops) throws IOException {
        silence.end();
        if (changes == PollerCalls.MOST_CHANGES) {
            flush();
        }
        int at = PollerCalls.CHANGES + changes * PollerCalls.CHANGE_SIZE;
        memory.putInt(at, index);
        memory.putInt(at + 4, fd);
        memory.putInt(at + 8, kind);
        memory.putInt(at + 12, ops);
        changes++;
    }

    /**
     * Notes that a registration ends.
     *
     * @param index its index
     * @param fd its descriptor, which must stay open until the change is made
     * @throws IOException as {@link #put}
     */
    public void remove(int index, int fd) throws IOException {
        put(index, fd, PollerCalls.REMOVE, 0);
    }

    /**
     * Makes the noted changes without waiting: what was removed is no longer watched.
     *
     * @throws IOException if the kernel does not forget one of them
     */
    public void flush() throws IOException {
        if (changes > 0) {
            silence.end();
            int count = changes;
            changes = 0;
            int answer = PollerCalls.change(handle, count);
            if (answer < 0) {
                throw Errors.io(-answer);
            }
        }
    }

    /**
     * Makes the noted changes and waits.
     *
     * @param millis for how long at most: 0 does not wait, a negative number is for ever
     * @return the number of events, with {@link PollerCalls#WOKEN} if it was woken and
     *     {@link PollerCalls#REFUSED} if there is a refusal
     * @throws IOException if the wait fails
     */
    public int select(long millis) throws IOException {
        silence.end();
        int count = changes;
        changes = 0;
        int answer = PollerCalls.select(handle, count, millis);
        if (answer < 0) {
            throw Errors.io(-answer);
        }
        if (answer == 0 && millis == 0) {
            silence.begin(memory);
        }
        return answer;
    }

    /**
     * Whether {@link #select} without waiting would do nothing and answer 0, as far as that is
     * known without a call. It is to be called in place of that, and counts as such.
     *
     * @return whether there is nothing to select
     */
    public boolean sparesASelect() {
        return silence.lasts();
    }

    /**
     * As {@link #sparesASelect}, for a thread that does not use the poller alone: others may use or
     * close it meanwhile, and wait until this has returned.
     *
     * @return whether there is nothing to select, and {@link #endSilence} has not been called
     *     since that is known
     */
    public boolean sparesAnUnlockedSelect() {
        return silence.lastsUnlocked();
    }

    /** From now on, until a selection has found nothing, no selection is spared. */
    public void endSilence() {
        silence.end();
    }

    /**
     * What the doorbell has done so far. Any thread may ask, and waits for no selection.
     *
     * @return the numbers, or null if the poller is closed
     */
    public DoorbellStatistics doorbell() {
        synchronized (wakerLock) {
            return waker == 0 ? null : DoorbellStatistics.of(waker, silence.spared());
        }
    }

    /**
     * An event of the last wait.
     *
     * @param number which event, from 0
     * @return the event
     */
    public long event(int number) {
        return memory.getLong(PollerCalls.EVENTS + number * PollerCalls.EVENT_SIZE);
    }

    /**
     * Which registration an event is about.
     *
     * @param event an event
     * @return the registration's index
     */
    public static int index(long event) {
        return (int) event;
    }

    /**
     * What is ready by an event.
     *
     * @param event an event
     * @return operations of the interest set, never none
     */
    public static int readyOps(long event) {
        return (int) (event >>> Integer.SIZE);
    }

    /**
     * Which registration the kernel has refused. It is at an end.
     *
     * @return the registration's index
     */
    public int refusedIndex() {
        return (int) memory.getLong(PollerCalls.REFUSAL);
    }

    /**
     * Why the kernel has refused it.
     *
     * @return the system's text
     */
    public String refusal() {
        return Errno.text((int) (memory.getLong(PollerCalls.REFUSAL) >>> Integer.SIZE));
    }

    /** Ends the wait in progress, or else the next one. After {@link #close} it does nothing. */
    public void wake() {
        // Held for the length of one system call at most; it keeps the waker from being freed.
        synchronized (wakerLock) {
            if (waker != 0) {
                PollerCalls.wake(waker);
            }
        }
    }

    /** Closes the poller. Nothing but {@link #wake} may be called any more. */
    public void close() {
        synchronized (wakerLock) {
            PollerCalls.closeWaker(waker);
            waker = 0;
        }
        silence.end();
        memory = null;
        PollerCalls.close(handle);
    }
}
