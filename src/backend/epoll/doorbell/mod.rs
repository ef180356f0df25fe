//! Knowing that nothing is ready, without asking.
//!
//! An io_uring(7) watches the epoll descriptor: the [`Wire`]. When anything that epoll watches
//! becomes ready, the kernel sets a bit in memory before the system call that made it ready
//! returns, and it stays set until the wire is settled again.
//!
//! What must hold, and where it is made to:
//!
//! 1. **Silence counts only after an empty answer.** First the wire is settled, which clears the
//!    bit, then the kernel is asked, and only if it has nothing to report silence is trusted
//!    ([`before_look`](Doorbell::before_look), [`after_look`](Doorbell::after_look)). What becomes
//!    ready in between is in the answer, or has set the bit, or both. So level triggering holds:
//!    as long as something is ready, the kernel is asked.
//! 2. **The wire stays in place.** It is a request that completes again and again. One that
//!    completes once leaves the queue of those who wait for the epoll descriptor a moment before
//!    it sets the bit; a second thread that makes something ready in that moment finds the queue
//!    empty and may return from its system call first. Of one that stays, each thread waits for
//!    the others, as they go through a queue that is locked.
//! 3. **What rings is delivered first**, by a plain question; the wire is settled in the next idle
//!    stretch. So a selector that has something to do pays nothing for settling, and learns of
//!    events as soon as without a doorbell.
//! 4. **One thread.** The ring does its work in system calls of the thread that has set it up, and
//!    the request ends with that thread. Silence counts for this thread alone; any other asks the
//!    kernel, and gets a ring of its own if it stays.
//! 5. **Whoever asks the kernel ends the trust** until the answer has turned out to be empty: a
//!    wait that blocks, and another thread's look.
//! 6. **It may be missing.** Whatever is refused is remembered as [`State::Unavailable`], and the
//!    kernel is asked as if there were no doorbell.
//! 7. **No io_uring makes a channel ready.** What it makes ready, be it by an eventfd or through
//!    another epoll descriptor, may end the request (kernels from before May 2026 do not even say
//!    so), and if it is a cooperative ring of this thread it makes nothing ready until the thread
//!    enters the kernel. So a selector with a channel that may be of that sort has no doorbell
//!    (with [`Policy::On`] the user answers for eventfds).
//!
//! A forked child is another thread, so it does not trust what its parent did.

mod channels;
mod refusals;
#[cfg(has_io_uring)]
mod spares;
#[cfg(test)]
mod tests;
#[cfg_attr(not(has_io_uring), path = "no_wire.rs")]
mod wire;

use std::fmt;
use std::io;
use std::os::fd::RawFd;
use std::sync::atomic::AtomicU32;

use crate::doorbell::{Policy, State, Statistics};
use crate::error::{Error, Result};
use crate::sys::sandbox;
use crate::sys::thread::ThreadNumber;
use refusals::Refusals;
use wire::Wire;

/// How many times more before another thread is believed to stay.
const OF_ANOTHER_THREAD: u32 = 4;

pub(super) struct Doorbell {
    /// For which thread silence means that nothing is ready. None: the kernel has to be asked.
    trusted_by: Option<ThreadNumber>,
    wire: Option<Wire>,
    answered: u64,
    rung: u64,
    rings: u64,
    policy: Policy,
    /// How many looks in a row have found nothing, all of them by the idler.
    idle: u32,
    idler: Option<ThreadNumber>,
    refusals: Refusals,
}

impl Doorbell {
    pub(super) fn new(policy: Policy) -> Self {
        Self {
            trusted_by: None,
            wire: None,
            answered: 0,
            rung: 0,
            rings: 0,
            policy,
            idle: 0,
            idler: None,
            refusals: Refusals::none_yet(policy),
        }
    }

    /// For another epoll descriptor, in place of this one's.
    pub(super) fn succeed(&self) -> Self {
        let mut successor = Self::new(self.policy);
        successor.answered = self.answered;
        successor.rung = self.rung;
        successor.rings = self.rings;
        successor.refusals = self.refusals.clone();
        successor
    }

    pub(super) fn statistics(&self) -> Statistics {
        let state = if self.policy == Policy::Off {
            State::Off
        } else if self.wire.is_some() {
            State::Armed
        } else {
            let why = self.refusals.why();
            why.map_or(State::Idle, |why| State::Unavailable(why.to_owned()))
        };
        Statistics {
            state,
            rings: self.rings,
            answered: self.answered,
            rung: self.rung,
        }
    }

    /// Whether the kernel would answer that nothing is ready.
    #[inline]
    pub(super) fn is_silent(&self) -> bool {
        self.is_trusted_here() && self.wire.as_ref().is_some_and(Wire::is_silent)
    }

    /// As [`is_silent`](Self::is_silent), instead of asking the kernel.
    #[inline]
    pub(super) fn spares_a_look(&mut self) -> bool {
        let silent = self.is_silent();
        self.answered += u64::from(silent);
        silent
    }

