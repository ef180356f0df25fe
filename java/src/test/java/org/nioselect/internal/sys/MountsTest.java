package org.nioselect.internal.sys;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Which mount of the kernel's table a file is on. */
class MountsTest {
    private static final List<String> TABLE = List.of(
            "/dev/vda1 / ext4 rw,relatime 0 0",
            "tmpfs /tmp tmpfs rw,nosuid,noexec 0 0",
            "tmpfs /tmp/run\\040here tmpfs rw,relatime 0 0",
            "tmpfs /twice tmpfs rw,noexec 0 0",
            "tmpfs /twice tmpfs rw,relatime 0 0");

    @Test
    void theLongestMountPointCounts() {
        assertEquals("/tmp", Mounts.noexec("/tmp/file", TABLE));
        assertNull(Mounts.noexec("/tmp/run here/file", TABLE));
        assertNull(Mounts.noexec("/home/file", TABLE));
    }

    @Test
    void aPrefixOfANameIsNoMountPoint() {
        assertNull(Mounts.noexec("/tmpfile", TABLE));
    }

    @Test
    void theLastMountCoversThoseBefore() {
        assertNull(Mounts.noexec("/twice/file", TABLE));
    }
}
