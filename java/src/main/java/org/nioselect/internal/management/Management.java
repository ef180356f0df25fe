package org.nioselect.internal.management;

import java.lang.System.Logger.Level;

/**
 * Tells operators of selectors, if they have asked for it: to start management takes a JVM some
 * tens of milliseconds.
 */
public final class Management {
    /** The system property that asks for it. */
    public static final String PROPERTY = "nioselect.jmx";

    /** Null if nobody has asked, or it is not to be had. */
    private static final OpenSelectors SELECTORS = Boolean.getBoolean(PROPERTY) ? publish() : null;

    private Management() {
    }

    /** A selector works without operators: what keeps them from seeing it is logged. */
    private static OpenSelectors publish() {
        OpenSelectors selectors = new OpenSelectors();
        try {
            Publication.of(selectors);
            return selectors;
        } catch (Exception | LinkageError e) {
            System.getLogger("org.nioselect").log(Level.WARNING,
                    "-D" + PROPERTY + "=true is in vain: selectors cannot be published", e);
            return null;
        }
    }

    /**
     * To be called when a selector has been opened.
     *
     * @param selector the selector, which is not kept alive
     */
    public static void opened(Observed selector) {
        if (SELECTORS != null) {
            SELECTORS.add(selector);
        }
    }
}
