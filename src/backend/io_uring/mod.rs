//! io_uring(7), as a mechanism that tells of readiness.
//!
//! Each descriptor has a request of its own that polls it. The requests that have completed, and
//! all other changes, are given to the kernel by the system call that waits. A request completes
//! once, so one that was reported must be made again to learn whether the descriptor is still
//! ready. That is dear for a descriptor that stays so: those are examined by poll(2), all by one
//! call, until they are not.
//!
//! The requests belong to the thread that made them, and end with it: when another thread comes,
//! a new ring takes the place of the old one. That costs a request for each descriptor, and
//! edges are reported once more.
//!
//! The ring keeps open what it polls, so a descriptor that is to be closed must have its request
//! cancelled, and completed.

mod examined;
mod old_rings;
mod owner;
#[cfg(test)]
mod tests;
mod watch;

use std::fmt;
use std::io;
use std::mem;
use std::os::fd::RawFd;
use std::time::Duration;

use super::{Mechanism, Readiness, ReadyList};
use crate::error::{Error, Result};
use crate::mode::Mode;
use crate::sys::fork;
use crate::sys::io_uring::{Completion, Ring};
use crate::token::Token;
use examined::Examined;
use old_rings::OldRings;
use owner::ThreadNumber;
use watch::{Arming, NOT_EXAMINED, State, Watch, Watches};

