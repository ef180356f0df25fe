//! The layer under the selector, for bindings to other languages and for those who want tokens
//! and no key sets.
//!
//! A [`Poller`] knows which descriptor is registered under which [`Token`], what it is interested
//! in and what the kernel has been told. It has no Java rules: there are no keys and no selected
//! set. What it guarantees:
//!
//! - **Registrations own their source** until they end, so a closed descriptor is never watched.
//!   When [`deregister`](Poller::deregister) gives the source back, the kernel has forgotten it.
//! - **No stale event.** Tokens have generations; what is left of an ended registration is
//!   dropped.
//! - **Interest changes are queued** and applied in bulk by the next wait, as far as they differ
//!   from what the kernel has: two that cancel out cost nothing. (Edges are told it in any case.)
//! - **Nothing is watched that nobody is interested in**: a hang-up of a descriptor with an empty
//!   interest set is silence, not a busy loop.
//! - **Timeouts are deadlines**: never short, rounded up to what the mechanism can count,
//!   resumed after a signal handler, clamped where the kernel has a limit.
//! - **One bounded buffer.** A wait reports at most its capacity; the others come first next
//!   time. Nothing is allocated per event.
//!
//! ```
//! use std::io::Write;
//! use std::os::unix::net::UnixStream;
//! use std::time::Duration;
//!
//! use nioselect::poller::{Kind, Mode, Poller};
//! use nioselect::{Backend, Ops};
//!
//! let (ours, mut theirs) = UnixStream::pair()?;
//! ours.set_nonblocking(true)?;
//! let mut poller = Poller::open(Backend::preferred()?)?;
//! let token = poller.register(ours, Kind::Connected, Ops::READ, Mode::Level)?;
//!
//! theirs.write_all(b"hello")?;
//! let mut seen = Vec::new();
//! poller.wait(Some(Duration::from_secs(5)), |token, _source, ready| seen.push((token, ready)))?;
//! assert_eq!(seen, [(token, Ops::READ)]);
//!
//! let _ours: UnixStream = poller.deregister(token)?;
//! # Ok::<(), std::io::Error>(())
//! ```

pub(crate) mod connection;
mod deadline;
mod inspect;
mod kernel;
mod kind;
mod options;
mod signals;
mod slot;
mod spin;
mod waiting;

pub(crate) use deadline::Deadline;
pub use kind::Kind;
pub use options::Options;
pub(crate) use signals::Signals;
pub use signals::Waker;

use std::fmt;
use std::mem;
use std::os::fd::{AsFd, AsRawFd};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use slab::Slab;

use crate::backend::{self, Backend, Engine, ReadyList};
use crate::doorbell::{self, Policy};
use crate::error::{Error, Result};
pub use crate::mode::Mode;
use crate::ops::Ops;
use crate::sys::descriptor_set::DescriptorSet;
use crate::sys::fork;
pub use crate::token::Token;
use crate::wish::Wish;
use slot::{Slot, Watched};
use spin::Spin;

/// Registrations of sources of type `S`, and the wait for one of them to become ready.
///
/// One thread at a time waits and changes registrations; any thread [wakes](Waker) it. The
/// [module](self) tells what it guarantees.
pub struct Poller<S> {
    backend: Backend,
    mechanism: Engine,
    signals: Arc<Signals>,
    slots: Slab<Slot<S>>,
    registered: DescriptorSet,
    /// Slots whose interest may differ from what the kernel has.
    changed: Vec<Token>,
    /// Slots whose descriptor turned out to be closed, which nobody has been told yet.
    casualties: Vec<Token>,
    ready: ReadyList,
    /// Whether nothing has changed since the kernel was asked, and nothing is left to be told.
    answer_is_current: bool,
    spin: Spin,
    generation: u32,
    forks: u32,
    statistics: Statistics,
}

/// What a poller has asked of its mechanism since it was opened. With epoll(7) each was a system
/// call; others gather changes for the wait, or find without one that there is nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// How often it waited, or looked without waiting, also if a [doorbell]
    /// spared the look.
    pub waits: u64,
    /// How often it changed, or tried to change, what the kernel watches: additions,
    /// modifications, removals.
    pub changes: u64,
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waited {
    /// How many registrations were reported.
    pub reported: usize,
    /// Whether a [`Waker`] ended the wait, or would have.
    pub woken: bool,
}

