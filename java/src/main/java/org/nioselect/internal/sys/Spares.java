package org.nioselect.internal.sys;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Objects that are expensive to make, kept for the next one who needs such an object.
 *
 * <p>Unlike a variable of each thread it costs nothing for threads that have gone, and virtual
 * threads share as well as platform threads do. At most {@value #PLACES} objects are kept.
 *
 * @param <T> what is kept
 */
public final class Spares<T> {
    private static final int PLACES = 64;

    private final AtomicReferenceArray<T> places = new AtomicReferenceArray<>(PLACES);

    /** Creates a place for spares, with none in it. */
    public Spares() {
    }

    /**
     * Takes an object that was kept.
     *
     * @return it, which belongs to the caller now, or null if there is none
     */
    public T take() {
        int start = firstPlace();
        for (int i = 0; i < PLACES; i++) {
            int place = (start + i) % PLACES;
            if (places.getPlain(place) != null) {
                T spare = places.getAndSet(place, null);
                if (spare != null) {
                    return spare;
                }
            }
        }
        return null;
    }

    /**
     * Keeps an object for others.
     *
     * @param spare what nobody uses any more
     * @return false if there are enough of them
     */
    public boolean keep(T spare) {
        int start = firstPlace();
        for (int i = 0; i < PLACES; i++) {
            int place = (start + i) % PLACES;
            if (places.getPlain(place) == null && places.compareAndSet(place, null, spare)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Threads start to look in different places, so that they seldom want the same one. What a
     * subclass of Thread says its number is may be negative.
     */
    private static int firstPlace() {
        return (int) Math.floorMod(Thread.currentThread().getId(), (long) PLACES);
    }
}
