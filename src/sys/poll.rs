//! poll(2).

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::time::Duration;

use super::{count, descriptor, milliseconds};

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

/// Whether poll(2) says of an open descriptor that it is closed. On macOS it does of devices, as
/// its manual page has it among the bugs.
pub(crate) fn mistakes_for_closed(fd: RawFd) -> bool {
    cfg!(target_vendor = "apple")
        && says_it_is_closed(fd).unwrap_or(false)
        && descriptor::is_open(fd)
}

/// Whether a number is not that of a descriptor, or of one that cannot be waited for.
pub(crate) fn is_closed(fd: RawFd) -> io::Result<bool> {
    Ok(says_it_is_closed(fd)? && !mistakes_for_closed(fd))
}

fn says_it_is_closed(fd: RawFd) -> io::Result<bool> {
    let mut entry = [PollFd {
        fd,
        events: 0,
        revents: 0,
    }];
    poll(&mut entry, Some(Duration::ZERO))?;
    Ok(entry[0].revents & libc::POLLNVAL != 0)
}