pub(crate) struct IoUring {
    ring: Ring,
    /// Below the ring: this is dropped, and their ends are waited for, when the ring has been
    /// closed.
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
    /// Those that have no request because they stay ready, and those whose request has completed
    /// some time ago: who knows what has happened since.
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

/// What a wait has come to know of the requests it made.
#[derive(Clone, Copy)]
struct Exchange {
    /// The first of them.
    first_serial: u32,
    /// Whether nothing had been ready before. If not, what the kernel says of earlier requests
    /// may be over: it notes what a descriptor has become ready for, and does not look again.
    began_in_silence: bool,
    /// Whether the kernel was to wait. If so, what has completed may have become ready meanwhile.
    waited: bool,
}

/// How often a descriptor may seem to stay ready after it once only seemed so.
const DOUBTS: u8 = 16;

/// How many cancelled requests may wait for a list that has room: each wait may add to them.
const MOST_LINGERING: usize = 4096;

/// How many requests the kernel completes in one call, at least, if so many can be (since Linux
/// 6.13; before, all).
const COMPLETED_AT_ONCE: usize = 20;

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
    fn is_silent(&mut self) -> bool {
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
        self.put_by_completions();
        if self.lingering > MOST_LINGERING {
            self.reap_until(|all| all.lingering == 0)?;
        }
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

    /// Makes the ring the calling thread's, or another ring if it is another thread's.
    fn take_possession(&mut self) -> io::Result<()> {
        let current = ThreadNumber::current();
        match self.owner {
            Some(owner) if owner == current => return Ok(()),
            Some(_) => self.replace_ring()?,
            None => {}
        }
        self.ring.enable()?;
        self.owner = Some(current);
        Ok(())
    }

    #[cold]
    fn replace_ring(&mut self) -> io::Result<()> {
        let ring = Ring::open().map_err(|error| match error {
            Error::System { source, .. } => source,
            other => other.into(),
        })?;
        // What its thread left behind when it ended is still in the queue.
        self.put_by_completions();
        self.owner = None;
        let mut old = mem::replace(&mut self.ring, ring);
        let end = old.end().filter(|_| self.outstanding > 0);
        self.outstanding = 0;
        self.lingering = 0;
        drop(old);
        let keeps_files = end.is_some();
        if let Some(end) = end {
            self.old_rings.add(end);
        }
        self.to_cancel.clear();
        for (fd, watch) in self.watches.iter_mut() {
            watch.in_old_ring |=
                keeps_files && (watch.lingering > 0 || watch.state == State::Armed);
            watch.lingering = 0;
            if watch.state == State::Armed {
                watch.state = State::ToArm;
                if !mem::replace(&mut watch.listed, true) {
                    self.to_arm.push(fd);
                }
            }
        }
        Ok(())
    }

    /// Exchanges requests and completions with the kernel; waits if there is a time limit.
    fn ask(&mut self, ready: &mut ReadyList, limit: Option<Option<Duration>>) -> io::Result<()> {
        let mut exchange = Exchange {
            first_serial: self.serial.wrapping_add(1),
            began_in_silence: self.ring.is_silent(),
            waited: limit.is_some(),
        };
        self.queue_cancellations()?;
        self.queue_armings()?;
        let limit = limit.filter(|_| !self.unexamined);
        match limit {
            Some(timeout) => self.ring.await_completion(timeout)?,
            None if !self.ring.has_requests() && self.ring.is_silent() => return Ok(()),
            None => self.ring.exchange()?,
        }
        // As many exchanges as complete all that could be completed now. More may become ready
        // all the time, and need not be waited for.
        let mut exchanges = self.outstanding / COMPLETED_AT_ONCE + 1;
        loop {
            let all_is_told = self.collect(ready, exchange);
            let more = self.ring.has_overflown() || exchanges > 0 && self.ring.has_work();
            if ready.is_full() || all_is_told && !more && !self.ring.has_requests() {
                return Ok(());
            }
            if !all_is_told {
                self.queue_armings()?;
            }
            exchange.waited = false;
            exchanges = exchanges.saturating_sub(1);
            self.ring.exchange()?;
        }
    }

    fn queue_cancellations(&mut self) -> io::Result<()> {
        while let Some(arming) = self.to_cancel.last() {
            let number = arming.to_number();
            if self.ring.push_cancel(number, Arming::CANCELLATION) {
                self.to_cancel.pop();
            } else {
                self.make_room()?;
            }
        }
        Ok(())
    }

    /// Gives the kernel the requests in the queue, which is full. (Before Linux 6.0 it takes none
    /// while it keeps completions that there was no room for.)
    fn make_room(&mut self) -> io::Result<()> {
        self.ring.exchange()?;
        if self.ring.has_requests() {
            self.put_by_completions();
        }
        Ok(())
    }

    fn queue_armings(&mut self) -> io::Result<()> {
        let mut done = 0;
        let mut outcome = Ok(());
        while let Some(&fd) = self.to_arm.get(done) {
            if self.queue_arming(fd) {
                done += 1;
                continue;
            }
            outcome = self.make_room();
            if outcome.is_err() {
                break;
            }
        }
        self.to_arm.drain(..done);
        outcome
    }

    /// Whether there was room.
    fn queue_arming(&mut self, fd: RawFd) -> bool {
        let serial = self.serial.wrapping_add(1);
        let watch = self.watches.known(fd);
        if watch.state == State::ToArm {
            let number = Arming { fd, serial }.to_number();
            let events = watch.wanted.to_poll_events();
            let again = watch.mode == Mode::Edge;
            if !self.ring.push_poll(fd, events, again, number) {
                return false;
            }
            self.serial = serial;
            self.outstanding += 1;
            watch.serial = serial;
            watch.state = State::Armed;
        }
        watch.listed = false;
        true
    }

    /// The descriptor of the present arming that has completed. Of any other it was only awaited
    /// that the kernel lets go of it.
    fn settle(&mut self, completion: &Completion) -> Option<RawFd> {
        if completion.number == Arming::CANCELLATION {
            return None;
        }
        let Arming { fd, serial } = Arming::from_number(completion.number);
        let watch = self.watches.known(fd);
        let is_present = watch.state == State::Armed && watch.serial == serial;
        if !completion.more {
            self.outstanding -= 1;
            if is_present {
                watch.state = State::Unarmed;
            } else {
                watch.lingering -= 1;
                self.lingering -= 1;
            }
        }
        is_present.then_some(fd)
    }

    /// Takes in what has completed before this wait. What it says may not be so any more.
    fn put_by_completions(&mut self) {
        while let Some(completion) = self.ring.next_completion() {
            let Some(fd) = self.settle(&completion) else {
                continue;
            };
            if completion.result >= 0 {
                self.put_by(fd);
            } else {
                // It is refused again, or cancelled without having been asked.
                self.let_be_armed(fd);
            }
        }
    }

    /// Reports what has just completed, until the list is full. False if requests have ended
    /// that nobody has cancelled, and what they were to tell is not known.
    fn collect(&mut self, ready: &mut ReadyList, exchange: Exchange) -> bool {
        let mut all_is_told = true;
        while !ready.is_full()
            && let Some(completion) = self.ring.next_completion()
        {
            let Some(fd) = self.settle(&completion) else {
                continue;
            };
            match completion.result {
                0.. => self.report_completion(fd, completion.result, ready, exchange),
                errno if errno == -libc::ECANCELED => {
                    self.let_be_armed(fd);
                    all_is_told = false;
                }
                errno if errno == -libc::EBADF => self.report(fd, Readiness::DEAD, ready),
                errno => {
                    let watch = self.watches.known(fd);
                    watch.state = State::Absent;
                    ready.refuse(watch.token, -errno);
                }
            }
        }
        all_is_told
    }

    fn report_completion(
        &mut self,
        fd: RawFd,
        events: i32,
        ready: &mut ReadyList,
        exchange: Exchange,
    ) {
        let watch = self.watches.known(fd);
        if !exchange.can_trust(watch) {
            self.put_by(fd);
            return;
        }
        let stays_ready = exchange.finds_to_stay_ready(watch);
        let readiness = Readiness::of_poll_events(events.cast_unsigned());
        self.report(fd, readiness, ready);
        if stays_ready {
            self.watches.known(fd).stays_ready = true;
            self.let_be_examined(fd);
        } else {
            self.go_on_watching(fd);
        }
    }

    /// After it was reported.
    fn go_on_watching(&mut self, fd: RawFd) {
        let watch = self.watches.known(fd);
        watch.rearmed = true;
        if watch.mode != Mode::OneShot {
            self.let_be_armed(fd);
        }
    }

    /// What has completed may be over: it is to be examined before it is reported.
    fn put_by(&mut self, fd: RawFd) {
        let watch = self.watches.known(fd);
        watch.stays_ready = false;
        if watch.mode == Mode::Edge {
            self.let_be_armed(fd);
        }
        self.let_be_examined(fd);
        self.unexamined = true;
    }

    fn report(&mut self, fd: RawFd, readiness: Readiness, ready: &mut ReadyList) {
        let watch = self.watches.known(fd);
        if watch.reported_in == self.round {
            ready.merge(watch.reported_as.into(), readiness);
        } else {
            watch.reported_in = self.round;
            watch.reported_as = u16::try_from(ready.len()).expect("the list is bounded");
            ready.push(watch.token, readiness);
        }
    }

    /// Reports those of the examined that are ready, and takes out those that are not.
    fn examine(&mut self, ready: &mut ReadyList) -> io::Result<()> {
        if self.examined.is_empty() {
            return Ok(());
        }
        self.examined.look()?;
        self.unexamined = false;
        let mut first_left_out = None;
        let mut all_stay = true;
        for place in 0..self.examined.len() {
            let &libc::pollfd { fd, revents, .. } = self.examined.entry(place);
            let stays = if fd < 0 {
                false
            } else if revents == 0 {
                self.is_not_ready(fd);
                false
            } else if ready.is_full() {
                first_left_out = first_left_out.or(Some(place));
                true
            } else {
                let readiness = Readiness::of_poll_events(revents.cast_unsigned().into());
                self.report(fd, readiness, ready);
                let stays = self.watches.known(fd).stays_ready;
                if !stays {
                    self.go_on_watching(fd);
                }
                stays
            };
            if !stays && fd >= 0 {
                self.watches.known(fd).examined = NOT_EXAMINED;
                self.examined.remove(place as u32);
            }
            all_stay &= stays;
        }
        if !all_stay || first_left_out.is_some() {
            let watches = &mut self.watches;
            let first = first_left_out.unwrap_or(0);
            self.examined.rearrange(first, |fd, place| {
                watches.known(fd).examined = place;
            });
        }
        Ok(())
    }

    /// Of an examined one.
    fn is_not_ready(&mut self, fd: RawFd) {
        let watch = self.watches.known(fd);
        watch.doubts = DOUBTS;
        watch.rearmed = false;
        watch.stays_ready = false;
        self.let_be_armed(fd);
    }

    fn let_be_examined(&mut self, fd: RawFd) {
        let watch = self.watches.known(fd);
        if watch.examined == NOT_EXAMINED {
            watch.examined = self.examined.push(fd, watch.wanted.to_poll_events());
        }
    }

    /// If it is not armed already, or still.
    fn let_be_armed(&mut self, fd: RawFd) {
        let watch = self.watches.known(fd);
        if watch.state != State::Armed {
            watch.state = State::ToArm;
            if !mem::replace(&mut watch.listed, true) {
                self.to_arm.push(fd);
            }
        }
    }

    /// Undoes whatever is done to watch it, its request with the next exchange.
    fn disarm(&mut self, fd: RawFd) {
        let Some(watch) = self.watches.get_mut(fd) else {
            return;
        };
        let place = mem::replace(&mut watch.examined, NOT_EXAMINED);
        if place != NOT_EXAMINED {
            self.examined.remove(place);
        }
        if watch.state == State::Armed {
            let serial = watch.serial;
            self.to_cancel.push(Arming { fd, serial });
            watch.lingering += 1;
            self.lingering += 1;
        }
        watch.state = State::Absent;
    }

    /// Has the kernel complete all cancelled requests, so that `lingering` comes true.
    fn reap_until(&mut self, is_reaped: impl Fn(&Self) -> bool) -> io::Result<()> {
        while !is_reaped(self) {
            self.queue_cancellations()?;
            match self.ring.await_completion(None) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
                _ => self.put_by_completions(),
            }
        }
        Ok(())
    }

