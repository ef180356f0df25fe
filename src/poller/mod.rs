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
//!   from what the kernel has: two that cancel out cost nothing.
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

mod deadline;
mod kind;
mod mode;
mod signals;
mod slot;
mod token;

pub(crate) use deadline::Deadline;
pub use kind::Kind;
pub use mode::Mode;
pub use signals::Waker;
pub(crate) use signals::{Signalled, Signals};
pub use token::Token;

use std::fmt;
use std::io;
use std::mem;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;
use std::time::Duration;

use slab::Slab;

use crate::backend::{Backend, Engine, Mechanism, Readiness, Ready, ReadyList};
use crate::descriptor_set::DescriptorSet;
use crate::error::{Error, Result};
use crate::ops::Ops;
use crate::sys::fork;
use crate::sys::wake::WakeDescriptor;
use slot::{Slot, Step, Watched};

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
    generation: u32,
    forks: u32,
    statistics: Statistics,
}

/// What a poller has asked of the kernel since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// How often it waited, or looked without waiting.
    pub waits: u64,
    /// How often it changed what the kernel watches: additions, modifications, removals.
    pub changes: u64,
}

/// How a wait ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Waited {
    /// How many registrations were reported.
    pub reported: usize,
    /// Whether a [`Waker`] ended the wait, or would have.
    pub woken: bool,
}

impl<S: AsFd> Poller<S> {
    /// How many events one wait reports at most, unless told otherwise.
    pub const DEFAULT_CAPACITY: usize = 1024;

    /// A poller over `backend`.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the backend cannot run here; [`Error::System`] if there is no
    /// descriptor left for it or for its wakeup.
    pub fn open(backend: Backend) -> Result<Self> {
        Self::with_capacity(backend, Self::DEFAULT_CAPACITY)
    }

    /// The most that can be asked of one wait: more would only take memory.
    const LARGEST_CAPACITY: usize = 65_536;

