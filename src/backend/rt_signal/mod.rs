//! Real-time signals: `O_ASYNC` and `F_SETSIG`, see fcntl(2).
//!
//! The kernel sends the selecting thread a signal whenever something happens to an armed
//! descriptor. Such a signal is a hint and no more: it may be late, it may name a number that
//! has been reused, and what it says of the readiness is not what poll(2) says. So each wait asks
//! poll(2) about the [suspects]: the descriptors that signals have named, those that were ready
//! the last time, those that are new or have been changed, and those for which there are no
//! signals. The others cost nothing.
//!
//! Nothing is lost:
//! - a descriptor is armed first and looked at afterwards;
//! - it leaves the suspects only when poll(2) says that it is not ready, and then the next change
//!   is announced by a signal;
//! - what the kernel does not announce in full stays among the suspects (see [arming]);
//! - if the queue of signals was full, which SIGIO tells, every descriptor is looked at.

mod arming;
mod claims;
mod overflow;
mod suspects;

use std::io;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::{Mechanism, Readiness, ReadyList};
use crate::error::Result;
use crate::mode::Mode;
use crate::sys::fork;
use crate::sys::rt_signal::{self as sys, Signal, SignalQueue, ThreadId};
use crate::sys::thread::ThreadNumber;
use crate::token::Token;
use claims::{Claimant, Claims, Inbox, Notices};
use suspects::Suspects;

#[derive(Debug)]
pub(super) struct RtSignal {
    queue: SignalQueue,
    suspects: Suspects,
    inbox: Arc<Inbox>,
    claimant: Claimant,
    /// Kept for its memory.
    notices: Notices,
    owner: Option<Owner>,
    /// The thread's count of overflows when every descriptor was last looked at, or put among
    /// the suspects.
    overflows: u64,
    /// As many signals as had been lost to handlers by then.
    strays: u64,
    /// There may be hints that have been lost, or not been read yet.
    suspect_everything: bool,
    forks: u32,
}

/// The thread that the signals are sent to.
#[derive(Clone, Copy, Debug)]
struct Owner {
    number: ThreadNumber,
    thread: ThreadId,
}

/// How many descriptors are looked at between two drains of the queue, when all are: it must not
/// fill again meanwhile.
const BATCH: usize = 1024;

/// Whether there has ever been such a selector in this process.
static IN_USE: AtomicBool = AtomicBool::new(false);

/// The caller has changed what `fd` is ready for in a way that the kernel does not announce by a
/// signal: it has shut down reading.
pub(super) fn announce(fd: RawFd) {
    if IN_USE.load(Ordering::Relaxed) {
        sys::announce(fd);
    }
}

impl RtSignal {
    pub(super) fn open() -> Result<Self> {
        let queue = SignalQueue::open()?;
        let inbox = Arc::default();
        Ok(Self {
            suspects: Suspects::beside(queue.number()),
            queue,
            claimant: Claims::lock().enter(&inbox),
            inbox,
            notices: Notices::default(),
            owner: None,
            overflows: 0,
            strays: 0,
            suspect_everything: false,
            forks: fork::generation(),
        })
    }

    /// The thread that selects, which may be another than the last time. Then the signals must go
    /// to it, and what the old one got is lost.
    #[inline]
    fn settle(&mut self) -> Result<ThreadId> {
        match self.owner {
            Some(owner) if owner.number == ThreadNumber::current() => Ok(owner.thread),
            before => self.move_from(before),
        }
    }

    #[cold]
    fn move_from(&mut self, before: Option<Owner>) -> Result<ThreadId> {
        sys::catch_strays();
        sys::block_in_this_thread()?;
        IN_USE.store(true, Ordering::Relaxed);
        let thread = ThreadId::current();
        if let Some(before) = before {
            let claims = Claims::lock();
            for fd in self.suspects.numbers() {
                if self.suspects.is_armed(fd) && arming::move_to(fd, before.thread, thread).is_err()
                {
                    self.suspects.set_armed(fd, false);
                    self.suspects.suspect(fd);
                }
            }
            drop(claims);
        }
        self.owner = Some(Owner {
            number: ThreadNumber::current(),
            thread,
        });
        self.suspect_everything = true;
        Ok(thread)
    }

    /// Sees to it that `fd` is armed if it can be. One that cannot is always a suspect.
    fn arm(&mut self, fd: RawFd) -> Result<()> {
        let thread = self.settle()?;
        let mut claims = Claims::lock();
        let armed = arming::arm(fd, thread)?;
        if armed {
            claims.claim(fd, self.claimant);
        } else {
            claims.give_up(fd, self.claimant);
        }
        self.suspects.set_armed(fd, armed);
        Ok(())
    }

    fn disarm(&mut self, fd: RawFd) {
        self.suspects.set_armed(fd, false);
        let mut claims = Claims::lock();
        if let Some(owner) = self.owner
            && claims.give_up(fd, self.claimant)
        {
            arming::disarm(fd, owner.thread);
        }
    }

