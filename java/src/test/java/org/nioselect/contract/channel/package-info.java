/**
 * What the channels of any provider owe their users: closing, blocking and interruption, buffers,
 * addresses, options, socket adaptors, datagrams, pipes, UNIX domain sockets, virtual threads.
 */
package org.nioselect.contract.channel;
