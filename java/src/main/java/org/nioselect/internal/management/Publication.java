package org.nioselect.internal.management;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.ObjectName;

/** The only class that needs {@code java.management}. */
final class Publication {
    private static final String NAME = "org.nioselect:type=Selectors";

    private Publication() {
    }

    static void of(OpenSelectors selectors) throws JMException {
        ManagementFactory.getPlatformMBeanServer().registerMBean(selectors, new ObjectName(NAME));
    }
}
