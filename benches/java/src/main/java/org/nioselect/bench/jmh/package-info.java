/** The benchmarks: single operations of selectors and channels, in nanoseconds. */
package org.nioselect.bench.jmh;