    /// A poller whose waits report at most `capacity` events; a value outside 1 to 65536
    /// is brought into that range.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open).
    pub fn with_capacity(backend: Backend, capacity: usize) -> Result<Self> {
        fork::watch();
        let mut poller = Self {
            backend,
            mechanism: backend.open()?,
            signals: Signals::open()?,
            slots: Slab::new(),
            registered: DescriptorSet::default(),
            changed: Vec::new(),
            casualties: Vec::new(),
            ready: ReadyList::with_limit(capacity.clamp(1, Self::LARGEST_CAPACITY)),
            generation: 0,
            forks: fork::generation(),
            statistics: Statistics::default(),
        };
        poller.watch_wake_descriptor()?;
        Ok(poller)
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

    /// What it has asked of the kernel so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// A handle that ends waits.
    pub fn waker(&self) -> Waker {
        Waker::new(Arc::clone(&self.signals))
    }

    /// Registers a source, which the poller owns until it is deregistered.
    ///
    /// The kernel learns of it in the next wait, unless `interest` is empty. The descriptor
    /// should be in non-blocking mode.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidOps`] if `kind` does not have all of `interest`; [`Error::Unsupported`]
    /// if the backend does not have `mode`; [`Error::AlreadyRegistered`] if the same descriptor
    /// is registered. What the kernel objects to (a regular file, for instance) is
    /// [`Error::Refused`] by the next wait.
    ///
    /// # Panics
    ///
    /// With more than 2^32 - 1 registrations, which no system has descriptors for.
    pub fn register(&mut self, source: S, kind: Kind, interest: Ops, mode: Mode) -> Result<Token> {
        check_ops(interest, kind)?;
        self.check_mode(mode)?;
        let fd = source.as_fd().as_raw_fd();
        if !self.registered.insert(fd) {
            return Err(Error::AlreadyRegistered { fd });
        }
        // Never 0, so that no token is.
        self.generation = self.generation.checked_add(1).unwrap_or(1);
        let index = u32::try_from(self.slots.vacant_key()).expect("descriptors are 32-bit numbers");
        let token = Token::new(index, self.generation);
        self.slots
            .insert(Slot::new(source, fd, token, kind, interest, mode));
        self.queue(token);
        Ok(token)
    }

    /// Replaces the interest set. The kernel learns of it in the next wait, if it differs from
    /// what the kernel has by then.
    ///
    /// In [`Mode::OneShot`] this is how a registration that has reported is armed again.
    ///
    /// # Errors
    ///
    /// [`Error::NotRegistered`] for a token of an ended registration; [`Error::InvalidOps`] if
    /// the channel does not have all of `interest`.
    pub fn set_interest(&mut self, token: Token, interest: Ops) -> Result<()> {
        let slot = self.slot_mut(token)?;
        check_ops(interest, slot.kind())?;
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
        check_ops(slot.interest(), kind)?;
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
        if watched != Watched::Not {
            self.statistics.changes += 1;
            self.mechanism.remove(fd)?;
        }
        self.registered.remove(fd);
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
    /// are never none.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] if the kernel refused a queued change; the wait has not begun then,
    /// and a wakeup is still pending. [`Error::System`] if the wait itself failed.
    pub fn wait(
        &mut self,
        timeout: Option<Duration>,
        mut report: impl FnMut(Token, &S, Ops),
    ) -> Result<Waited> {
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

    /// As [`wait`](Self::wait), but ends for announced changes too, which the caller takes in,
    /// and counts only the events that `report` says it has taken.
    #[inline]
    pub(crate) fn wait_until(
        &mut self,
        deadline: Deadline,
        mut report: impl FnMut(Token, &mut S, Ops) -> bool,
    ) -> Result<(usize, Signalled)> {
        self.leave_parent()?;
        self.apply_changes()?;
        loop {
            let signalled = self.look(deadline)?;
            if signalled.wakeup() {
                self.signals.use_up_wakeup();
            }
            let reported = if self.ready.is_empty() {
                0
            } else {
                self.report_ready(&mut report)?
            };
            if reported > 0 || signalled.any() {
                return Ok((reported, signalled));
            }
            // A list that is full of nothing to report, such as an old wakeup, may have kept out
            // what is to be reported.
            if deadline.has_passed() && !self.ready.is_full() {
                return Ok((reported, signalled));
            }
        }
    }

    /// One wait of the mechanism, which may end early and empty-handed.
    #[inline]
    fn look(&mut self, deadline: Deadline) -> Result<Signalled> {
        // If not all have been taken, whoever was taking them panicked: what is reported only
        // once must not be lost.
        if self.ready.is_empty() {
            self.ready.clear();
            if !self.casualties.is_empty() {
                self.find_casualties_ready();
            } else if matches!(deadline, Deadline::Now) {
                self.statistics.waits += 1;
                let outcome = self.mechanism.wait(&mut self.ready, Some(Duration::ZERO));
                outcome.or_else(|error| self.survive(error))?;
            } else {
                return self.sleep(deadline);
            }
        }
        Ok(self.signals.look())
    }

    #[inline(never)]
    fn sleep(&mut self, deadline: Deadline) -> Result<Signalled> {
        self.statistics.waits += 1;
        let must_not_sleep = self.signals.fall_asleep().any();
        let timeout = if must_not_sleep {
            Some(Duration::ZERO)
        } else {
            deadline.remaining()
        };
        let outcome = self.mechanism.wait(&mut self.ready, timeout);
        let signalled = self.signals.get_up();
        outcome.or_else(|error| self.survive(error))?;
        Ok(signalled)
    }

    /// A signal handler has nothing to do with us: it does not end a wait.
    #[cold]
    fn survive(&mut self, error: io::Error) -> Result<()> {
        self.ready.clear();
        match error.kind() {
            io::ErrorKind::Interrupted => Ok(()),
            _ => Err(Error::system(self.backend.waiting_call(), error)),
        }
    }

    // Apart from the wait, which is kept short for the case that nothing is ready.
    #[inline(never)]
    fn report_ready(
        &mut self,
        report: &mut impl FnMut(Token, &mut S, Ops) -> bool,
    ) -> Result<usize> {
        let mut reported = 0;
        while let Some(Ready { token, readiness }) = self.ready.take() {
            let Some(slot) = find(&mut self.slots, token) else {
                if token == Token::WAKE {
                    quieten(&*self.mechanism, &self.signals)?;
                }
                continue;
            };
            if readiness.contains(Readiness::DEAD) {
                stop_watching(&mut *self.mechanism, slot)?;
            }
            if let Some(ops) = take_ready_ops(&mut *self.mechanism, slot, readiness)? {
                reported += usize::from(report(token, &mut slot.source, ops));
            }
        }
        Ok(reported)
    }

    /// Whoever registered a closed descriptor learns it by the error that reading or writing
    /// gives.
    #[cold]
    fn find_casualties_ready(&mut self) {
        while !self.ready.is_full()
            && let Some(token) = self.casualties.pop()
        {
            self.ready.push(token, Readiness::DEAD);
        }
    }
}

/// By itself, so that the rest of the poller can be used beside it.
#[inline]
fn find<S>(slots: &mut Slab<Slot<S>>, token: Token) -> Option<&mut Slot<S>> {
    slots
        .get_mut(token.index())
        .filter(|slot| slot.token == token)
}

/// What readiness means for a registration, if anything. A one-shot has fired by it.
#[inline]
fn take_ready_ops<S>(
    mechanism: &mut dyn Mechanism,
    slot: &mut Slot<S>,
    readiness: Readiness,
) -> Result<Option<Ops>> {
    let ops = slot.ready_ops(readiness);
    if ops.is_empty() {
        return Ok(None);
    }
    if slot.mode == Mode::OneShot {
        slot.set_interest(slot.kind(), Ops::empty());
        if mechanism.supports(Mode::OneShot) {
            slot.watched = Watched::Fired;
        } else {
            stop_watching(mechanism, slot)?;
        }
    }
    Ok(Some(ops))
}

fn stop_watching<S>(mechanism: &mut dyn Mechanism, slot: &mut Slot<S>) -> Result<()> {
    slot.watched = Watched::Not;
    mechanism.remove(slot.fd)
}

/// An edge needs no read(2) to become silent again.
fn wake_mode(mechanism: &dyn Mechanism) -> Mode {
    if mechanism.supports(Mode::Edge) {
        Mode::Edge
    } else {
        Mode::Level
    }
}

#[cold]
fn quieten(mechanism: &dyn Mechanism, signals: &Signals) -> Result<()> {
    match &*signals.descriptor() {
        Some(descriptor) if wake_mode(mechanism) == Mode::Level => descriptor.drain(),
        _ => Ok(()),
    }
}

/// The kernel's view of the registrations.
impl<S> Poller<S> {
    #[inline]
    fn apply_changes(&mut self) -> Result<()> {
        if self.changed.is_empty() {
            Ok(())
        } else {
            self.apply_each_change()
        }
    }

    fn apply_each_change(&mut self) -> Result<()> {
        let mut outcome = Ok(());
        let mut changed = mem::take(&mut self.changed);
        changed.retain(|&token| match self.apply_change(token) {
            Ok(()) => false,
            Err(refusal) => {
                if outcome.is_ok() {
                    outcome = Err(refusal);
                }
                true
            }
        });
        self.changed = changed;
        outcome
    }

    fn apply_change(&mut self, token: Token) -> Result<()> {
        let Some(slot) = find(&mut self.slots, token) else {
            return Ok(());
        };
        let step = slot.next_step();
        if step != Step::Nothing {
            self.statistics.changes += 1;
            match take_step(&mut *self.mechanism, slot, step) {
                Ok(()) => {}
                Err(error) if error.raw_os_error() == Some(libc::EBADF) => {
                    slot.watched = Watched::Not;
                    self.casualties.push(token);
                }
                Err(Error::System { call, source }) => {
                    return Err(Error::Refused {
                        token,
                        fd: slot.fd,
                        call,
                        source,
                    });
                }
                Err(error) => return Err(error),
            }
        }
        slot.queued = false;
        Ok(())
    }

    fn watch_wake_descriptor(&mut self) -> Result<()> {
        let descriptor = self.signals.descriptor();
        let descriptor = descriptor
            .as_ref()
            .expect("it is there as long as the poller is");
        let fd = descriptor.as_fd().as_raw_fd();
        let mode = wake_mode(&*self.mechanism);
        self.mechanism
            .add(fd, Token::WAKE, Readiness::READABLE, mode)
    }

    /// After fork(2) the kernel objects are shared: a change by the child would change what the
    /// parent watches. The child gets its own, once it needs them.
    #[inline]
    fn leave_parent(&mut self) -> Result<()> {
        if self.forks == fork::generation() {
            Ok(())
        } else {
            self.start_anew()
        }
    }

    #[cold]
    fn start_anew(&mut self) -> Result<()> {
        let mechanism = self.backend.open()?;
        let descriptor = WakeDescriptor::open()?;
        self.mechanism = mechanism;
        *self.signals.descriptor() = Some(descriptor);
        self.watch_wake_descriptor()?;
        self.changed.clear();
        for (_, slot) in &mut self.slots {
            slot.watched = Watched::Not;
            slot.queued = true;
            self.changed.push(slot.token);
        }
        self.forks = fork::generation();
        Ok(())
    }
}

/// Tells the kernel, and notes what it knows then.
///
/// What it says it has, or has not, is believed: epoll(7) forgets a descriptor that was closed
/// behind our back.
fn take_step<S>(mechanism: &mut dyn Mechanism, slot: &mut Slot<S>, step: Step) -> Result<()> {
    let &mut Slot {
        fd, token, mode, ..
    } = slot;
    match step {
        Step::Nothing => return Ok(()),
        Step::Add(wanted) => match mechanism.add(fd, token, wanted, mode) {
            Err(error) if error.raw_os_error() == Some(libc::EEXIST) => {
                mechanism.modify(fd, token, wanted, mode)?;
            }
            answer => answer?,
        },
        Step::Modify(wanted) => match mechanism.modify(fd, token, wanted, mode) {
            Err(error) if error.raw_os_error() == Some(libc::ENOENT) => {
                mechanism.add(fd, token, wanted, mode)?;
            }
            answer => answer?,
        },
        Step::Remove => mechanism.remove(fd)?,
    }
    slot.watched = match step {
        Step::Add(wanted) | Step::Modify(wanted) => Watched::For(wanted),
        Step::Nothing | Step::Remove => Watched::Not,
    };
    Ok(())
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
        if let Ok(slot) = self.slot_mut(token)
            && !mem::replace(&mut slot.queued, true)
        {
            self.changed.push(token);
        }
    }

    fn check_mode(&self, mode: Mode) -> Result<()> {
        if mode == Mode::OneShot || self.mechanism.supports(mode) {
            return Ok(());
        }
        Err(Error::Unsupported(format!(
            "{} has no {mode:?} mode",
            self.backend
        )))
    }

    /// Brings everything that can change up to date. The caller has checked it.
    pub(crate) fn update(
        &mut self,
        token: Token,
        kind: Kind,
        interest: Ops,
        mode: Mode,
    ) -> Result<()> {
        let slot = self.slot_mut(token)?;
        slot.set_interest(kind, interest);
        if slot.mode != mode {
            slot.replace_mode(mode);
        }
        self.queue(token);
        Ok(())
    }

    /// For the selector, whose sources carry what may change beside a channel that may not: a
    /// source that were replaced might leave a closed descriptor registered.
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
        *self.signals.descriptor() = None;
        self.registered = DescriptorSet::default();
        mem::take(&mut self.slots)
            .into_iter()
            .map(|(_, slot)| slot.source)
    }
}

fn check_ops(requested: Ops, kind: Kind) -> Result<()> {
    let valid = kind.valid_ops();
    if valid.contains(requested) {
        Ok(())
    } else {
        Err(Error::InvalidOps { requested, valid })
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
            .finish_non_exhaustive()
    }
}