    fn has_let_go_of(&self, fd: RawFd) -> bool {
        self.watches
            .get(fd)
            .is_none_or(|watch| watch.lingering == 0 && !watch.in_old_ring)
    }

    #[cold]
    fn await_ends_of_old_rings(&mut self) {
        self.old_rings.await_ends();
        for (_, watch) in self.watches.iter_mut() {
            watch.in_old_ring = false;
        }
    }

    fn end_all_requests(&mut self) -> io::Result<()> {
        for (fd, watch) in self.watches.iter_mut() {
            if watch.state == State::Armed {
                let serial = watch.serial;
                self.to_cancel.push(Arming { fd, serial });
                watch.lingering += 1;
                self.lingering += 1;
                watch.state = State::Absent;
            }
        }
        self.reap_until(|all| all.outstanding == 0)
    }
}

impl Exchange {
    fn made(self, watch: &Watch) -> bool {
        watch.serial.wrapping_sub(self.first_serial) <= u32::MAX / 2
    }

    /// Whether what the kernel says of it is all that can be said now.
    fn can_trust(self, watch: &Watch) -> bool {
        // The kernel looks when the request is made. Later it tells only what has come, which is
        // all there is unless there has been something before, as there may with edges.
        let tells_all = watch.mode != Mode::Edge
            || !watch
                .wanted
                .contains(Readiness::READABLE | Readiness::WRITABLE);
        watch.token == Token::WAKE || self.made(watch) || self.began_in_silence && tells_all
    }

    /// Whether what has completed was ready all the time since it was reported last.
    fn finds_to_stay_ready(self, watch: &mut Watch) -> bool {
        if watch.mode != Mode::Level || !watch.rearmed || !self.made(watch) {
            return false;
        }
        if self.waited && watch.doubts > 0 {
            watch.doubts -= 1;
            return false;
        }
        true
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
        watch.rearmed = false;
        watch.stays_ready = false;
        watch.doubts = 0;
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