impl<S: AsFd> Poller<S> {
    /// A poller over `backend`, as [`Options`] make it when they are not told otherwise.
    ///
    /// # Errors
    ///
    /// As [`Options::open`].
    pub fn open(backend: Backend) -> Result<Self> {
        Options::new().open(backend)
    }

    fn open_with(backend: Backend, options: &Options, policy: Policy) -> Result<Self> {
        fork::watch();
        let mut mechanism = backend.open()?;
        mechanism.set_doorbell(policy);
        let bell = mechanism.open_bell()?;
        Ok(Self {
            backend,
            mechanism,
            signals: Arc::new(Signals::new(bell)),
            slots: Slab::new(),
            registered: DescriptorSet::default(),
            changed: Vec::new(),
            casualties: Vec::new(),
            ready: ReadyList::with_limit(options.capacity),
            answer_is_current: false,
            spin: Spin::new(options.spin),
            generation: 0,
            forks: fork::generation(),
            statistics: Statistics::default(),
        })
    }

    /// The backend in use.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// Whether registrations can have this mode.
    pub fn supports(&self, mode: Mode) -> bool {
        mode == Mode::OneShot || self.mechanism.supports(mode)
    }

    /// How many registrations there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is no registration.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// What the poller has asked of its mechanism so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// What the [doorbell] has done so far.
    pub fn doorbell(&self) -> doorbell::Statistics {
        self.mechanism.doorbell()
    }

    /// What to look at instead of calling [`wait`](Self::wait) without a timeout to wait for, if
    /// there is something: the last wait has found nothing, nothing has been changed since, and
    /// the [doorbell] has not rung.
    ///
    /// This is for bindings to languages from where a call is dear. Until a method changes the
    /// poller, and for the calling thread alone, a wait would find nothing as long as both words
    /// are 0. The first stays where it is as long as the poller or a [`Waker`] of it is there, the
    /// second until a method changes the poller.
    ///
    /// They must not be written: to the second the process has no right. Rust allows relaxed loads
    /// alone of such memory, so they are to be read with `Ordering::Relaxed`, and then
    /// `fence(Ordering::Acquire)`.
    pub fn silence(&self) -> Option<[*const AtomicU32; 2]> {
        let rung = self
            .mechanism
            .silence()
            .filter(|_| self.answer_is_current)?;
        let signalled = self.signals.word();
        let is_silent = signalled.load(Ordering::Acquire) == 0;
        is_silent.then_some([signalled, rung].map(ptr::from_ref))
    }

    /// A handle that ends waits.
    pub fn waker(&self) -> Waker {
        Waker::new(Arc::clone(&self.signals))
    }

    /// Registers a source, which the poller owns until it is deregistered.
    ///
    /// The kernel learns of it in the next wait, unless `interest` is empty. The descriptor
    /// should be in non-blocking mode; [`Kind::of`] tells its kind. If it cannot be registered,
    /// the source is dropped: register an [`Arc`] of it to keep it.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidOps`] if `kind` does not have all of `interest`; [`Error::Unsupported`]
    /// if the backend does not have `mode`; [`Error::AlreadyRegistered`] if the same descriptor
    /// is registered. What the kernel objects to is [`Error::Refused`] by the next wait; whether
    /// it objects to regular files differs between backends, and [`Kind::of`] refuses them all.
    ///
    /// # Panics
    ///
    /// With more than 2^32 - 1 registrations, which no system has descriptors for.
    pub fn register(&mut self, source: S, kind: Kind, interest: Ops, mode: Mode) -> Result<Token> {
        interest.check_against(kind.valid_ops())?;
        self.check_mode(mode)?;
        self.register_checked(source, kind, Wish { interest, mode })
    }

    /// For the selector, which has checked the operations, with the kind that the channel was.
    pub(crate) fn register_checked(&mut self, source: S, kind: Kind, wish: Wish) -> Result<Token> {
        let fd = source.as_fd().as_raw_fd();
        if !self.registered.insert(fd) {
            return Err(Error::AlreadyRegistered { fd });
        }
        if kind == Kind::Other {
            self.mechanism.examine(fd);
        }
        // Never 0, so that no token is.
        self.generation = self.generation.checked_add(1).unwrap_or(1);
        let index = u32::try_from(self.slots.vacant_key()).expect("descriptors are 32-bit numbers");
        let token = Token::new(index, self.generation);
        self.slots.insert(Slot::new(source, fd, token, kind, wish));
        self.queue(token);
        Ok(token)
    }

