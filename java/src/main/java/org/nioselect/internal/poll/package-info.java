/** The native poller as an object, and the table that its events are looked up in. */
package org.nioselect.internal.poll;
