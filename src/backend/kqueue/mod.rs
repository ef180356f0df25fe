//! kqueue(2).
//!
//! # One call for a selection
//!
//! kevent(2) takes changes and waits, in this order. What the poller changes is held back until
//! the wait and rides in its call, however much it is. The changes are made from what differs
//! between what is wanted of a descriptor and what the kernel has of it
//! ([`Registration`]): what cancels out is not told at all.
//!
//! They go without `EV_RECEIPT`. With it the kernel answers each change, and having answers to
//! give it neither waits nor looks at what is ready ("without draining any pending events", says
//! FreeBSD's manual page; the code of XNU, NetBSD, OpenBSD and DragonFly does the same), so that a
//! selection with changes would need a second call. Without it, the kernel answers those alone
//! that it refuses:
//!
//! - As long as there is room in the list of events, each refused change has an entry with
//!   `EV_ERROR`, all others have been made, and the kernel has neither waited nor taken an event
//!   off its queue. The refusals are noted, and a second call, which does not wait, collects what
//!   is ready.
//! - If there is no room, the call fails at that change, and nobody says which it was. All changes
//!   are made once more, with `EV_RECEIPT` and room for each answer, which names every refusal.
//!   This is right because they may be repeated: `EV_ADD` of what is there sets it, and `EV_DELETE`
//!   of what is not there is `ENOENT`, which is no refusal.
//! - If a signal handler has interrupted the wait, all changes have been made.
//!
//! To [remove](Mechanism::remove) a descriptor is a call at once, with `EV_RECEIPT`. (If it is
//! closed next, closing would do; but whoever deregisters a source may keep it.)
//!
//! # What is reported
//!
//! - Reading and writing are two events to the kernel, and one entry of the list.
//! - An event carries the generation of its registration, and leads to it by the descriptor. If the
//!   generation is another's, the event is stale.
//! - A one-shot is dispatched (`EV_DISPATCH`) in each direction by itself. When one has reported,
//!   the other is disabled by the next call, and what it says until then is dropped.
//! - A kernel takes no more events off its queue than fit, and puts what is level-triggered back
//!   at its end. So a small list starves nobody.
//! - Some descriptors fail without the kernel's help: writing to a pipe that nobody reads is
//!   refused (`EPIPE`; NetBSD: `EBADF`), and stands for "ready, and will fail"; and the number may
//!   turn out not to be open. They take turns with the kernel's events in being first.
//!
//! # Ending
//!
//! Closing a queue does not wake who waits on it: NetBSD's sleeps on, Darwin's deadlocked
//! (openradar 16814). It is never closed during a wait, which borrows the mechanism; whoever wants
//! to end the poller announces it (`Signals::announce_end`), which rings the bell first.

mod bell;
mod registration;
#[cfg(all(test, target_os = "linux", feature = "doubles"))]
mod tests;

use std::collections::VecDeque;
use std::io;
use std::mem;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::time::Duration;

use self::bell::UserBell;
use self::registration::{Registration, Side};
use super::{Mechanism, Readiness, ReadyList, index};
use crate::error::{Error, Result};
use crate::mode::Mode;
use crate::sys::descriptor;
use crate::sys::kqueue::types::EVFILT_USER;
use crate::sys::kqueue::{self, Event, Queue};
use crate::sys::wake::Bell;
use crate::token::Token;

pub(super) struct Kqueue {
    queue: Arc<Queue>,
    /// By descriptor.
    registrations: Vec<Registration>,
    /// Descriptors of which the kernel may be told something.
    touched: Vec<RawFd>,
    /// Descriptors that fail without the kernel's help.
    failing: VecDeque<RawFd>,
    /// Whether those were first in the last list.
    failing_first: bool,
    /// What the kernel has refused and nobody has been told yet.
    refused: Vec<(Token, i32)>,
    /// The number of the wait, never 0.
    round: u32,
    changes: Vec<Event>,
    events: Vec<Event>,
}

impl std::fmt::Debug for Kqueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kqueue")
            .field("queue", &self.queue)
            .finish_non_exhaustive()
    }
}

impl Kqueue {
    pub(super) fn open() -> Result<Self> {
        Ok(Self {
            queue: Arc::new(Queue::open()?),
            registrations: Vec::new(),
            touched: Vec::new(),
            failing: VecDeque::new(),
            failing_first: false,
            refused: Vec::new(),
            round: 0,
            changes: Vec::new(),
            events: Vec::new(),
        })
    }

