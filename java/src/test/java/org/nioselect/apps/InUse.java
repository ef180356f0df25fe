package org.nioselect.apps;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.nio.channels.SelectableChannel;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * Proves which provider an application uses, from what the JVM's heap has: applications keep their
 * channels to themselves.
 */
final class InUse {
    /** The start of a class name. */
    private static final String EXPECTED =
            System.getProperty("nioselect.apps.expected", "org.nioselect.");
    private static final String JDK = "sun.nio.ch.";

    /** A line of the histogram: rank, instances, bytes, class. */
    private static final Pattern LINE = Pattern.compile("\\s*\\d+:\\s+\\d+\\s+\\d+\\s+([\\w.$]+).*");

    private InUse() {
    }

    /**
     * Asserts that objects of these types live, and that no channel and no selector is from another
     * provider than the one expected. It has to be called while the application runs.
     */
    static void assertAlive(Class<?>... types) throws JMException {
        assertSystemWide();
        Set<Class<?>> living = living();
        for (Class<?> type : types) {
            assertTrue(living.stream().anyMatch(one -> type.isAssignableFrom(one) && expected(one)),
                    () -> "no " + type.getName() + " of " + EXPECTED + " among " + living);
        }
        assertTrue(living.stream().noneMatch(one -> jdk(one) && !expected(one)),
                () -> "the JDK's provider is in use as well: " + living);
    }

    private static void assertSystemWide() {
        Class<?> systemWide = SelectorProvider.provider().getClass();
        assertTrue(expected(systemWide), () -> systemWide + " is not of " + EXPECTED);
    }

    /** The classes of the channels and selectors that live, after a garbage collection. */
    static Set<Class<?>> living() throws JMException {
        return LINE.matcher(histogram()).results()
                .map(line -> named(line.group(1)))
                .filter(type -> SelectableChannel.class.isAssignableFrom(type)
                        || Selector.class.isAssignableFrom(type))
                .collect(Collectors.toCollection(InUse::byName));
    }

    private static Set<Class<?>> byName() {
        return new TreeSet<>((a, b) -> a.getName().compareTo(b.getName()));
    }

    private static String histogram() throws JMException {
        return (String) ManagementFactory.getPlatformMBeanServer().invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "gcClassHistogram",
                new Object[] {new String[0]},
                new String[] {String[].class.getName()});
    }

    /** Classes that no name leads to, as lambdas, are neither channel nor selector. */
    private static Class<?> named(String name) {
        try {
            return Class.forName(name, false, InUse.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError unreachable) {
            return Object.class;
        }
    }

    private static boolean expected(Class<?> type) {
        return type.getName().startsWith(EXPECTED);
    }

    private static boolean jdk(Class<?> type) {
        return type.getName().startsWith(JDK);
    }
}
