/**
 * What java.nio.channels promises of selectors and their keys, as tests of any provider: they use
 * the public API only.
 */
package org.nioselect.contract.selector;
