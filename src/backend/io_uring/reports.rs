//! What has completed, and what has been examined, as it is reported.

use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

use super::IoUring;
use super::watch::{NOT_EXAMINED, State, Watch};
use crate::backend::{Readiness, ReadyList};
use crate::mode::Mode;
use crate::token::Token;

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

/// How many requests the kernel completes in one call, at least, if so many can be (since Linux
/// 6.13; before, all).
const COMPLETED_AT_ONCE: usize = 20;

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

impl IoUring {
    /// Exchanges requests and completions with the kernel; waits if there is a time limit.
    pub(super) fn ask(
        &mut self,
        ready: &mut ReadyList,
        limit: Option<Option<Duration>>,
    ) -> io::Result<()> {
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

    /// Takes in what has completed before this wait. What it says may not be so any more.
    pub(super) fn put_by_completions(&mut self) {
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
    pub(super) fn examine(&mut self, ready: &mut ReadyList) -> io::Result<()> {
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
}
