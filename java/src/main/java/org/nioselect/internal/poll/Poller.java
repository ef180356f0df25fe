package org.nioselect.internal.poll;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.nioselect.internal.net.Errors;
import org.nioselect.internal.sys.Memory;
import org.nioselect.internal.sys.PollerCalls;

/**
 * A native poller: changes are collected in memory and go along with the next wait, whose answer
 * is read from memory. One thread at a time uses it; only {@link #wake} is for all.
 */
public final class Poller {
    /** How many events one wait reports at most. The others come first in the next one. */
    private static final int CAPACITY = 1024;

    private final int backend;
    private final Memory events = new Memory(CAPACITY * PollerCalls.EVENT_SIZE);
    private final ByteBuffer eventBuffer = events.buffer();
    private final long handle;
    private Memory changes = new Memory(32 * PollerCalls.CHANGE_SIZE);
    private int changeCount;

    private final Object wakerLock = new Object();
    /** Guarded by {@link #wakerLock}; 0 when the poller is closed. */
    private long waker;

    /**
     * Opens a poller.
     *
     * @param backend a number of {@link Backends}
     * @throws IOException if there is no descriptor left, or the backend cannot run here
     */
    public Poller(int backend) throws IOException {
        this.backend = backend;
        handle = PollerCalls.open(backend, events.address(), CAPACITY);
        if (handle < 0) {
            IOException cause = Errors.io((int) -handle);
            throw new IOException("the backend " + Backends.name(backend)
                    + " cannot be opened: " + cause.getMessage(), cause);
        }
        waker = PollerCalls.openWaker(handle);
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
     */
    public void put(int index, int fd, int kind, int ops) {
        if ((changeCount + 1) * PollerCalls.CHANGE_SIZE > changes.size()) {
            grow();
        }
        ByteBuffer buffer = changes.buffer();
        int at = changeCount * PollerCalls.CHANGE_SIZE;
        buffer.putInt(at, index);
        buffer.putInt(at + 4, fd);
        buffer.putInt(at + 8, kind);
        buffer.putInt(at + 12, ops);
        changeCount++;
    }

    /**
     * Notes that a registration ends.
     *
     * @param index its index
     * @param fd its descriptor, which must stay open until the change is made
     */
    public void remove(int index, int fd) {
        put(index, fd, PollerCalls.REMOVE, 0);
    }

    private void grow() {
        Memory larger = new Memory(2 * changes.size());
        larger.buffer().put(0, changes.buffer(), 0, changes.size());
        changes = larger;
    }

    /**
     * Makes the noted changes without waiting: what was removed is no longer watched.
     *
     * @throws IOException if the kernel refuses one of them
     */
    public void flush() throws IOException {
        if (changeCount > 0) {
            int count = changeCount;
            changeCount = 0;
            int answer = PollerCalls.change(handle, changes.address(), count);
            if (answer < 0) {
                throw Errors.io(-answer);
            }
        }
    }

    /**
     * Makes the noted changes and waits.
     *
     * @param millis for how long at most: 0 does not wait, a negative number is for ever
     * @return the number of events, and {@link PollerCalls#WOKEN} if it was woken
     * @throws IOException if the kernel refuses a change, or the wait fails
     */
    public int select(long millis) throws IOException {
        int count = changeCount;
        changeCount = 0;
        int answer = PollerCalls.select(handle, changes.address(), count, millis);
        if (answer < 0) {
            throw Errors.io(-answer);
        }
        return answer;
    }

    /**
     * An event of the last wait.
     *
     * @param number which event, from 0
     * @return the event
     */
    public long event(int number) {
        return eventBuffer.getLong(number * PollerCalls.EVENT_SIZE);
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
        PollerCalls.close(handle);
    }
}
