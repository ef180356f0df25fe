package org.nioselect.internal.selector;

import java.io.IOException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.IllegalSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.nioselect.SelectorStatistics;
import org.nioselect.internal.channel.Registrable;
import org.nioselect.internal.management.Observed;
import org.nioselect.internal.poll.Backends;
import org.nioselect.internal.poll.DoorbellStatistics;
import org.nioselect.internal.poll.IndexTable;
import org.nioselect.internal.poll.Poller;
import org.nioselect.internal.poll.PollerOptions;
import org.nioselect.internal.sys.CurrentThread;
import org.nioselect.internal.sys.PollerCalls;
import org.nioselect.internal.wait.VirtualThreads;

/**
 * A selector over the native poller.
 *
 * <p>Selecting holds the monitors that {@link Selector} documents, of the selector and of its
 * selected-key set, and no other lock while it blocks. Only if it is told to does it leave them
 * alone where the doorbell answers that there is nothing to select. Registering, changing an
 * interest set and cancelling leave a note for the next selection, which passes all of them along
 * with the one native call that waits. Only cancelled keys need another call: their descriptors can
 * be closed when the kernel has forgotten them.
 */
public final class NioselectSelector extends AbstractSelector implements Observed {
    private static final long FOREVER = -1;
    private static final long NOT = 0;

    /** All keys that were found ready have been cancelled. */
    private static final int NONE_VALID = -1;

    private final Poller poller;
    private final boolean unlocked = Boolean.getBoolean(PollerOptions.UNLOCKED);
    private final IndexTable<NioselectSelectionKey> table = new IndexTable<>();
    private final ChangedKeys changed = new ChangedKeys();

    private final Set<SelectionKey> keys = ConcurrentHashMap.newKeySet();
    private final Set<SelectionKey> publicKeys = Collections.unmodifiableSet(keys);
    private final SelectedKeySet selectedKeys = new SelectedKeySet();

    /** Cancelled keys that are being let go of. */
    private final List<NioselectSelectionKey> leaving = new ArrayList<>();
    private boolean selecting;

    /**
     * Opens a selector as the system properties {@code nioselect.backend},
     * {@code nioselect.doorbell}, {@code nioselect.doorbell.unlocked} and
     * {@code nioselect.spin.micros} want it.
     *
     * @param provider who opens it
     * @throws IOException if there is no descriptor left
     */
    public NioselectSelector(SelectorProvider provider) throws IOException {
        super(provider);
        poller = new Poller(PollerOptions.chosen());
    }

    @Override
    public Set<SelectionKey> keys() {
        ensureOpen();
        return publicKeys;
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
        ensureOpen();
        return selectedKeys;
    }

    private void ensureOpen() {
        if (!isOpen()) {
            throw new ClosedSelectorException();
        }
    }

    @Override
    public int selectNow() throws IOException {
        return lockAndSelectNow(null);
    }

    @Override
    public int select() throws IOException {
        return lockAndSelect(null, FOREVER);
    }

    @Override
    public int select(long timeout) throws IOException {
        return lockAndSelect(null, blockFor(timeout));
    }

    @Override
    public int selectNow(Consumer<SelectionKey> action) throws IOException {
        return lockAndSelectNow(Objects.requireNonNull(action));
    }

    @Override
    public int select(Consumer<SelectionKey> action) throws IOException {
        return lockAndSelect(Objects.requireNonNull(action), FOREVER);
    }

    @Override
    public int select(Consumer<SelectionKey> action, long timeout) throws IOException {
        Objects.requireNonNull(action);
        return lockAndSelect(action, blockFor(timeout));
    }

    private static long blockFor(long timeout) {
        if (timeout < 0) {
            throw new IllegalArgumentException("Negative timeout");
        }
        return timeout == 0 ? FOREVER : timeout;
    }

    private int lockAndSelect(Consumer<SelectionKey> action, long millis) throws IOException {
        synchronized (this) {
            ensureOpen();
            synchronized (selectedKeys) {
                return selectAlone(action, millis);
            }
        }
    }

    private int lockAndSelectNow(Consumer<SelectionKey> action) throws IOException {
        if (unlocked && nothingIsQueued() && poller.sparesAnUnlockedSelect() && isOpen()) {
            return 0;
        }
        synchronized (this) {
            ensureOpen();
            synchronized (selectedKeys) {
                return hasNothingToDo() ? 0 : selectAlone(action, NOT);
            }
        }
    }

