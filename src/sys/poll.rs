//! poll(2).

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

use super::{count, milliseconds};

pub(crate) use libc::pollfd as PollFd;

/// Fills in the `revents` and tells how many of them are not zero.
pub(crate) fn poll(fds: &mut [PollFd], timeout: Option<Duration>) -> io::Result<usize> {
    // No descriptor table is larger than what nfds_t holds.
    let number = fds.len() as libc::nfds_t;
    // SAFETY: `fds` is a slice of `number` entries, borrowed for the length of the call.
    count(unsafe { libc::poll(fds.as_mut_ptr(), number, milliseconds(timeout)) })
}

/// The `revents` of one descriptor, after at most `timeout`.
pub(crate) fn poll_one(
    fd: BorrowedFd<'_>,
    events: libc::c_short,
    timeout: Option<Duration>,
) -> io::Result<libc::c_short> {
    let mut entry = [PollFd {
        fd: fd.as_raw_fd(),
        events,
        revents: 0,
    }];
    poll(&mut entry, timeout)?;
    Ok(entry[0].revents)
}
