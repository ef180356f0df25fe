/** The selector, its keys and its key sets. */
package org.nioselect.internal.selector;
