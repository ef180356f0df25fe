/** The sockets of java.net that the channels give by their method socket. */
package org.nioselect.internal.adaptor;
