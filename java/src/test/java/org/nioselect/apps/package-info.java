/**
 * Unmodified applications on the packaged provider: the JDK's HTTP server and client, Netty, Jetty
 * and Tomcat.
 *
 * <p>Each class proves that what it tests is not the JDK's provider. To see how that one does, run
 * them without the provider's property and with {@code -Dnioselect.apps.expected=sun.nio.ch.}.
 */
package org.nioselect.apps;
