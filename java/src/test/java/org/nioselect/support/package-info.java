/** What the tests share: connected channels, observed threads, descriptor counts, deadlines. */
package org.nioselect.support;