    /// Replaces the interest set. The kernel learns of it in the next wait, if it differs from
    /// what the kernel has by then.
    ///
    /// In [`Mode::OneShot`] this is how a registration that has reported is armed again. In
    /// [`Mode::Edge`] the kernel is told in any case, and reports what is there once more.
    ///
    /// # Errors
    ///
    /// [`Error::NotRegistered`] for a token of an ended registration; [`Error::InvalidOps`] if
    /// the channel does not have all of `interest`.
    pub fn set_interest(&mut self, token: Token, interest: Ops) -> Result<()> {
        let slot = self.slot_mut(token)?;
        interest.check_against(slot.kind().valid_ops())?;
        slot.set_interest(slot.kind(), interest);
        self.queue(token);
        Ok(())
    }

    /// Tells that a stream socket has begun to connect, has connected or has failed to.
    ///
    /// # Errors
    ///
    /// [`Error::NotRegistered`] for a token of an ended registration; [`Error::InvalidOps`] if
    /// the interest set has operations that `kind` does not allow.
    pub fn set_kind(&mut self, token: Token, kind: Kind) -> Result<()> {
        let slot = self.slot_mut(token)?;
        slot.interest().check_against(kind.valid_ops())?;
        slot.set_interest(kind, slot.interest());
        self.queue(token);
        Ok(())
    }

    /// Replaces the mode. The kernel learns of it in the next wait.
    ///
    /// # Errors
    ///
    /// [`Error::NotRegistered`] for a token of an ended registration; [`Error::Unsupported`] if
    /// the backend does not have the mode.
    pub fn set_mode(&mut self, token: Token, mode: Mode) -> Result<()> {
        self.check_mode(mode)?;
        let slot = self.slot_mut(token)?;
        if slot.mode != mode {
            slot.replace_mode(mode);
            self.queue(token);
        }
        Ok(())
    }

    /// Ends a registration and gives its source back: the kernel does not watch it any more,
    /// and no later wait reports it.
    ///
    /// # Errors
    ///
    /// [`Error::NotRegistered`] for a token of an ended registration. A kernel that cannot
    /// forget a descriptor is [`Error::System`]; the registration stays.
    pub fn deregister(&mut self, token: Token) -> Result<S> {
        self.leave_parent()?;
        let slot = self.slot(token)?;
        let (fd, watched) = (slot.fd, slot.watched);
        if watched != Watched::Not || self.mechanism.lingers(fd) {
            self.statistics.changes += 1;
            self.mechanism.remove(fd)?;
        }
        self.registered.remove(fd);
        self.answer_is_current = false;
        self.casualties.retain(|&other| other != token);
        Ok(self.slots.remove(token.index()).source)
    }

    /// The source of a registration.
    #[inline]
    pub fn source(&self, token: Token) -> Option<&S> {
        self.find(token).map(|slot| &slot.source)
    }

    /// Every registration.
    pub fn iter(&self) -> impl Iterator<Item = (Token, &S)> {
        self.slots
            .iter()
            .map(|(_, slot)| (slot.token, &slot.source))
    }

    /// Waits until a registration is ready, a [`Waker`] wakes it or `timeout` has passed
    /// (`None`: for ever; zero: does not wait at all), and calls `report` for each that is ready
    /// with its token, its source and the operations of its interest set that are ready, which
    /// are never none. `report` cannot use the poller: it notes the tokens for later.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] if the kernel refused a queued change. It has not waited then, but has
    /// reported what was ready; a wakeup is still pending. [`Error::System`] if the wait itself
    /// failed.
    pub fn wait(
        &mut self,
        timeout: Option<Duration>,
        mut report: impl FnMut(Token, &S, Ops),
    ) -> Result<Waited> {
        if timeout == Some(Duration::ZERO) && self.finds_nothing() {
            return Ok(Waited::default());
        }
        let (reported, signalled) =
            self.wait_until(Deadline::after(timeout), |token, source, ops| {
                report(token, source, ops);
                true
            })?;
        Ok(Waited {
            reported,
            woken: signalled.wakeup(),
        })
    }
}

