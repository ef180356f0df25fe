//! Which descriptors are armed, and how.
//!
//! One is not armed, and so asked about in every wait, if
//! - the kernel does not announce by signals all that poll(2) would notice: terminals and devices;
//! - it blocks: a thread that blocks in reading it suppresses the signals, and need not take all;
//! - its open file has an owner, a signal or `O_ASYNC` already. They are the user's, or of another
//!   selector in which a duplicate is registered, or of the process that this one was forked
//!   from.

use std::io;
use std::os::fd::RawFd;

use crate::error::{Error, Result};
use crate::sys::rt_signal::{self as sys, ThreadId};

/// Has `thread` be told of what happens to `fd`; false if that is not possible. Nobody else in
/// this process may arm meanwhile.
pub(super) fn arm(fd: RawFd, thread: ThreadId) -> Result<bool> {
    let status = sys::status(fd)?;
    let possible = !status.asynchronous
        && status.nonblocking
        && sys::announces_everything(fd)
        && sys::is_unclaimed(fd)?;
    if !possible {
        return Ok(false);
    }
    // In this order: a signal without an owner is lost, and SIGIO would be taken for an overflow.
    let outcome = sys::send_to(fd, thread).and_then(|()| sys::set_async(fd, true));
    if outcome.is_err() {
        // What cannot be armed, for want of memory for instance, can be asked about.
        let _ = sys::unclaim(fd);
        return Ok(false);
    }
    // Another process that has the same open file, from before a fork, may have armed it at the
    // same moment. The signals go to the last one.
    sys::is_sent_to(fd, thread)
}

/// Whether an armed descriptor still is: its number may be another file's, or somebody may have
/// set the flags without keeping `O_ASYNC`.
pub(super) fn holds(fd: RawFd) -> Result<bool> {
    Ok(sys::status(fd)?.asynchronous)
}

/// Ends what [`arm`] began, unless the number is another file's by now. `thread` may have ended.
pub(super) fn disarm(fd: RawFd, thread: ThreadId) {
    if sys::is_sent_to(fd, thread).unwrap_or(false) {
        // Neither fails for a file that has been armed.
        let _ = sys::set_async(fd, false);
        let _ = sys::unclaim(fd);
    }
}

/// Has another thread be told. Fails if the number is another file's by now.
pub(super) fn move_to(fd: RawFd, before: ThreadId, thread: ThreadId) -> Result<()> {
    if sys::is_sent_to(fd, before)? {
        sys::send_to(fd, thread)
    } else {
        Err(Error::system(
            "fcntl(F_GETOWN_EX)",
            io::ErrorKind::NotFound.into(),
        ))
    }
}
