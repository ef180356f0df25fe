package org.nioselect.apps;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.nio.channels.SelectableChannel;
import java.nio.channels.Selector;
import java.nio.channels.spi.SelectorProvider;
import java.util.Set;
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

    /** MulticastSocket, which every provider's datagram sockets extend, makes one of these. */
    private static final String MADE_AND_DISCARDED = JDK + "DatagramChannelImpl";

    /** A line of the histogram: rank, instances, bytes, class. */
    private static final Pattern LINE =
            Pattern.compile("\\s*\\d+:\\s+\\d+\\s+\\d+\\s+([\\w.$]+).*");

    private InUse() {
    }

    /**
     * Asserts that the JVM's provider is the one expected, that objects of these types are alive,
     * and that no channel and no selector is from the JDK. It has to be called while the
     * application runs.
     */
    static void assertAlive(Class<?>... types) throws JMException {
        Class<?> systemWide = SelectorProvider.provider().getClass();
        assertTrue(expected(systemWide), () -> systemWide + " is not of " + EXPECTED);
        assertAliveThoughNotSystemWide(types);
    }

    /** The same, of a provider that was handed to the application. */
    static void assertAliveThoughNotSystemWide(Class<?>... types) throws JMException {
        Set<Class<?>> living = living();
        for (Class<?> type : types) {
            assertTrue(living.stream().anyMatch(one -> type.isAssignableFrom(one) && expected(one)),
                    () -> "no " + type.getName() + " of " + EXPECTED + " among " + living);
        }
        assertTrue(living.stream().noneMatch(InUse::unexpected),
                () -> "the JDK's provider is in use as well: " + living);
    }

    /** The classes of the channels and selectors that live, after a garbage collection. */
    private static Set<Class<?>> living() throws JMException {
        return LINE.matcher(histogram()).results()
                .map(line -> named(line.group(1)))
                .filter(type -> SelectableChannel.class.isAssignableFrom(type)
                        || Selector.class.isAssignableFrom(type))
                .collect(Collectors.toSet());
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

    private static boolean unexpected(Class<?> type) {
        return !expected(type) && type.getName().startsWith(JDK)
                && !type.getName().equals(MADE_AND_DISCARDED);
    }
}
