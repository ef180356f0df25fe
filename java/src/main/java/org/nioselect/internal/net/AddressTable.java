package org.nioselect.internal.net;

import java.util.Arrays;

/**
 * A hash table of addresses with open addressing. It grows up to a bound and then starts anew, so
 * that nobody can fill the memory by sending from many ports.
 */
final class AddressTable {
    private static final int FEWEST_PLACES = 16;
    private static final int MOST_PLACES = 512;

    private KnownAddress[] places = new KnownAddress[FEWEST_PLACES];
    private int count;

    /** What is in a place, or null. */
    KnownAddress at(int place) {
        return places[place];
    }

    /** Where to look first. */
    int first(int hash) {
        return (hash ^ hash >>> Short.SIZE) & places.length - 1;
    }

    /** Where to look next, until a place is empty. */
    int next(int place) {
        return place + 1 & places.length - 1;
    }

    void add(KnownAddress known) {
        if (2 * count >= places.length) {
            makeRoom();
        }
        put(known);
        count++;
    }

    private void makeRoom() {
        if (places.length == MOST_PLACES) {
            Arrays.fill(places, null);
            count = 0;
            return;
        }
        KnownAddress[] old = places;
        places = new KnownAddress[2 * old.length];
        for (KnownAddress known : old) {
            if (known != null) {
                put(known);
            }
        }
    }

    private void put(KnownAddress known) {
        int place = first(known.hash());
        while (places[place] != null) {
            place = next(place);
        }
        places[place] = known;
    }
}
