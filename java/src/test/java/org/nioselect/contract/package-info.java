/**
 * What java.nio.channels promises of any provider. The tests use the public API only, and hold
 * for the JDK's own provider too.
 */
package org.nioselect.contract;
