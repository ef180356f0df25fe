/** Addresses, families, socket options and exceptions. */
package org.nioselect.internal.net;
