package org.nioselect.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.nioselect.NioselectProvider;
import org.nioselect.SelectorStatistics;
import org.nioselect.SelectorsMXBean;
import org.nioselect.support.ChildJvm;
import org.nioselect.support.Deadline;
import org.nioselect.support.Providers;
import org.nioselect.support.Threads;

/** What operators see of selectors, if they ask for it. */
class ManagementTest {
    private static final String ASKED_FOR = "-Dnioselect.jmx=true";
    private static final String FINE = "fine";

    /** Selects, is looked at and tells what is wrong. */
    static final class LookAtSelectors {
        private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

        public static void main(String[] args) throws Exception {
            ObjectName name = new ObjectName("org.nioselect:type=Selectors");
            try (Selector first = Selector.open(); Selector second = Selector.open();
                    SocketChannel channel = SocketChannel.open()) {
                if (args.length > 0) {
                    check(!SERVER.isRegistered(name), "nobody has asked for it");
                    System.out.println(FINE);
                    return;
                }
                SelectorsMXBean bean = JMX.newMXBeanProxy(SERVER, name, SelectorsMXBean.class);
                channel.configureBlocking(false);
                channel.register(second, SelectionKey.OP_CONNECT).interestOps(0);
                showsWhatTheTextShows(bean, second);
                doesNotWaitForASelection(bean, first);
                forgetsWhatIsClosed(bean, first);
            }
            keepsNothingAlive(JMX.newMXBeanProxy(SERVER, name, SelectorsMXBean.class));
            System.out.println(FINE);
        }

        private static void showsWhatTheTextShows(SelectorsMXBean bean, Selector second)
                throws IOException {
            for (int i = 0; i < 300; i++) {
                second.selectNow();
            }
            List<SelectorStatistics> all = bean.getSelectors();
            check(all.size() == 2, "there are " + all.size());
            SelectorStatistics shown = all.get(1);
            check(shown.getNumber() == all.get(0).getNumber() + 1, "wrong number");
            check(shown.getKeys() == 1, "there are keys: " + shown.getKeys());
            String text = second.toString();
            check(text.contains("[" + shown.getBackend() + ", 1 keys"), text);
            String why = shown.getWhy().isEmpty() ? "" : " (" + shown.getWhy() + ")";
            check(shown.getDoorbell().equals("off") || text.endsWith(", doorbell "
                    + shown.getDoorbell() + why + ": " + shown.getAnswered() + " answered, "
                    + shown.getRung() + " rung]"), text);
            check(shown.getRings() == (shown.getDoorbell().equals("armed") ? 1 : 0), "rings");
        }

        private static void doesNotWaitForASelection(SelectorsMXBean bean, Selector first)
                throws Exception {
            var selecting = Threads.start(() -> first.select()).awaitBlockedIn("select");
            check(bean.getSelectors().size() == 2, "one is missing");
            first.wakeup();
            selecting.join();
        }

        private static void forgetsWhatIsClosed(SelectorsMXBean bean, Selector first)
                throws IOException {
            first.close();
            check(bean.getSelectors().size() == 1, "a closed one is shown");
        }

        private static void keepsNothingAlive(SelectorsMXBean bean) throws Exception {
            AtomicReference<Selector> lost = new AtomicReference<>(Selector.open());
            check(bean.getSelectors().size() == 1, "the new one is missing");
            lost.set(null);
            Deadline.await("it is collected", () -> {
                System.gc();
                return bean.getSelectors().isEmpty();
            });
        }

        private static void check(boolean isTrue, String otherwise) {
            if (!isTrue) {
                throw new AssertionError(otherwise);
            }
        }
    }

    @Test
    void theBeanShowsOpenSelectorsAndHoldsNoneOfThem() throws Exception {
        assertEquals(FINE, ChildJvm.with(LookAtSelectors.class).option(ASKED_FOR).run());
    }

    @Test
    void theModulePublishesItToo() throws Exception {
        ChildJvm jvm = ChildJvm.plain(LookAtSelectors.class)
                .classPath(ChildJvm.tests())
                .option("--module-path=" + ChildJvm.locationOf(NioselectProvider.class))
                .option("--add-modules=org.nioselect")
                .option(ChildJvm.CHOOSE_PROVIDER).option(ASKED_FOR);
        if (Providers.javaRelease() >= 24) {
            jvm.option("--enable-native-access=org.nioselect");
        }
        assertEquals(FINE, jvm.run());
    }

    @Test
    void nothingIsPublishedUnlessAskedFor() throws Exception {
        assertEquals(FINE, ChildJvm.with(LookAtSelectors.class).run("not asked for"));
    }

    @Test
    void withoutTheModuleSelectorsWorkAndTheLogTellsWhy() throws Exception {
        String printed = ChildJvm.with(OpenTwice.class).option("--limit-modules=java.base")
                .option(ASKED_FOR).run();
        assertTrue(printed.contains(OpenTwice.BOTH_OURS), printed);
        assertTrue(printed.contains(ASKED_FOR + " is in vain"), printed);
    }
}
