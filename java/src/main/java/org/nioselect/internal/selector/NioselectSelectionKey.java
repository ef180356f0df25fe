package org.nioselect.internal.selector;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectionKey;
import org.nioselect.internal.channel.Registrable;
import org.nioselect.internal.channel.Registration;
import org.nioselect.internal.poll.Poller;

/**
 * A channel's registration with a selector.
 *
 * <p>The interest set belongs to any thread; it takes effect at the next selection. The fields of
 * the selecting thread are guarded by the selector's monitors.
 */
final class NioselectSelectionKey extends AbstractSelectionKey implements Registration {
    /** Not in the selector's table. */
    static final int NOWHERE = -1;

    private static final VarHandle INTEREST;
    private static final VarHandle READY;
    private static final VarHandle QUEUED;
    private static final VarHandle HELD;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            Class<NioselectSelectionKey> here = NioselectSelectionKey.class;
            INTEREST = lookup.findVarHandle(here, "interest", int.class);
            READY = lookup.findVarHandle(here, "ready", int.class);
            QUEUED = lookup.findVarHandle(here, "queued", boolean.class);
            HELD = lookup.findVarHandle(here, "held", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final NioselectSelector selector;
    private final SelectableChannel channel;
    private final Registrable registrable;

    private volatile int interest;
    private volatile int ready;
    /** Whether it is among the selector's changed keys. */
    private volatile boolean queued;
    /** Whether the registration is a user of the channel's descriptor. */
    private volatile boolean held;

    /** Where the selecting thread keeps it in the poller's table. */
    int index = NOWHERE;
    /** Where it is in the selected-key set, if it is. */
    int selectedAt;
    /** What the poller has been told. */
    private int toldKind = -1;
    private int toldInterest;

    NioselectSelectionKey(NioselectSelector selector, SelectableChannel channel, int ops) {
        this.selector = selector;
        this.channel = channel;
        this.registrable = (Registrable) channel;
        this.interest = ops;
    }

    @Override
    public SelectableChannel channel() {
        return channel;
    }

    @Override
    public Selector selector() {
        return selector;
    }

    @Override
    public int interestOps() {
        ensureValid();
        return interest;
    }

    @Override
    public SelectionKey interestOps(int ops) {
        ensureValid();
        ensureAllowed(ops);
        if ((int) INTEREST.getAndSet(this, ops) != ops) {
            selector.changed(this);
        }
        return this;
    }

    @Override
    public int interestOpsOr(int ops) {
        ensureValid();
        ensureAllowed(ops);
        int before = (int) INTEREST.getAndBitwiseOr(this, ops);
        if ((before | ops) != before) {
            selector.changed(this);
        }
        return before;
    }

    @Override
    public int interestOpsAnd(int ops) {
        ensureValid();
        int before = (int) INTEREST.getAndBitwiseAnd(this, ops);
        if ((before & ops) != before) {
            selector.changed(this);
        }
        return before;
    }

    @Override
    public int readyOps() {
        ensureValid();
        return ready;
    }

    private void ensureValid() {
        if (!isValid()) {
            throw new CancelledKeyException();
        }
    }

    private void ensureAllowed(int ops) {
        if ((ops & ~channel.validOps()) != 0) {
            throw new IllegalArgumentException();
        }
    }

    @Override
    public void kindChanged() {
        selector.changed(this);
    }

    boolean isQueued() {
        return queued;
    }

    /** Says that it is queued. False if it was said already. */
    boolean claimQueueing() {
        return QUEUED.compareAndSet(this, false, true);
    }

    void leaveQueue() {
        queued = false;
    }

    /** Becomes a user of the channel's descriptor. False if that is closing. */
    boolean hold() {
        if (!registrable.descriptor().enter()) {
            return false;
        }
        registrable.registrations().add(this);
        held = true;
        return true;
    }

    /** Lets go of the channel's descriptor, which may close it; once. */
    void release() {
        if (HELD.compareAndSet(this, true, false)) {
            registrable.registrations().remove(this);
            registrable.descriptor().leave();
        }
    }

    boolean isHeld() {
        return held;
    }

    int fd() {
        return registrable.descriptor().fd();
    }

    /** Puts what the poller does not know yet into its changes. */
    void tell(Poller poller) throws IOException {
        int kind = registrable.kind();
        int ops = interest;
        if (kind != toldKind || ops != toldInterest) {
            poller.put(index, fd(), kind, ops);
            toldKind = kind;
            toldInterest = ops;
        }
    }

    /** The ready set of a selection that found the key, as it was not selected before. */
    void setReady(int ops) {
        READY.setRelease(this, ops);
    }

    /** Adds to the ready set. False if it has all of them. */
    boolean addReady(int ops) {
        int before = (int) READY.get(this);
        if ((before | ops) == before) {
            return false;
        }
        READY.setRelease(this, before | ops);
        return true;
    }

    /**
     * By the descriptor's number, as no other key of the selector has it: the identity hash code
     * of an object that is new and soon gone costs as much as a set look-up.
     */
    @Override
    public int hashCode() {
        return fd() * 0x9E3779B9;
    }

    /** Only it itself is equal. */
    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("channel=").append(channel)
                .append(", selector=").append(selector);
        if (isValid()) {
            text.append(", interestOps=").append(interest).append(", readyOps=").append(ready);
        } else {
            text.append(", invalid");
        }
        return text.toString();
    }
}
