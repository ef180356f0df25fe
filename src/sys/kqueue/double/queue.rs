//! A kqueue: its knotes, and the queue of those that are ready.

use std::collections::{HashMap, VecDeque};
use std::os::fd::{BorrowedFd, RawFd};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Events;
use super::flavour::Flavour;
use super::kind::Kind;
use super::knote::{Filter, Key, Knote};
use super::linux::{self, Errno};
use super::wakeups::{Wakeup, Wakeups};
use crate::sys::kqueue::types::{EV_ADD, EV_DELETE, EV_DISABLE, EV_ENABLE, Kevent};

#[derive(Debug)]
pub(super) struct Queue {
    flavour: Flavour,
    wakeups: Wakeups,
    /// Wakeups are collected only by who has this lock: no thread keeps one to itself.
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    knotes: HashMap<Key, Knote>,
    /// A knote that is put back goes behind all others. What is here without being queued has
    /// been deleted since.
    ready: VecDeque<Queued>,
    /// How many knotes are queued.
    ready_count: usize,
    /// The next place.
    end: u64,
    last_serial: u32,
    /// Knotes of files that no wakeup comes from.
    unwoken: Vec<Key>,
    shows_ready: bool,
    closed: bool,
    collected: Vec<Wakeup>,
}

/// It is the place that a knote knows, or else the knote is queued no longer.
#[derive(Clone, Copy, Debug)]
struct Queued {
    key: Key,
    place: u64,
}

impl State {
    /// Takes the first from the queue, if it was put there before the place `end`.
    fn take_first(&mut self, end: u64) -> Option<Key> {
        loop {
            let first = *self.ready.front().filter(|first| first.place < end)?;
            self.ready.pop_front();
            if let Some(knote) = self.knotes.get_mut(&first.key)
                && knote.place == Some(first.place)
            {
                knote.place = None;
                self.ready_count -= 1;
                return Some(first.key);
            }
        }
    }

    fn forget_the_deleted(&mut self) {
        if self.ready.len() > 2 * self.ready_count + 64 {
            let knotes = &self.knotes;
            self.ready.retain(|queued| {
                let knote = knotes.get(&queued.key);
                knote.is_some_and(|knote| knote.place == Some(queued.place))
            });
        }
    }
}

impl Queue {
    pub(super) fn open(flavour: Flavour) -> Result<Self, Errno> {
        Ok(Self {
            flavour,
            wakeups: Wakeups::open()?,
            state: Mutex::default(),
        })
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.wakeups.as_fd()
    }

    pub(super) fn raw_descriptors(&self) -> [RawFd; 3] {
        self.wakeups.raw()
    }

    fn change(&self) -> Changing<'_> {
        Changing {
            queue: self,
            state: self.state.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Whoever waits sleeps on, as on the real thing, but there is nothing to wait for.
    pub(super) fn close(&self) {
        self.change().close();
    }

    /// How many knotes are queued, as a kqueue that watches this one reports it.
    pub(super) fn ready_count(&self) -> i64 {
        let mut changing = self.change();
        changing.collect();
        i64::try_from(changing.state.ready_count).unwrap_or(i64::MAX)
    }

    pub(super) fn apply(&self, change: &Kevent) -> Result<(), Errno> {
        self.change().apply(change)
    }

    /// Until something can be reported or the time is over.
    pub(super) fn wait(&self, events: &mut Events, timeout: Option<Duration>) -> Result<(), Errno> {
        let end = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        loop {
            let mut changing = self.change();
            changing.collect();
            changing.scan(events);
            let is_closed = changing.state.closed;
            drop(changing);
            if events.used > 0 {
                return Ok(());
            }
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Ok(());
            }
            let waited_for = (!is_closed).then(|| self.wakeups.waitable());
            linux::sleep(waited_for, left)?;
        }
    }
}

/// The lock on a queue. When it is let go, whoever waits in another thread learns whether
/// anything is ready.
struct Changing<'a> {
    queue: &'a Queue,
    state: MutexGuard<'a, State>,
}

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        let ready = self.state.ready_count > 0;
        if self.state.shows_ready != ready {
            self.state.shows_ready = ready;
            self.queue.wakeups.show_ready(ready);
        }
    }
}

