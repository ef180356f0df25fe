/** The channels, and what a selector needs of them. */
package org.nioselect.internal.channel;
