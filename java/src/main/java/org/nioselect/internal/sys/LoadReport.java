package org.nioselect.internal.sys;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Collects what was tried to load the native code, for the message if all of it fails. */
final class LoadReport {
    private final List<String> tried = new ArrayList<>();
    private final Set<String> advice = new LinkedHashSet<>();

    /** One way to load native code. */
    @FunctionalInterface
    interface Attempt {
        void run() throws IOException;
    }

    /** Makes an attempt and says whether it succeeded; if not, notes why. */
    boolean succeeds(String place, Attempt attempt) {
        try {
            attempt.run();
            return true;
        } catch (LoadFailure e) {
            note(place, e.getMessage());
            if (e.advice() != null) {
                advice.add(e.advice());
            }
        } catch (IOException | UnsatisfiedLinkError e) {
            note(place, e.getMessage());
        }
        return false;
    }

    private void note(String place, String reason) {
        tried.add(place + ": " + reason);
    }

    /** The whole story. */
    String text(Extraction wanted) {
        StringBuilder text = new StringBuilder("nioselect cannot load its native code, ")
                .append(wanted.fileName()).append(" for ").append(wanted.platform().folder())
                .append(". Tried in this order:");
        for (int i = 0; i < tried.size(); i++) {
            text.append("\n  ").append(i + 1).append(". ").append(tried.get(i));
        }
        text.append("\nWhat helps:");
        advice.forEach(line -> text.append("\n  - ").append(line));
        return text.append("\n  - put ").append(wanted.fileName())
                .append(" for this platform into a directory that only you may write to, and name")
                .append(" it: -Dnioselect.native.dir=DIRECTORY or -Djava.library.path=DIRECTORY")
                .toString();
    }

    /** What to say if the JVM is told not to let this code load native code. */
    static String denied(IllegalCallerException refusal) {
        return "nioselect cannot load its native code, because this Java does not allow it: "
                + refusal.getMessage() + "."
                + "\nOne of these allows it:"
                + "\n  - java --enable-native-access=ALL-UNNAMED, or with nioselect on the module"
                + " path --enable-native-access=org.nioselect"
                + "\n  - the same option in the environment variable JDK_JAVA_OPTIONS"
                + "\n  - Enable-Native-Access: ALL-UNNAMED in the manifest of the jar that is"
                + " started with java -jar (that of nioselect itself does not count)";
    }
}