impl Changing<'_> {
    fn flavour(&self) -> Flavour {
        self.queue.flavour
    }

    fn close(&mut self) {
        *self.state = State {
            closed: true,
            shows_ready: self.state.shows_ready,
            ..State::default()
        };
    }

    // Changes.

    fn apply(&mut self, change: &Kevent) -> Result<(), Errno> {
        let filter = Filter::of(change, self.flavour())?;
        let key = Key {
            ident: change.ident,
            filter,
        };
        if filter != Filter::User {
            self.forget_if_closed(descriptor(key)?)?;
        }
        let is_known = self.state.knotes.contains_key(&key);
        if !is_known && change.flags & EV_ADD == 0 {
            return Err(libc::ENOENT);
        }
        if !is_known {
            self.add(key, change)?;
        } else if change.flags & EV_DELETE != 0 {
            self.delete(key);
            return Ok(());
        }
        match self.flavour() {
            Flavour::FreeBsd => self.touch_as_freebsd(key, change, is_known),
            Flavour::NetBsd => self.touch_as_netbsd(key, change, is_known),
        }
        Ok(())
    }

    /// What a close has left behind: the kernel would have dropped it then.
    fn forget_if_closed(&mut self, fd: RawFd) -> Result<(), Errno> {
        let is_open = linux::is_open(fd);
        for filter in [Filter::Read, Filter::Write] {
            let key = Key {
                ident: fd as usize,
                filter,
            };
            if !(is_open && self.is_current(key)) {
                self.forget(key);
            }
        }
        if is_open { Ok(()) } else { Err(libc::EBADF) }
    }

    /// Whether the number still means the file that the knote was made for. There is nothing to
    /// ask if there is no knote, and for an `EVFILT_USER`.
    fn is_current(&self, key: Key) -> bool {
        let (Some(knote), Ok(fd)) = (self.state.knotes.get(&key), descriptor(key)) else {
            return true;
        };
        match knote.kind {
            Kind::User => true,
            Kind::Regular { .. } => knote.kind.is_regular_file(fd),
            _ => self.queue.wakeups.is_watched(fd, key.filter),
        }
    }

    fn add(&mut self, key: Key, change: &Kevent) -> Result<(), Errno> {
        self.state.last_serial = self.state.last_serial.checked_add(1).ok_or(libc::ENOMEM)?;
        let serial = self.state.last_serial;
        let kind = match key.filter {
            Filter::User => Kind::User,
            Filter::Read | Filter::Write => self.attach(descriptor(key)?, key.filter, serial)?,
        };
        if matches!(kind, Kind::Regular { .. }) {
            self.state.unwoken.push(key);
        }
        let knote = Knote::new(key, change, self.flavour(), serial, kind);
        self.state.knotes.insert(key, knote);
        Ok(())
    }

    fn attach(&mut self, fd: RawFd, filter: Filter, serial: u32) -> Result<Kind, Errno> {
        let kind = Kind::of(fd)?;
        kind.check(fd, filter, self.flavour())?;
        let watched = self.queue.wakeups.watch(fd, filter, serial);
        match (watched, &kind) {
            (Err(libc::EPERM), Kind::Regular { .. }) => return Ok(kind),
            // A device that is always ready, which macOS refuses.
            (Err(libc::EPERM), _) => return Err(libc::EINVAL),
            (watched, _) => watched?,
        }
        // Linux reports what is ready from the start as if it had just become so. It is taken
        // away before the knote exists.
        self.collect();
        Ok(kind)
    }

    fn touch_as_freebsd(&mut self, key: Key, change: &Kevent, was_known: bool) {
        let Some(knote) = self.state.knotes.get_mut(&key) else {
            return;
        };
        if was_known {
            knote.touch(change);
        }
        if change.flags & EV_ENABLE != 0 {
            knote.disabled = false;
        } else if change.flags & EV_DISABLE != 0 {
            knote.disabled = true;
        }
        if !knote.disabled {
            self.activate_if_ready(key);
            self.enqueue_if_active(key);
        }
    }

    /// Enabling does not ask the filter, adding does.
    fn touch_as_netbsd(&mut self, key: Key, change: &Kevent, was_known: bool) {
        let Some(knote) = self.state.knotes.get_mut(&key) else {
            return;
        };
        if was_known {
            knote.touch(change);
        }
        if change.flags & EV_ADD != 0 {
            self.activate_if_ready(key);
        }
        let Some(knote) = self.state.knotes.get_mut(&key) else {
            return;
        };
        if change.flags & EV_DISABLE != 0 {
            knote.disabled = true;
        }
        if change.flags & EV_ENABLE != 0 {
            knote.disabled = false;
        }
        self.enqueue_if_active(key);
    }

    fn delete(&mut self, key: Key) {
        if let (Some(_), Ok(fd)) = (self.forget(key), descriptor(key)) {
            self.queue.wakeups.unwatch(fd, key.filter);
        }
    }

    fn forget(&mut self, key: Key) -> Option<Knote> {
        let knote = self.state.knotes.remove(&key)?;
        if knote.place.is_some() {
            self.state.ready_count -= 1;
        }
        if matches!(knote.kind, Kind::Regular { .. }) {
            self.state.unwoken.retain(|unwoken| *unwoken != key);
        }
        Some(knote)
    }

    // The queue.

    /// Takes in the wakeups since the last time.
    fn collect(&mut self) {
        // What the two kernels do when both come at once.
        let order = match self.flavour() {
            Flavour::FreeBsd => [Filter::Read, Filter::Write],
            Flavour::NetBsd => [Filter::Write, Filter::Read],
        };
        let mut collected = std::mem::take(&mut self.state.collected);
        for filter in order {
            self.queue.wakeups.take(filter, &mut collected);
        }
        for wakeup in collected.drain(..) {
            self.note(wakeup);
        }
        self.state.collected = collected;
    }

    fn note(&mut self, wakeup: Wakeup) {
        let flavour = self.flavour();
        let Some(knote) = self.state.knotes.get_mut(&wakeup.key) else {
            return;
        };
        if knote.serial != wakeup.serial {
            return;
        }
        if knote.misses(wakeup.events) {
            if flavour == Flavour::FreeBsd {
                knote.let_go();
            }
            return;
        }
        if knote.is_oneshot() {
            // The scan will not ask.
            self.activate_if_ready(wakeup.key);
        } else {
            knote.active = true;
        }
        self.enqueue_if_active(wakeup.key);
    }

    fn activate_if_ready(&mut self, key: Key) {
        let flavour = self.flavour();
        if let Some(knote) = self.state.knotes.get_mut(&key) {
            knote.verdict = knote.evaluate(flavour);
            knote.active |= knote.verdict.active;
        }
    }

    fn enqueue_if_active(&mut self, key: Key) {
        let state = &mut *self.state;
        let Some(knote) = state.knotes.get_mut(&key) else {
            return;
        };
        if knote.active && !knote.disabled && knote.place.is_none() {
            let place = state.end;
            knote.place = Some(place);
            state.ready.push_back(Queued { key, place });
            state.ready_count += 1;
            state.end += 1;
            state.forget_the_deleted();
        }
    }

    /// Reports what is queued now and still ready, as far as there is room.
    fn scan(&mut self, events: &mut Events) {
        for index in 0..self.state.unwoken.len() {
            let key = self.state.unwoken[index];
            self.activate_if_ready(key);
            self.enqueue_if_active(key);
        }
        let end = self.state.end;
        while !events.are_full() {
            match self.state.take_first(end) {
                Some(key) => self.report(key, events),
                None => return,
            }
        }
    }

    fn report(&mut self, key: Key, events: &mut Events) {
        if !self.is_current(key) {
            self.forget(key);
            return;
        }
        let flavour = self.flavour();
        let Some(knote) = self.state.knotes.get_mut(&key) else {
            return;
        };
        if knote.disabled {
            return;
        }
        if knote.is_oneshot() {
            events.push(knote.event());
            self.delete(key);
            return;
        }
        knote.verdict = knote.evaluate(flavour);
        if !knote.verdict.active {
            knote.active = false;
            return;
        }
        events.push(knote.event());
        knote.disabled = knote.is_dispatch();
        if knote.is_clear() {
            knote.clear();
        }
        knote.active = !(knote.is_clear() || knote.is_dispatch());
        self.enqueue_if_active(key);
    }
}

/// The descriptor that a knote is about.
fn descriptor(key: Key) -> Result<RawFd, Errno> {
    match key.filter {
        Filter::User => Err(libc::EINVAL),
        Filter::Read | Filter::Write => RawFd::try_from(key.ident).map_err(|_| libc::EBADF),
    }
}
