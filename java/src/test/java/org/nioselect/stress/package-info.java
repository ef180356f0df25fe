/** Many threads against running selectors for some seconds. */
package org.nioselect.stress;
