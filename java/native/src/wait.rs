//! Waiting for one descriptor with poll(2).
#![allow(unsafe_code)]

use std::ffi::{c_int, c_short};
use std::time::{Duration, Instant};

use jni::sys::{jint, jlong};
use libc::{POLLIN, POLLOUT, pollfd};

use crate::bell;
use crate::errno::{Errno, Result, check};

/// The constants of the class `Descriptors`.
const READABLE: jint = 1;
const WRITABLE: jint = 2;
const WOKEN: jint = 4;

/// `Descriptors.await`.
pub(crate) fn wait(fd: jint, events: jint, bell: jlong, nanos: jlong) -> Result<jint> {
    let mut entries = [
        entry(fd, to_poll(events)),
        entry(bell::watched(bell), POLLIN),
    ];
    let mut rest = u64::try_from(nanos).ok().map(Duration::from_nanos);
    // What lies beyond the clock's range is for ever.
    let end = rest.and_then(|timeout| Instant::now().checked_add(timeout));
    loop {
        // SAFETY: the number is that of the entries.
        match check(unsafe { libc::poll(entries.as_mut_ptr(), 2, milliseconds(rest)) }) {
            Ok(0) | Err(Errno(libc::EINTR)) => {}
            Ok(_) => return Ok(from_poll(&entries[0], events) | woken(&entries[1])),
            Err(error) => return Err(error),
        }
        rest = end.map(|end| end.saturating_duration_since(Instant::now()));
        if rest.is_some_and(|rest| rest.is_zero()) {
            return Ok(0);
        }
    }
}

fn entry(fd: c_int, events: c_short) -> pollfd {
    pollfd {
        fd,
        events,
        revents: 0,
    }
}

fn to_poll(events: jint) -> c_short {
    let reading = if events & READABLE != 0 { POLLIN } else { 0 };
    let writing = if events & WRITABLE != 0 { POLLOUT } else { 0 };
    reading | writing
}

/// Whatever else poll(2) reports ends the wait: the operation that follows tells what it is.
fn from_poll(entry: &pollfd, events: jint) -> jint {
    if entry.revents & !(POLLIN | POLLOUT) != 0 {
        return events;
    }
    let reading = if entry.revents & POLLIN != 0 {
        READABLE
    } else {
        0
    };
    let writing = if entry.revents & POLLOUT != 0 {
        WRITABLE
    } else {
        0
    };
    reading | writing
}

fn woken(entry: &pollfd) -> jint {
    if entry.revents != 0 { WOKEN } else { 0 }
}

/// Rounded up, so that no wait is too short, and clamped: a longer one is resumed.
fn milliseconds(timeout: Option<Duration>) -> c_int {
    let Some(timeout) = timeout else { return -1 };
    let rounded_up = timeout.as_nanos().div_ceil(1_000_000);
    c_int::try_from(rounded_up).unwrap_or(c_int::MAX)
}