    fn registration_mut(&mut self, fd: RawFd) -> &mut Registration {
        let index = index(fd);
        if self.registrations.len() <= index {
            self.registrations
                .resize_with(index + 1, Registration::default);
        }
        &mut self.registrations[index]
    }

    fn set(&mut self, fd: RawFd, token: Token, wanted: Readiness, mode: Mode) {
        let registration = self.registration_mut(fd);
        registration.want(token, wanted, mode);
        if registration.wants(Side::Write) && registration.is_deaf_sink.is_none() {
            registration.is_deaf_sink = Some(kqueue::is_deaf_sink(fd));
        }
        self.touch(fd);
    }

    fn touch(&mut self, fd: RawFd) {
        if !mem::replace(&mut self.registrations[index(fd)].is_touched, true) {
            self.touched.push(fd);
        }
    }

    /// So that what an earlier wait has reported is not taken for reported by this one.
    fn begin_round(&mut self) {
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            for registration in &mut self.registrations {
                registration.forget_round();
            }
            1
        });
    }

    /// Makes the list of all that the kernel must be told.
    fn gather_changes(&mut self) {
        self.changes.clear();
        for fd in self.touched.drain(..) {
            let registration = &mut self.registrations[index(fd)];
            registration.is_touched = false;
            registration.push_changes(fd, &mut self.changes);
        }
    }

    /// Tells the kernel of the changes, and reports what it finds ready.
    fn ask(&mut self, ready: &mut ReadyList, timeout: Option<Duration>) -> io::Result<()> {
        let room = ready.limit().saturating_sub(ready.len());
        if room == 0 {
            return self.make_changes();
        }
        let answer = self
            .queue
            .wait(&self.changes, &mut self.events, room, timeout);
        match answer {
            Ok(()) if self.take_events(ready) == Refusals::None => return Ok(()),
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) if self.changes.is_empty() => return Err(error),
            Err(_) => self.make_changes()?,
        }
        let at_once = Some(Duration::ZERO);
        self.queue.wait(&[], &mut self.events, room, at_once)?;
        self.take_events(ready);
        Ok(())
    }

    /// Makes the changes and nothing else, and notes what becomes of each.
    #[cold]
    fn make_changes(&mut self) -> io::Result<()> {
        if self.changes.is_empty() {
            return Ok(());
        }
        let mut changes = mem::take(&mut self.changes);
        let outcome = self.queue.submit(&mut changes);
        for change in &changes {
            match change.outcome() {
                _ if outcome.is_err() => self.doubt(change),
                None | Some(0) => {}
                Some(errno) => self.note_refusal(change, errno),
            }
        }
        self.changes = changes;
        outcome
    }

    /// It will be told once more.
    fn doubt(&mut self, change: &Event) {
        if let Some(side) = Side::of_filter(change.filter()) {
            self.registrations[change.ident()].doubt(side);
            self.touch(descriptor_of(change));
        }
    }

    fn take_events(&mut self, ready: &mut ReadyList) -> Refusals {
        let mut refusals = Refusals::None;
        let events = mem::take(&mut self.events);
        for event in &events {
            match event.outcome() {
                None => self.report(event, ready),
                Some(0) => {}
                Some(errno) => {
                    refusals = Refusals::Some;
                    self.note_refusal(event, errno);
                }
            }
        }
        self.events = events;
        refusals
    }

    fn report(&mut self, event: &Event, ready: &mut ReadyList) {
        let Some(side) = Side::of_filter(event.filter()) else {
            if event.filter() == EVFILT_USER {
                ready.push(Token::WAKE, Readiness::READABLE);
            }
            return;
        };
        if let Some(registration) = self.registrations.get_mut(event.ident())
            && registration.report(side, event, ready, self.round)
        {
            self.touch(descriptor_of(event));
        }
    }

    #[cold]
    fn note_refusal(&mut self, change: &Event, errno: i32) {
        let fd = descriptor_of(change);
        let Some(side) = Side::of_filter(change.filter()) else {
            return;
        };
        let Some(registration) = self.registrations.get_mut(change.ident()) else {
            return;
        };
        match errno {
            // What is not there needs not be deleted or disabled.
            libc::ENOENT => {}
            _ if !registration.wants(side) => registration.note_absent(side),
            libc::EBADF if !descriptor::is_open(fd) => {
                registration.note_dead();
                self.list_as_failing(fd);
            }
            libc::EPIPE | libc::EBADF if side == Side::Write => {
                registration.note_broken();
                self.list_as_failing(fd);
            }
            _ => {
                registration.note_absent(side);
                let token = registration.token();
                self.refused.push((token, errno));
                if token != Token::WAKE {
                    registration.want_nothing();
                }
                // The kernel may have taken the other direction; the bell is tried again.
                self.touch(fd);
            }
        }
    }

    fn list_as_failing(&mut self, fd: RawFd) {
        if !mem::replace(&mut self.registrations[index(fd)].is_failing, true) {
            self.failing.push_back(fd);
        }
    }

    /// Drops those that have been changed since.
    fn prune_failing(&mut self) {
        let registrations = &mut self.registrations;
        self.failing.retain(|&fd| {
            let registration = &mut registrations[index(fd)];
            registration.is_failing = registration.failure().is_some();
            registration.is_failing
        });
    }

    fn report_failing(&mut self, ready: &mut ReadyList) {
        for _ in 0..self.failing.len() {
            let Some(fd) = self.failing.pop_front() else {
                return;
            };
            let registration = &mut self.registrations[index(fd)];
            if !registration.report_failure(ready, self.round) {
                self.failing.push_front(fd);
                return;
            }
            registration.is_failing = registration.fails_again();
            if registration.is_failing {
                self.failing.push_back(fd);
            }
            if registration.must_be_silenced() {
                self.touch(fd);
            }
        }
    }
}