    /** An action that selects, in the thread that holds the monitors, would be in the way. */
    private int selectAlone(Consumer<SelectionKey> action, long millis) throws IOException {
        if (selecting) {
            throw new IllegalStateException("select in progress");
        }
        selecting = true;
        try {
            return doSelect(action, millis);
        } finally {
            selecting = false;
        }
    }

    /**
     * Whether a selection that does not wait would do nothing and find nothing, as far as that is
     * known without asking the kernel. Both monitors are held: whoever holds one of them keeps
     * such a selection out, too. While an action runs it is never true, as something was found.
     */
    private boolean hasNothingToDo() {
        return nothingIsQueued() && poller.sparesASelect();
    }

    /**
     * Whether the next selection has no cancelled key to let go of and no change to take in. Without
     * the monitors it may be asked by who asks afterwards whether a selection is spared: if it is,
     * no other thread was selecting meanwhile.
     */
    private boolean nothingIsQueued() {
        return changed.isEmpty() && cancelledKeys().isEmpty() && leaving.isEmpty();
    }

    /**
     * Selects until there is something to tell. That all keys that were found ready had been
     * cancelled meanwhile is nothing to tell: returning 0 for it would look like a wakeup.
     */
    private int doSelect(Consumer<SelectionKey> action, long millis) throws IOException {
        long start = millis > 0 ? System.nanoTime() : 0;
        long remaining = millis;
        // Before anything is touched by which an unlocked selection knows that nothing is queued.
        poller.endSilence();
        for (;;) {
            letGoOfCancelledKeys();
            takeInChanges();
            int answer = millis == NOT ? poller.select(NOT) : waitInterruptibly(remaining);
            IOException refusal = refusal(answer);
            letGoOfCancelledKeys();
            int found = answer & PollerCalls.COUNT;
            int told = NONE_VALID;
            if (found > 0) {
                told = action == null ? select(found) : pass(found, action);
            }
            if (refusal != null) {
                throw refusal;
            }
            if (told != NONE_VALID) {
                return told;
            }
            if (found == 0 || found != answer || millis == NOT) {
                return 0;
            }
            if (millis > 0) {
                remaining = millis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
                if (remaining <= 0) {
                    return 0;
                }
            }
        }
    }

    /**
     * What to throw if the kernel cannot watch a channel. Its key is cancelled: it would never be
     * selected, and must not keep the others from being.
     */
    private IOException refusal(int answer) {
        if ((answer & PollerCalls.REFUSED) == 0) {
            return null;
        }
        NioselectSelectionKey key = table.get(poller.refusedIndex());
        key.cancel();
        return new IOException("Cannot watch " + key.channel() + ": " + poller.refusal());
    }

    private int waitInterruptibly(long millis) throws IOException {
        try {
            begin();
            return CurrentThread.isVirtual() ? waitUnpinned(millis) : poller.select(millis);
        } finally {
            end();
        }
    }

    /** Blocking in native code would keep the carrier of a virtual thread: another thread waits. */
    private int waitUnpinned(long millis) throws IOException {
        int answer = poller.select(NOT);
        return answer != 0 ? answer : VirtualThreads.call(() -> poller.select(millis));
    }

    /** Puts the keys that were found ready into the selected-key set. */
    private int select(int found) {
        boolean anyValid = false;
        int updated = 0;
        for (int i = 0; i < found; i++) {
            long event = poller.event(i);
            NioselectSelectionKey key = table.get(Poller.index(event));
            if (key == null || !key.isValid()) {
                continue;
            }
            anyValid = true;
            int ops = Poller.readyOps(event);
            if (!selectedKeys.has(key)) {
                key.setReady(ops);
                selectedKeys.append(key);
                updated++;
            } else if (key.addReady(ops)) {
                updated++;
            }
        }
        return anyValid ? updated : NONE_VALID;
    }

    /** Passes the keys that were found ready to the action. */
    private int pass(int found, Consumer<SelectionKey> action) {
        int passed = 0;
        for (int i = 0; i < found; i++) {
            long event = poller.event(i);
            NioselectSelectionKey key = table.get(Poller.index(event));
            if (key == null || !key.isValid()) {
                continue;
            }
            passed++;
            key.setReady(Poller.readyOps(event));
            action.accept(key);
            ensureOpen();
        }
        return passed > 0 ? passed : NONE_VALID;
    }