    fn watch(&mut self, fd: RawFd, token: Token, wanted: Readiness) -> Result<()> {
        // The bell is no file of the kind that can be armed, and the thread that opens a selector
        // need not be one that selects.
        if token != Token::WAKE
            && let Err(error) = self.see_to_arming(fd)
        {
            self.suspects.unwatch(fd);
            self.suspects.set_armed(fd, false);
            return Err(error);
        }
        self.suspects.watch(fd, token, wanted);
        Ok(())
    }

    fn see_to_arming(&mut self, fd: RawFd) -> Result<()> {
        if self.suspects.is_armed(fd) {
            if arming::holds(fd)? {
                return Ok(());
            }
            self.disarm(fd);
        }
        self.arm(fd)
    }

    /// What other selectors have left for this one.
    fn take_notices(&mut self) {
        let mut notices = std::mem::take(&mut self.notices);
        if self.inbox.take(&mut notices) {
            self.suspect_everything |= notices.everything;
            for &fd in &notices.lost {
                self.suspects.set_armed(fd, false);
            }
            for &fd in notices.lost.iter().chain(&notices.hints) {
                self.suspects.suspect(fd);
            }
        }
        self.notices = notices;
    }

    /// Asks about the suspects, and then about those that the signals name.
    fn look(&mut self, ready: &mut ReadyList, timeout: Option<Duration>) -> io::Result<()> {
        // Who does not sleep need not ask about what wakes a sleeper.
        let signalled = if timeout == Some(Duration::ZERO) && self.suspects.are_none() {
            true
        } else {
            self.suspects.ask_all(ready, timeout)?
        };
        if signalled {
            let from = self.suspects.len();
            self.take_signals()?;
            self.suspects.ask_from(from, ready)?;
        }
        Ok(())
    }

    fn look_at_everything(&mut self, ready: &mut ReadyList) -> io::Result<()> {
        self.suspect_everything = false;
        self.overflows = overflow::count();
        if self.strays != sys::strays() {
            self.strays = sys::strays();
            // It may have been this thread that somebody has given another mask.
            sys::block_in_this_thread()?;
        }
        let mut from = self.suspects.len();
        for fd in self.suspects.numbers() {
            self.suspects.suspect(fd);
            if self.suspects.len() - from >= BATCH {
                self.suspects.ask_from(from, ready)?;
                from = self.suspects.len();
                self.take_signals()?;
            }
        }
        self.suspects.ask_from(from, ready)
    }

    fn must_look_at_everything(&self) -> bool {
        self.suspect_everything
            || self.overflows != overflow::count()
            || self.strays != sys::strays()
    }

    /// Empties the queue. Whatever it says twice is looked at once.
    fn take_signals(&mut self) -> Result<()> {
        let suspects = &mut self.suspects;
        let emptied = self.queue.drain(|signal| match signal {
            Signal::Overflow => overflow::note(),
            Signal::Hint(fd) if suspects.is_armed(fd) => suspects.suspect(fd),
            Signal::Hint(fd) => Claims::lock().hand_over(fd),
        })?;
        // Nothing is lost, but a wait must see what there was before it, and end.
        self.suspect_everything |= !emptied;
        Ok(())
    }
}

impl Mechanism for RtSignal {
    fn supports(&self, mode: Mode) -> bool {
        mode == Mode::Level
    }

    fn add(&mut self, fd: RawFd, token: Token, wanted: Readiness, _mode: Mode) -> Result<()> {
        self.watch(fd, token, wanted)
    }

    fn modify(&mut self, fd: RawFd, token: Token, wanted: Readiness, _mode: Mode) -> Result<()> {
        self.watch(fd, token, wanted)
    }

    fn remove(&mut self, fd: RawFd) -> Result<()> {
        self.suspects.unwatch(fd);
        if self.suspects.is_armed(fd) {
            self.disarm(fd);
        }
        Ok(())
    }

    /// It stays armed: the signals are not heeded, and most are wanted again.
    fn unwatch(&mut self, fd: RawFd) -> Result<()> {
        self.suspects.unwatch(fd);
        Ok(())
    }

    fn lingers(&self, fd: RawFd) -> bool {
        self.suspects.is_armed(fd)
    }

    fn wait(&mut self, ready: &mut ReadyList, timeout: Option<Duration>) -> io::Result<()> {
        self.settle()?;
        self.take_notices();
        let timeout = if self.must_look_at_everything() {
            Some(Duration::ZERO)
        } else {
            timeout
        };
        self.look(ready, timeout)?;
        if self.must_look_at_everything() {
            self.look_at_everything(ready)?;
        }
        Ok(())
    }
}

impl Drop for RtSignal {
    fn drop(&mut self) {
        if self.forks != fork::generation() {
            return;
        }
        for fd in self.suspects.numbers() {
            if self.suspects.is_armed(fd) {
                self.disarm(fd);
            }
        }
        Claims::lock().leave(self.claimant);
        // What is pending counts against the user's limit, and no other selector may come by.
        if self
            .owner
            .is_some_and(|owner| owner.number == ThreadNumber::current())
        {
            let _ = self.take_signals();
        }
    }
}
