//! The mechanisms: descriptors, tokens and readiness. Nothing here knows of keys or channels.

mod choice;
#[cfg(has_devpoll)]
mod devpoll;
mod engine;
#[cfg(has_epoll)]
pub(crate) mod epoll;
#[cfg(has_io_uring)]
mod io_uring;
#[cfg(has_kqueue)]
mod kqueue;
mod poll;
mod ready_list;
#[cfg(target_os = "linux")]
mod rt_signal;
mod select;

pub use choice::Backend;
pub(crate) use engine::Engine;
pub(crate) use ready_list::ReadyList;

use std::fmt;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::time::Duration;

use crate::error::Result;
use crate::mode::Mode;
use crate::sys::wake::{Bell, WakeDescriptor};
use crate::token::Token;

bitflags::bitflags! {
    /// What the kernel is asked for or tells of one descriptor, in the bits of poll(2), which
    /// are the same on every system and those of epoll(7) too.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) struct Readiness: u8 {
        const READABLE = libc::POLLIN as u8;
        const WRITABLE = libc::POLLOUT as u8;
        /// An error, which nobody has to ask for.
        const ERROR = libc::POLLERR as u8;
        /// A hang-up, which nobody has to ask for.
        const HANGUP = libc::POLLHUP as u8;
        /// The descriptor is not open. It would be reported for ever: the caller removes it.
        const DEAD = libc::POLLNVAL as u8;
        /// What nobody asks for.
        const FAILED = Self::ERROR.bits() | Self::HANGUP.bits() | Self::DEAD.bits();
    }
}

#[cfg(has_epoll)]
const _: () = assert!(
    libc::EPOLLIN == libc::POLLIN as i32
        && libc::EPOLLOUT == libc::POLLOUT as i32
        && libc::EPOLLERR == libc::POLLERR as i32
        && libc::EPOLLHUP == libc::POLLHUP as i32
);

impl Readiness {
    /// The bits that matter here, of what poll(2) or epoll(7) has answered.
    #[inline]
    fn of_poll_events(events: u32) -> Self {
        Self::from_bits_truncate((events & 0xff) as u8)
    }

    /// As poll(2) and epoll(7) are asked.
    fn to_poll_events(self) -> u8 {
        self.bits()
    }

    /// Of an entry of poll(2).
    fn of_revents(revents: libc::c_short) -> Self {
        Self::of_poll_events(u32::from(revents.cast_unsigned()))
    }

    /// For an entry of poll(2).
    fn to_events(self) -> libc::c_short {
        libc::c_short::from(self.to_poll_events())
    }
}

/// One descriptor that has something to tell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ready {
    pub(crate) token: Token,
    pub(crate) readiness: Readiness,
    /// Not 0: the kernel has refused to watch it, for this reason.
    pub(crate) refusal: i32,
}

/// What every mechanism does.
///
/// - Level-triggered, unless a descriptor was added in another [`Mode`].
/// - A descriptor is watched from `add` to `remove`; the caller never asks for nothing (it
///   removes instead) and never adds the same one twice.
/// - Additions and modifications may be held back until `wait`, but when `remove` returns, the
///   kernel has forgotten the descriptor: it may be closed.
/// - What the kernel objects to when it learns of a change in `wait` goes into the list by
///   [`ReadyList::refuse`], beside what is ready, and then the wait does not block. The refused
///   descriptor is not watched; but the bell ([`Token::WAKE`]) is tried again by the next wait, for
///   nobody else does that. One that turns out to be closed is [`Readiness::DEAD`] instead.
pub(crate) trait Mechanism: Send + fmt::Debug {
    fn supports(&self, mode: Mode) -> bool;

    /// What ends its wait from another thread; its events have the token [`Token::WAKE`].
    fn open_bell(&mut self) -> Result<Box<dyn Bell>> {
        open_wake_descriptor(self)
    }

    /// Whether it may go on to report what it was told to forget: epoll(7) does when the
    /// descriptor has been made another open file by dup2(2).
    fn may_be_haunted(&self) -> bool {
        false
    }

    fn add(&mut self, fd: RawFd, token: Token, wanted: Readiness, mode: Mode) -> Result<()>;

    fn modify(&mut self, fd: RawFd, token: Token, wanted: Readiness, mode: Mode) -> Result<()>;

    /// Forgets a descriptor, at once: it is to be closed.
    fn remove(&mut self, fd: RawFd) -> Result<()>;

    /// Forgets a descriptor that stays open at least until the next `wait` or `remove`, and so
    /// may be held back until then.
    fn unwatch(&mut self, fd: RawFd) -> Result<()> {
        self.remove(fd)
    }

    /// Whether the kernel still has a descriptor that [`unwatch`](Self::unwatch) was told of: it
    /// must be removed before it is closed.
    fn lingers(&self, _fd: RawFd) -> bool {
        false
    }

    /// Waits for at most `timeout` (`None`: for ever) and fills `ready`, which is empty, up to
    /// its limit, each token once; what did not fit comes first the next time. May return early
    /// and empty-handed.
    fn wait(&mut self, ready: &mut ReadyList, timeout: Option<Duration>) -> io::Result<()>;
}

/// Where a descriptor is in a table of all.
fn index(fd: RawFd) -> usize {
    usize::try_from(fd).expect("a descriptor is not negative")
}

/// A bell that is a descriptor: every mechanism can watch one.
fn open_wake_descriptor(mechanism: &mut (impl Mechanism + ?Sized)) -> Result<Box<dyn Bell>> {
    let mut descriptor = WakeDescriptor::open()?;
    let mode = if mechanism.supports(Mode::Edge) && descriptor.never_fills() {
        descriptor.leave_readable();
        Mode::Edge
    } else {
        Mode::Level
    };
    let fd = descriptor.as_fd().as_raw_fd();
    mechanism.add(fd, Token::WAKE, Readiness::READABLE, mode)?;
    Ok(Box::new(descriptor))
}

/// Takes note that this side has shut down reading: real-time signals do not announce it.
pub(crate) fn reading_has_ended(fd: BorrowedFd<'_>) {
    #[cfg(target_os = "linux")]
    rt_signal::announce(fd.as_raw_fd());
    #[cfg(not(target_os = "linux"))]
    let _ = fd;
}