    private void letGoOfCancelledKeys() throws IOException {
        Set<SelectionKey> cancelled = cancelledKeys();
        // Asked without its monitor, which would cost a tenth of a selectNow that finds nothing.
        // A key that is cancelled at the same time is let go of by the next selection; one that
        // was cancelled before, as this thread knows, is seen.
        if (!cancelled.isEmpty() || !leaving.isEmpty()) {
            letGo(cancelled);
        }
    }

    private void letGo(Set<SelectionKey> cancelled) throws IOException {
        synchronized (cancelled) {
            for (SelectionKey key : cancelled) {
                leaving.add((NioselectSelectionKey) key);
            }
            cancelled.clear();
        }
        for (NioselectSelectionKey key : leaving) {
            if (key.index != NioselectSelectionKey.NOWHERE) {
                poller.remove(key.index, key.fd());
            }
        }
        // Descriptors may be closed only when the kernel has forgotten them. If it does not, the
        // next selection tries again.
        poller.flush();
        leaving.forEach(this::forget);
        leaving.clear();
    }

    private void forget(NioselectSelectionKey key) {
        if (key.index != NioselectSelectionKey.NOWHERE) {
            table.remove(key.index);
            key.index = NioselectSelectionKey.NOWHERE;
        }
        selectedKeys.discard(key);
        keys.remove(key);
        invalidate(key);
        key.release();
    }

    /**
     * Takes a key away from its channel. One that the channel does not have, as its registration
     * has failed, only becomes invalid: deregister would fail on Java 17.
     */
    private void invalidate(NioselectSelectionKey key) {
        if (key.channel().keyFor(this) == key) {
            deregister(key);
        } else {
            key.cancel();
        }
    }

    private void takeInChanges() throws IOException {
        for (NioselectSelectionKey key = changed.next(); key != null; key = changed.next()) {
            if (key.isHeld() && key.isValid()) {
                if (key.index == NioselectSelectionKey.NOWHERE) {
                    key.index = table.add(key);
                }
                key.tell(poller);
            }
            changed.passOn();
        }
    }

    /** To be called by any thread when a key is new or has changed. */
    void changed(NioselectSelectionKey key) {
        changed.add(key);
    }

    @Override
    protected SelectionKey register(AbstractSelectableChannel channel, int ops, Object attachment) {
        if (!(channel instanceof Registrable)) {
            throw new IllegalSelectorException();
        }
        ensureOpen();
        NioselectSelectionKey key = new NioselectSelectionKey(this, channel, ops);
        key.attach(attachment);
        // A channel that is being closed has no descriptor to hold; its close cancels the key.
        boolean held = key.hold();
        // Before a selection can find the key, which may be cancelled and let go of at once.
        keys.add(key);
        if (held) {
            changed.add(key);
        }
        if (!isOpen()) {
            // The selector may have been closed before it could see the key.
            keys.remove(key);
            key.cancel();
            key.release();
            throw new ClosedSelectorException();
        }
        return key;
    }

    @Override
    public Selector wakeup() {
        poller.wake();
        return this;
    }

    @Override
    protected void implCloseSelector() {
        wakeup();
        synchronized (this) {
            synchronized (selectedKeys) {
                poller.close();
                selectedKeys.clear();
                for (SelectionKey key : keys) {
                    invalidate((NioselectSelectionKey) key);
                    ((NioselectSelectionKey) key).release();
                }
                keys.clear();
            }
        }
    }

    @Override
    public SelectorStatistics statistics(long number) {
        DoorbellStatistics doorbell = poller.doorbell();
        return doorbell == null ? null : new Snapshot(number, Backends.name(poller.backend()),
                keys.size(), doorbell);
    }

    /** A line that programs can read. It waits for no selection. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(getClass().getName())
                .append('[').append(Backends.name(poller.backend())).append(", ");
        DoorbellStatistics doorbell = poller.doorbell();
        if (doorbell == null || !isOpen()) {
            return text.append("closed]").toString();
        }
        text.append(keys.size()).append(" keys");
        if (!doorbell.isOff()) {
            text.append(", ").append(doorbell);
        }
        return text.append(']').toString();
    }
}
