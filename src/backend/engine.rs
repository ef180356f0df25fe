//! A mechanism that is open, whichever it is.

use std::io;
use std::ops::{Deref, DerefMut};
use std::time::Duration;

#[cfg(has_epoll)]
use super::epoll::Epoll;
#[cfg(has_io_uring)]
use super::io_uring::IoUring;
use super::{Mechanism, ReadyList};

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
    #[inline]
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
