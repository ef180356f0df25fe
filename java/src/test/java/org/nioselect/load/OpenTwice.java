package org.nioselect.load;

import java.nio.channels.Selector;

/** Opens two selectors and prints for each its class, or why there is none. */
final class OpenTwice {
    static final String SEPARATOR = "\n----\n";
    static final String OURS = "org.nioselect.internal.selector.NioselectSelector";
    static final String BOTH_OURS = OURS + SEPARATOR + OURS;

    private OpenTwice() {
    }

    public static void main(String[] args) {
        System.out.println(open() + SEPARATOR + open());
    }

    private static String open() {
        try (Selector selector = Selector.open()) {
            return selector.getClass().getName();
        } catch (Throwable e) {
            return e.toString();
        }
    }
}
