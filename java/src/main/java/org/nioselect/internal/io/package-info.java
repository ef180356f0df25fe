/** Descriptors and who uses them, directions, and the bytes between buffers and descriptors. */
package org.nioselect.internal.io;