/// Whether the kernel has refused anything.
#[derive(PartialEq, Eq)]
enum Refusals {
    None,
    Some,
}

impl Mechanism for Kqueue {
    fn supports(&self, _mode: Mode) -> bool {
        true
    }

    fn open_bell(&mut self) -> Result<Box<dyn Bell>> {
        match UserBell::hang(&self.queue) {
            Ok(bell) => Ok(Box::new(bell)),
            Err(_) => super::open_wake_descriptor(self),
        }
    }

    fn add(&mut self, fd: RawFd, token: Token, wanted: Readiness, mode: Mode) -> Result<()> {
        // The number may have been another file's.
        self.registration_mut(fd).is_deaf_sink = None;
        self.set(fd, token, wanted, mode);
        Ok(())
    }

    fn modify(&mut self, fd: RawFd, token: Token, wanted: Readiness, mode: Mode) -> Result<()> {
        self.set(fd, token, wanted, mode);
        Ok(())
    }

    fn remove(&mut self, fd: RawFd) -> Result<()> {
        let Some(registration) = self.registrations.get_mut(index(fd)) else {
            return Ok(());
        };
        self.changes.clear();
        registration.push_deletions(fd, &mut self.changes);
        if !self.changes.is_empty() {
            let made = self.queue.submit(&mut self.changes);
            made.map_err(|error| Error::system("kevent", error))?;
        }
        for deletion in &self.changes {
            match deletion.outcome() {
                // It has been closed behind our back.
                None | Some(0 | libc::ENOENT | libc::EBADF) => {}
                Some(errno) => {
                    let reason = io::Error::from_raw_os_error(errno);
                    return Err(Error::system("kevent(EV_DELETE)", reason));
                }
            }
        }
        registration.forget();
        Ok(())
    }

    fn unwatch(&mut self, fd: RawFd) -> Result<()> {
        if let Some(registration) = self.registrations.get_mut(index(fd)) {
            registration.want_nothing();
            self.touch(fd);
        }
        Ok(())
    }

    fn lingers(&self, fd: RawFd) -> bool {
        self.registrations
            .get(index(fd))
            .is_some_and(Registration::is_in_kernel)
    }

    fn wait(&mut self, ready: &mut ReadyList, timeout: Option<Duration>) -> io::Result<()> {
        self.begin_round();
        self.gather_changes();
        self.prune_failing();
        self.failing_first = !self.failing.is_empty() && !self.failing_first;
        let timeout = if self.failing.is_empty() && self.refused.is_empty() {
            timeout
        } else {
            Some(Duration::ZERO)
        };
        if self.failing_first {
            self.report_failing(ready);
        }
        let answer = self.ask(ready, timeout);
        self.report_failing(ready);
        for (token, errno) in self.refused.drain(..) {
            ready.refuse(token, errno);
        }
        // What has been found is handed out first: the kernel will fail again.
        if ready.is_empty() { answer } else { Ok(()) }
    }
}

fn descriptor_of(event: &Event) -> RawFd {
    RawFd::try_from(event.ident()).expect("it was made of a descriptor")
}