    /// The word that is 0 as long as [`is_silent`](Self::is_silent) is true, if it is now.
    pub(super) fn silence(&self) -> Option<&AtomicU32> {
        self.wire
            .as_ref()
            .filter(|_| self.is_silent())
            .map(Wire::word)
    }

    #[inline]
    fn is_trusted_here(&self) -> bool {
        self.trusted_by.is_some() && self.trusted_by == ThreadNumber::known()
    }

    /// To be called before the kernel is asked what is ready now.
    #[inline]
    pub(super) fn before_look(&mut self, epoll: RawFd) {
        if self.trusted_by.take().is_some() && !self.wire.as_ref().is_some_and(Wire::is_silent) {
            self.rung += 1;
            self.idle = 0;
        }
        if self.idle >= self.refusals.patience() {
            self.listen(epoll);
        }
    }

    /// To be called when the kernel has answered.
    #[inline]
    pub(super) fn after_look(&mut self, found_nothing: bool) {
        if !found_nothing {
            self.idle = 0;
        } else if self.policy != Policy::Off {
            self.note_idleness();
        }
    }

    fn note_idleness(&mut self) {
        let here = Some(ThreadNumber::current());
        if self.idler == here {
            self.idle = self.idle.saturating_add(1);
        } else {
            self.idler = here;
            self.idle = 1;
        }
        if let Some(wire) = &self.wire
            && Some(wire.owner()) == here
            && wire.is_settled()
        {
            self.trusted_by = here;
        }
    }

    /// The kernel is asked for more than what is ready now: silence does not count until the next
    /// look has found nothing.
    #[inline]
    pub(super) fn before_wait(&mut self) {
        self.trusted_by = None;
    }

    /// Has what becomes ready from now on ring, if that can be had. The kernel is to be asked
    /// next.
    #[cold]
    pub(super) fn listen(&mut self, epoll: RawFd) {
        let here = ThreadNumber::current();
        if !self.is_to_be_had() || self.refusals.is_too_early(self.idle) {
            return;
        }
        if !self.has_wire_of(here) && !self.get_wire(here) {
            return;
        }
        let Some(wire) = &mut self.wire else { return };
        // What has rung until now is not told by the wire any more.
        self.trusted_by = None;
        match wire.settle(epoll) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                // Not kept, nor told anything more: it may be one's that is a copy of this thread.
                self.wire = None;
                self.refused(&Error::system("io_uring_enter", error));
            }
            // Settling costs as much as many looks: not before each of them.
            _ if !wire.is_settled() => self.idle = 0,
            _ => self.refusals.forget(),
        }
    }

    /// To be called before a descriptor that may be one of an io_uring is watched.
    pub(super) fn examine(&mut self, fd: RawFd) {
        if self.is_to_be_had()
            && let Some(why) = channels::objection_to(fd, self.policy)
        {
            self.hang_up();
            self.refusals.note_for_good(why);
        }
    }

    fn is_to_be_had(&self) -> bool {
        self.policy != Policy::Off && !self.refusals.is_final()
    }

    fn has_wire_of(&self, thread: ThreadNumber) -> bool {
        let owner = self.wire.as_ref().map(Wire::owner);
        owner == Some(thread)
    }

    /// A wire for the thread, if it is one that stays.
    fn get_wire(&mut self, here: ThreadNumber) -> bool {
        let enough = self.refusals.patience().saturating_mul(OF_ANOTHER_THREAD);
        let stays = self.idler == Some(here) && self.idle >= enough;
        if self.wire.is_some() && !stays {
            return false;
        }
        self.hang_up();
        match self.set_up() {
            Ok(wire) => {
                self.wire = Some(wire);
                self.rings += 1;
                self.refusals.note_granted();
                true
            }
            Err(error) => {
                self.refused(&error);
                false
            }
        }
    }

    fn set_up(&self) -> Result<Wire> {
        if let Some(spare) = Wire::spare() {
            return Ok(spare);
        }
        if self.policy == Policy::Auto {
            check_for_filters()?;
        }
        Wire::open()
    }

    fn refused(&mut self, error: &Error) {
        self.idle = 0;
        self.refusals.note(error);
    }

    /// Takes the wire off the epoll descriptor.
    fn hang_up(&mut self) {
        self.trusted_by = None;
        if let Some(wire) = self.wire.take() {
            wire.retire();
        }
    }
}

/// The mildest of them would refuse the ring; the others end the process that asks for it.
fn check_for_filters() -> Result<()> {
    let filtered = sandbox::may_filter_system_calls();
    if filtered.map_err(|error| Error::system("open(/proc/thread-self/status)", error))? {
        return Err(Error::Unsupported(format!(
            "a filter of system calls is in force, and some end a process that asks for io_uring \
             (the policy {} asks)",
            Policy::On
        )));
    }
    Ok(())
}

impl Drop for Doorbell {
    fn drop(&mut self) {
        self.hang_up();
    }
}

impl fmt::Debug for Doorbell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Doorbell")
            .field("policy", &self.policy)
            .field("statistics", &self.statistics())
            .finish_non_exhaustive()
    }
}
