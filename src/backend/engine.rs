//! A mechanism that is open, whichever it is.

use std::io;
use std::ops::{Deref, DerefMut};
use std::os::fd::RawFd;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

#[cfg(has_epoll)]
use super::epoll::Epoll;
#[cfg(has_io_uring)]
use super::io_uring::IoUring;
use super::{Mechanism, ReadyList};
use crate::doorbell::{Policy, Statistics};

/// A mechanism that is open.
#[derive(Debug)]
pub(crate) enum Engine {
    /// By itself, so that the compiler can see through a selection that finds nothing.
    #[cfg(has_epoll)]
    Epoll(Epoll),
    /// As epoll.
    #[cfg(has_io_uring)]
    IoUring(Box<IoUring>),
    Other(Box<dyn Mechanism>),
}

impl Deref for Engine {
    type Target = dyn Mechanism;

    fn deref(&self) -> &Self::Target {
        match self {
            #[cfg(has_epoll)]
            Self::Epoll(epoll) => epoll,
            #[cfg(has_io_uring)]
            Self::IoUring(io_uring) => &**io_uring,
            Self::Other(mechanism) => &**mechanism,
        }
    }
}

impl DerefMut for Engine {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            #[cfg(has_epoll)]
            Self::Epoll(epoll) => epoll,
            #[cfg(has_io_uring)]
            Self::IoUring(io_uring) => &mut **io_uring,
            Self::Other(mechanism) => &mut **mechanism,
        }
    }
}

impl Engine {
    /// Whether it is known without asking the kernel that nothing is ready, if nothing has been
    /// changed since it was asked.
    #[inline]
    pub(crate) fn is_silent(&mut self) -> bool {
        match self {
            #[cfg(has_epoll)]
            Self::Epoll(epoll) => epoll.is_silent(),
            #[cfg(has_io_uring)]
            Self::IoUring(io_uring) => io_uring.is_silent(),
            Self::Other(_) => false,
        }
    }

    /// As [`is_silent`](Self::is_silent), in place of a wait that would not block.
    #[inline]
    pub(crate) fn spares_a_look(&mut self) -> bool {
        match self {
            #[cfg(has_epoll)]
            Self::Epoll(epoll) => epoll.spares_a_look(),
            _ => self.is_silent(),
        }
    }

    /// The word that is 0 as long as [`is_silent`](Self::is_silent) is true, if it is now and the
    /// engine has such a word.
    pub(crate) fn silence(&self) -> Option<&AtomicU32> {
        match self {
            #[cfg(has_epoll)]
            Self::Epoll(epoll) => epoll.silence(),
            _ => None,
        }
    }

    /// Expects to be asked again and again what is ready now.
    pub(crate) fn listen(&mut self) {
        #[cfg(has_epoll)]
        if let Self::Epoll(epoll) = self {
            epoll.listen();
        }
    }

    /// Gives it a doorbell, if it is one that can have one.
    pub(crate) fn set_doorbell(&mut self, policy: Policy) {
        #[cfg(has_epoll)]
        if let Self::Epoll(epoll) = self {
            epoll.set_doorbell(policy);
        }
        #[cfg(not(has_epoll))]
        let _ = policy;
    }

    /// Takes note of a descriptor that is neither a socket nor a pipe, before it is watched.
    pub(crate) fn examine(&mut self, fd: RawFd) {
        #[cfg(has_epoll)]
        if let Self::Epoll(epoll) = self {
            epoll.examine(fd);
        }
        #[cfg(not(has_epoll))]
        let _ = fd;
    }

    /// What its doorbell has done.
    pub(crate) fn doorbell(&self) -> Statistics {
        match self {
            #[cfg(has_epoll)]
            Self::Epoll(epoll) => epoll.doorbell(),
            _ => Statistics::default(),
        }
    }

    /// Is to take the place of `before`, and goes on counting where that ends.
    pub(crate) fn succeed(&mut self, before: &Self) {
        #[cfg(has_epoll)]
        if let (Self::Epoll(epoll), Self::Epoll(before)) = (self, before) {
            epoll.succeed(before);
        }
        #[cfg(not(has_epoll))]
        let _ = before;
    }

    #[inline(always)]
    pub(crate) fn wait(
        &mut self,
        ready: &mut ReadyList,
        timeout: Option<Duration>,
    ) -> io::Result<()> {
        match self {
            #[cfg(has_epoll)]
            Self::Epoll(epoll) => epoll.wait(ready, timeout),
            #[cfg(has_io_uring)]
            Self::IoUring(io_uring) => io_uring.wait(ready, timeout),
            Self::Other(mechanism) => mechanism.wait(ready, timeout),
        }
    }
}