/// Tells the pollers of this process that `source` has been shut down for reading on this side,
/// by shutdown(2).
///
/// Only [`Backend::RtSignal`] needs to be told: the kernel announces by a signal what the peer
/// does, but not this. The channels of this crate do it by themselves.
pub fn reading_has_ended(source: impl AsFd) {
    backend::reading_has_ended(source.as_fd());
}

/// By itself, so that the rest of the poller can be used beside it.
#[inline]
fn find<S>(slots: &mut Slab<Slot<S>>, token: Token) -> Option<&mut Slot<S>> {
    slots
        .get_mut(token.index())
        .filter(|slot| slot.token == token)
}

impl<S> Poller<S> {
    #[inline]
    fn find(&self, token: Token) -> Option<&Slot<S>> {
        self.slots
            .get(token.index())
            .filter(|slot| slot.token == token)
    }

    fn slot(&self, token: Token) -> Result<&Slot<S>> {
        self.find(token).ok_or(Error::NotRegistered(token))
    }

    fn slot_mut(&mut self, token: Token) -> Result<&mut Slot<S>> {
        find(&mut self.slots, token).ok_or(Error::NotRegistered(token))
    }

    fn queue(&mut self, token: Token) {
        self.answer_is_current = false;
        if let Ok(slot) = self.slot_mut(token)
            && !mem::replace(&mut slot.queued, true)
        {
            if self.changed.len() > 2 * self.slots.len() {
                self.forget_changes_of_ended_registrations();
            }
            self.changed.push(token);
        }
    }

    /// Otherwise the list would grow as long as registrations come and go and nobody waits.
    #[cold]
    fn forget_changes_of_ended_registrations(&mut self) {
        let slots = &mut self.slots;
        self.changed.retain(|&token| find(slots, token).is_some());
    }

    fn check_mode(&self, mode: Mode) -> Result<()> {
        if mode == Mode::OneShot || self.mechanism.supports(mode) {
            return Ok(());
        }
        Err(mode.unsupported_by(self.backend))
    }

    /// Brings everything that can change up to date. The caller has checked it.
    pub(crate) fn update(&mut self, token: Token, kind: Kind, wish: Wish) -> Result<()> {
        let slot = self.slot_mut(token)?;
        slot.set_interest(kind, wish.interest);
        if slot.mode != wish.mode {
            slot.replace_mode(wish.mode);
        }
        self.queue(token);
        Ok(())
    }

    /// For the selector, whose sources carry what may change beside a channel that may not: a
    /// source that could be replaced might leave a closed descriptor registered.
    #[inline]
    pub(crate) fn source_mut(&mut self, token: Token) -> Option<&mut S> {
        find(&mut self.slots, token).map(|slot| &mut slot.source)
    }

    /// As [`source_mut`](Self::source_mut).
    pub(crate) fn sources_mut(&mut self) -> impl Iterator<Item = &mut S> {
        self.slots.iter_mut().map(|(_, slot)| &mut slot.source)
    }

    pub(crate) fn signals(&self) -> &Arc<Signals> {
        &self.signals
    }

    /// Ends all registrations at once and gives the sources back. Nothing can be waited for any
    /// more.
    pub(crate) fn end(&mut self) -> impl Iterator<Item = S> + use<S> {
        // The kernel's set goes away whole, and before the descriptors in it can be closed. (A
        // forked child leaves its parent's registrations alone by this.)
        self.mechanism = Backend::without_kernel_state();
        *self.signals.bell() = None;
        self.registered = DescriptorSet::default();
        mem::take(&mut self.slots)
            .into_iter()
            .map(|(_, slot)| slot.source)
    }
}

impl<S> Drop for Poller<S> {
    fn drop(&mut self) {
        drop(self.end());
    }
}

impl<S> fmt::Debug for Poller<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Poller")
            .field("backend", &self.backend)
            .field("registrations", &self.slots.len())
            .field("statistics", &self.statistics)
            .field("doorbell", &self.mechanism.doorbell())
            .finish_non_exhaustive()
    }
}
