/** What applications see of nioselect beside the API of {@code java.nio.channels}. */
package org.nioselect;
