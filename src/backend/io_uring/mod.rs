//! io_uring(7), as a mechanism that tells of readiness.
//!
//! Each descriptor has a request of its own that polls it, and that completes again and again,
//! each time something happens to it. That is an edge; what has had one is examined by poll(2) at
//! each wait, all by one call, until it is not ready any more. So nothing that stays ready is
//! missed, and nothing that is idle costs anything. (A request that completes once, and is made
//! again after each report, is the other way. It was measured to be dearer: the kernel takes
//! longer to make a request than to look at a descriptor.)
//!
//! The changes are given to the kernel by the system call that waits.
//!
//! The requests belong to the thread that made them, and end with it: when another thread comes,
//! a new ring takes the place of the old one. That costs a request for each descriptor, and
//! edges are reported once more.
//!
//! The ring keeps open what it polls, so a descriptor that is to be closed must have its request
//! cancelled, and completed.

mod examined;
mod old_rings;
mod reports;
mod requests;
#[cfg(test)]
mod tests;
mod watch;

use std::fmt;
use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

use super::{Mechanism, Readiness, ReadyList};
use crate::error::{Error, Result};
use crate::mode::Mode;
use crate::sys::fork;
use crate::sys::io_uring::Ring;
use crate::sys::thread::ThreadNumber;
use crate::token::Token;
use examined::Examined;
use old_rings::OldRings;
use watch::{Arming, Watches};

pub(crate) struct IoUring {
    ring: Ring,
    /// Declared below the ring, so that it is dropped, and their ends are waited for, when the
    /// ring has been closed.
    old_rings: OldRings,
    /// The thread that has made requests of the ring; until then it is nobody's.
    owner: Option<ThreadNumber>,
    /// In which process: a forked child shares the ring with its parent, who goes on using it.
    forks: u32,
    watches: Watches,
    /// The descriptors that wait for a request, and some that did.
    to_arm: Vec<RawFd>,
    /// The requests that are to be cancelled.
    to_cancel: Vec<Arming>,
    /// Those that may be ready: they were when they were reported last, or have become so some
    /// time ago, and who knows what has happened since.
    examined: Examined,
    /// Whether some of them have come after the last look at them.
    unexamined: bool,
    /// How many requests the kernel has, or is to be given, that have not completed for good.
    outstanding: usize,
    /// How many of them have been cancelled, or are to be.
    lingering: usize,
    /// Of the latest arming.
    serial: u32,
    /// Counts the waits.
    round: u32,
}

impl IoUring {
    pub(super) fn open() -> Result<Self> {
        Ok(Self::over(Ring::open()?))
    }

    fn over(ring: Ring) -> Self {
        Self {
            ring,
            old_rings: OldRings::default(),
            owner: None,
            forks: fork::generation(),
            watches: Watches::default(),
            to_arm: Vec::new(),
            to_cancel: Vec::new(),
            examined: Examined::default(),
            unexamined: false,
            outstanding: 0,
            lingering: 0,
            serial: 0,
            round: 0,
        }
    }

    /// As [`Mechanism::wait`]. If nothing is to be done and nothing can have happened, it makes
    /// no system call.
    #[inline]
    pub(super) fn wait(
        &mut self,
        ready: &mut ReadyList,
        timeout: Option<Duration>,
    ) -> io::Result<()> {
        if timeout == Some(Duration::ZERO) && self.is_silent() {
            return Ok(());
        }
        self.wait_in_the_kernel(ready, timeout)
    }

    #[inline]
    pub(super) fn is_silent(&mut self) -> bool {
        self.to_arm.is_empty()
            && self.to_cancel.is_empty()
            && self.examined.is_empty()
            && self.owner.is_some()
            && self.owner == ThreadNumber::known()
            && self.ring.is_silent()
    }

    #[inline(never)]
    fn wait_in_the_kernel(
        &mut self,
        ready: &mut ReadyList,
        timeout: Option<Duration>,
    ) -> io::Result<()> {
        self.take_possession()?;
        self.begin_round();
        self.catch_up()?;
        self.examine(ready)?;
        let waits = ready.is_empty() && timeout != Some(Duration::ZERO);
        let mut outcome = self.ask(ready, waits.then_some(timeout));
        if self.unexamined && !ready.is_full() {
            outcome = outcome.and(self.examine(ready));
        }
        match outcome {
            // What is not level-triggered would be lost. If the failure lasts, it is met again.
            Err(_) if !ready.is_empty() => Ok(()),
            outcome => outcome,
        }
    }

    fn begin_round(&mut self) {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            // Numbers come again: no descriptor may seem to be in this round's list.
            self.round = 1;
            for (_, watch) in self.watches.iter_mut() {
                watch.reported_in = 0;
            }
        }
    }
}

impl Mechanism for IoUring {
    fn supports(&self, _mode: Mode) -> bool {
        true
    }

    fn add(&mut self, fd: RawFd, token: Token, wanted: Readiness, mode: Mode) -> Result<()> {
        self.disarm(fd);
        let watch = self.watches.get_or_make(fd);
        watch.token = token;
        watch.wanted = wanted;
        watch.mode = mode;
        watch.half_closed = false;
        self.let_be_armed(fd);
        Ok(())
    }

    fn modify(&mut self, fd: RawFd, token: Token, wanted: Readiness, mode: Mode) -> Result<()> {
        self.add(fd, token, wanted, mode)
    }

    fn remove(&mut self, fd: RawFd) -> Result<()> {
        self.disarm(fd);
        if self.has_let_go_of(fd) {
            return Ok(());
        }
        let reaped = self.take_possession().and_then(|()| {
            if self.watches.known(fd).in_old_ring {
                self.await_ends_of_old_rings();
            }
            self.reap_until(|all| all.has_let_go_of(fd))
        });
        reaped.map_err(|error| Error::system("io_uring_enter", error))
    }

    fn unwatch(&mut self, fd: RawFd) -> Result<()> {
        self.disarm(fd);
        Ok(())
    }

    fn lingers(&self, fd: RawFd) -> bool {
        !self.has_let_go_of(fd)
    }

    fn wait(&mut self, ready: &mut ReadyList, timeout: Option<Duration>) -> io::Result<()> {
        Self::wait(self, ready, timeout)
    }
}

impl Drop for IoUring {
    /// What was watched may be closed next, and its peer is to learn of it.
    fn drop(&mut self) {
        if self.forks != fork::generation() || self.outstanding == 0 {
            return;
        }
        if self.owner == ThreadNumber::known() {
            // Should it fail, the kernel ends them when the ring is closed.
            let _ = self.end_all_requests();
        } else {
            self.put_by_completions();
        }
        if self.outstanding > 0
            && let Some(end) = self.ring.end()
        {
            self.old_rings.add(end);
        }
    }
}

impl fmt::Debug for IoUring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IoUring")
            .field("ring", &self.ring)
            .field("requests", &self.outstanding)
            .finish_non_exhaustive()
    }
}
