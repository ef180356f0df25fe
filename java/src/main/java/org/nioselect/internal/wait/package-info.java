/** How a thread, platform or virtual, waits for a descriptor and is woken. */
package org.nioselect.internal.wait;
