/** Benchmarks of Netty over loopback, client and server in one JVM: the time for each answer. */
package org.nioselect.bench.netty;
