/** Native methods, their memory, and the loading of the native library. */
package org.nioselect.internal.sys;
