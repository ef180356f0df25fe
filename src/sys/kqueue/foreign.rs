//! Another kernel, which is linked in: three C functions in the layout of [`types`](super::types).

use libc::{c_int, size_t, timespec};

use super::types::Kevent;

// SAFETY: whoever sets `nioselect_kqueue_extern` links a library with these functions: the
// first two as kqueue(2) and kevent(2) of NetBSD, errno(3) included, the last as close(2).
unsafe extern "C" {
    fn nioselect_kqueue() -> c_int;
    fn nioselect_kevent(
        queue: c_int,
        changes: *const Kevent,
        changes_count: size_t,
        events: *mut Kevent,
        events_count: size_t,
        timeout: *const timespec,
    ) -> c_int;
    fn nioselect_close(queue: c_int) -> c_int;
}

pub(super) fn kqueue() -> c_int {
    // SAFETY: no memory is passed.
    unsafe { nioselect_kqueue() }
}

/// # Safety
///
/// `changes` has `changes_count` entries and `events` room for `events_count`; `timeout` is null
/// or a time.
pub(super) unsafe fn kevent(
    queue: c_int,
    changes: *const Kevent,
    changes_count: usize,
    events: *mut Kevent,
    events_count: usize,
    timeout: *const timespec,
) -> c_int {
    // SAFETY: as our caller promises.
    unsafe { nioselect_kevent(queue, changes, changes_count, events, events_count, timeout) }
}

/// # Safety
///
/// The number is the caller's, who does not use it any more.
pub(super) unsafe fn close(queue: c_int) -> c_int {
    // SAFETY: as our caller promises.
    unsafe { nioselect_close(queue) }
}
