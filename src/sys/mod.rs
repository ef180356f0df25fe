//! The system calls, each behind a safe function: nothing above this module is unsafe but the
//! two lines that say who keeps a descriptor open.
#![allow(unsafe_code)]

#[cfg(all(
    test,
    any(
        target_vendor = "apple",
        target_os = "freebsd",
        target_os = "netbsd",
        target_os = "openbsd",
        target_os = "illumos",
        target_os = "solaris"
    )
))]
mod abi;
pub(crate) mod descriptor;
pub(crate) mod descriptor_set;
#[cfg(has_devpoll)]
pub(crate) mod devpoll;
#[cfg(has_epoll)]
pub(crate) mod epoll;
pub(crate) mod fork;
#[cfg(has_io_uring)]
pub(crate) mod io_uring;
#[cfg(has_kqueue)]
pub(crate) mod kqueue;
pub(crate) mod poll;
#[cfg(target_os = "linux")]
pub(crate) mod rt_signal;
#[cfg(has_epoll)]
pub(crate) mod sandbox;
pub(crate) mod select;
#[cfg(all(test, has_devpoll))]
pub(crate) mod testing;
#[cfg(has_epoll)]
pub(crate) mod thread;
pub(crate) mod wake;

#[cfg(has_epoll)]
pub(crate) use libc::epoll_event as Event;

/// What epoll(7) would report, for the mechanisms of systems without it.
#[cfg(not(has_epoll))]
#[derive(Clone, Copy)]
pub(crate) struct Event {
    pub(crate) events: u32,
    pub(crate) u64: u64,
}

use std::io;
use std::time::Duration;

use crate::error::{Error, Result};

/// The result of a call that answers -1 for failure.
fn check(call: &'static str, answer: libc::c_int) -> Result<libc::c_int> {
    if answer == -1 {
        Err(Error::last_os(call))
    } else {
        Ok(answer)
    }
}

/// The result of a call that waits: how many descriptors are ready, or -1 for failure. Whoever
/// waits knows the call's name.
#[inline]
fn count(answer: libc::c_int) -> io::Result<usize> {
    usize::try_from(answer).map_err(|_| io::Error::last_os_error())
}

/// Milliseconds for poll(2) and epoll_wait(2): -1 is for ever, a fraction is rounded up so that
/// no wait is short or spins, and what is too long is clamped (the caller resumes).
#[inline]
fn milliseconds(timeout: Option<Duration>) -> libc::c_int {
    let Some(timeout) = timeout else { return -1 };
    if timeout.is_zero() {
        return 0;
    }
    let whole = timeout.as_secs().saturating_mul(1000);
    let rounded_up = whole.saturating_add(u64::from(timeout.subsec_nanos().div_ceil(1_000_000)));
    libc::c_int::try_from(rounded_up).unwrap_or(libc::c_int::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_round_up_and_clamp() {
        assert_eq!(milliseconds(None), -1);
        assert_eq!(milliseconds(Some(Duration::ZERO)), 0);
        assert_eq!(milliseconds(Some(Duration::from_nanos(1))), 1);
        assert_eq!(milliseconds(Some(Duration::from_micros(1001))), 2);
        assert_eq!(milliseconds(Some(Duration::MAX)), libc::c_int::MAX);
    }
}
