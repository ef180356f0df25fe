/** What operators can see, without {@code java.management} unless they ask for it. */
package org.nioselect.internal.management;
