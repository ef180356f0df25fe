//! epoll(7).

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

use super::{Event, check, count, milliseconds};
use crate::error::Result;

/// What epoll_ctl(2) is asked to do.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change {
    Add,
    Modify,
    Remove,
}

impl Change {
    fn operation(self) -> (libc::c_int, &'static str) {
        match self {
            Self::Add => (libc::EPOLL_CTL_ADD, "epoll_ctl(EPOLL_CTL_ADD)"),
            Self::Modify => (libc::EPOLL_CTL_MOD, "epoll_ctl(EPOLL_CTL_MOD)"),
            Self::Remove => (libc::EPOLL_CTL_DEL, "epoll_ctl(EPOLL_CTL_DEL)"),
        }
    }
}

pub(crate) fn create() -> Result<OwnedFd> {
    // SAFETY: no memory is passed.
    let fd = check("epoll_create1", unsafe {
        libc::epoll_create1(libc::EPOLL_CLOEXEC)
    })?;
    // SAFETY: the kernel has just made this descriptor for us alone.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

pub(crate) fn control(
    epoll: &OwnedFd,
    change: Change,
    fd: RawFd,
    events: u32,
    data: u64,
) -> Result<()> {
    let (operation, call) = change.operation();
    let mut event = Event { events, u64: data };
    // SAFETY: `event` lives through the call, which only reads it.
    check(call, unsafe {
        libc::epoll_ctl(epoll.as_raw_fd(), operation, fd, &raw mut event)
    })?;
    Ok(())
}

/// Waits and replaces what `events` holds by at most `limit` others.
// Always: a return after a system call costs the processor more than this function does, as the
// kernel leaves it nothing to predict returns from.
#[inline(always)]
pub(crate) fn wait(
    epoll: &OwnedFd,
    events: &mut Vec<Event>,
    limit: usize,
    timeout: Option<Duration>,
) -> io::Result<()> {
    events.clear();
    events.reserve_exact(limit);
    let room = libc::c_int::try_from(limit).unwrap_or(libc::c_int::MAX);
    let buffer = events.as_mut_ptr();
    // SAFETY: `buffer` has room for `room` events, which the vector owns.
    let answer =
        unsafe { libc::epoll_wait(epoll.as_raw_fd(), buffer, room, milliseconds(timeout)) };
    let filled = count(answer)?;
    // SAFETY: the kernel has written the first `filled` events, at most the capacity.
    unsafe { events.set_len(filled) };
    Ok(())
}
