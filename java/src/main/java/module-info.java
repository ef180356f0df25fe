/**
 * A provider of channels and selectors over epoll and its like, through native code.
 *
 * <p>There is no {@code provides} clause: it would make the provider that of the whole JVM as soon
 * as the module is on the path. It is chosen by a system property; see
 * {@link org.nioselect.NioselectProvider}.
 */
module org.nioselect {
    // Only with the system property nioselect.jmx.
    requires static java.management;

    exports org.nioselect;
}
