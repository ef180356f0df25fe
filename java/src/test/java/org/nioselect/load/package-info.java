/** How the provider is chosen and its native code loaded, seen from JVMs of their own. */
package org.nioselect.load;
