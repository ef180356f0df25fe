/** What once went wrong, mostly when something ran out: memory, descriptors, threads. */
package org.nioselect.regression;
