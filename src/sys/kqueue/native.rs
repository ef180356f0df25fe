//! The system's kernel.

use libc::{c_int, timespec};

use super::types::Kevent;

/// As the system has it: size_t on NetBSD, int elsewhere.
#[cfg(target_os = "netbsd")]
type Count = libc::size_t;
/// As the system has it: size_t on NetBSD, int elsewhere.
#[cfg(not(target_os = "netbsd"))]
type Count = c_int;

pub(super) fn kqueue() -> c_int {
    // SAFETY: no memory is passed.
    unsafe { libc::kqueue() }
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
    // There are never more changes than twice the descriptors, nor more events than a list holds.
    let (changes_count, events_count) = (changes_count as Count, events_count as Count);
    // SAFETY: as our caller promises.
    unsafe { libc::kevent(queue, changes, changes_count, events, events_count, timeout) }
}

/// # Safety
///
/// The number is the caller's, who does not use it any more.
pub(super) unsafe fn close(queue: c_int) -> c_int {
    // SAFETY: as our caller promises.
    unsafe { libc::close(queue) }
}
