package org.nioselect.apps;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Listens to what Netty logs, and fails each test during which it warned, or told of a selector
 * that returned for nothing.
 */
final class NettyLog extends Handler implements
        BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
    private static final String PREMATURE = "prematurely";

    /** Kept here, as the system only holds loggers weakly. */
    private final Logger all = Logger.getLogger("io.netty");
    private final Logger selecting = Logger.getLogger("io.netty.channel.nio.NioIoHandler");
    private final List<LogRecord> records = new CopyOnWriteArrayList<>();
    private final SimpleFormatter formatter = new SimpleFormatter();

    @Override
    public void beforeAll(ExtensionContext context) {
        InternalLoggerFactory.setDefaultFactory(JdkLoggerFactory.INSTANCE);
        all.setUseParentHandlers(false);
        all.addHandler(this);
        // Premature returns are told of in detail long before there is a warning.
        selecting.setLevel(Level.FINE);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        records.clear();
    }

    @Override
    public void afterEach(ExtensionContext context) {
        List<String> complaints = new ArrayList<>();
        for (LogRecord one : records) {
            if (isComplaint(one)) {
                complaints.add(formatter.format(one));
            }
        }
        assertEquals(List.of(), complaints);
    }

    private static boolean isComplaint(LogRecord one) {
        return one.getLevel().intValue() >= Level.WARNING.intValue()
                || one.getMessage().contains(PREMATURE);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        all.removeHandler(this);
        all.setUseParentHandlers(true);
        selecting.setLevel(null);
    }

    /** Whether something was logged during this test. */
    boolean contains(String text) {
        return records.stream().anyMatch(one -> one.getMessage().contains(text));
    }

    @Override
    public void publish(LogRecord one) {
        records.add(one);
    }

    @Override
    public void flush() {
        // Nothing is held back.
    }

    @Override
    public void close() {
        // There is nothing to close.
    }
}
