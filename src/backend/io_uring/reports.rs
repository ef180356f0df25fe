//! What has completed, and what has been examined, as it is reported.

use std::io;
use std::mem;
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
}

/// How many requests the kernel completes in one call, at least, if so many can be (since Linux
/// 6.13; before, all).
const COMPLETED_AT_ONCE: usize = 20;

/// How many cancelled requests may wait for a list that has room: each wait may add to them.
pub(super) const MOST_LINGERING: usize = 4096;

impl Exchange {
    fn made(self, watch: &Watch) -> bool {
        watch.serial.wrapping_sub(self.first_serial) <= u32::MAX / 2
    }

    /// Whether what the kernel says of it is all that can be said now.
    fn can_trust(self, watch: &Watch) -> bool {
        // The kernel looks when the request is made. Later it tells only what has come. That is
        // all there is, unless there has been something before: of edges that is not known, and
        // of levels it has been reported a moment ago.
        let tells_all = watch.mode != Mode::Edge
            || !watch
                .wanted
                .contains(Readiness::READABLE | Readiness::WRITABLE);
        watch.token == Token::WAKE || self.made(watch) || self.began_in_silence && tells_all
    }
}

impl IoUring {
    /// Exchanges requests and completions with the kernel; waits if there is a time limit.
    pub(super) fn ask(
        &mut self,
        ready: &mut ReadyList,
        limit: Option<Option<Duration>>,
    ) -> io::Result<()> {
        let exchange = Exchange {
            first_serial: self.serial.wrapping_add(1),
            began_in_silence: self.ring.is_silent(),
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
            exchanges = exchanges.saturating_sub(1);
            self.ring.exchange()?;
        }
    }

    /// Takes in what has become ready before this wait, so that one look tells whether it still
    /// is.
    pub(super) fn catch_up(&mut self) -> io::Result<()> {
        let before = self.examined.len();
        self.put_by_completions();
        if self.lingering > MOST_LINGERING {
            self.reap_until(|all| all.lingering == 0)?;
        }
        if self.ring.has_work() {
            self.complete_what_can_be()?;
        }
        let watches = &mut self.watches;
        self.examined.line_up(before, |fd, place| {
            watches.known(fd).examined = place;
        });
        Ok(())
    }

    fn complete_what_can_be(&mut self) -> io::Result<()> {
        self.queue_cancellations()?;
        self.queue_armings()?;
        for _ in 0..=self.outstanding / COMPLETED_AT_ONCE {
            self.ring.exchange()?;
            self.put_by_completions();
            if !self.ring.has_work() {
                break;
            }
        }
        Ok(())
    }

    /// Takes in what has completed before this wait. What it says may not be so any more.
    pub(super) fn put_by_completions(&mut self) {
        while let Some(completion) = self.ring.next_completion() {
            let Some(fd) = self.settle(&completion) else {
                continue;
            };
            if completion.result >= 0 {
                if self.watches.known(fd).is_concerned_by(completion.result) {
                    self.put_by(fd);
                } else {
                    self.pass_over(fd);
                }
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
                errno => self.refuse(fd, -errno, ready),
            }
        }
        all_is_told
    }

    /// It is not watched any more, unless it is the bell.
    pub(super) fn refuse(&mut self, fd: RawFd, errno: i32, ready: &mut ReadyList) {
        let watch = self.watches.known(fd);
        let token = watch.token;
        watch.state = State::Absent;
        ready.refuse(token, errno);
        if token == Token::WAKE {
            self.let_be_armed(fd);
        }
    }

    fn report_completion(
        &mut self,
        fd: RawFd,
        events: i32,
        ready: &mut ReadyList,
        exchange: Exchange,
    ) {
        let watch = self.watches.known(fd);
        if !watch.is_concerned_by(events) {
            self.pass_over(fd);
            return;
        }
        if !exchange.can_trust(watch) {
            self.put_by(fd);
            return;
        }
        let (mode, readiness) = (
            watch.mode,
            Readiness::of_poll_events(events.cast_unsigned()),
        );
        self.report(fd, readiness, ready);
        match mode {
            Mode::Level => self.let_be_examined(fd),
            Mode::Edge => {}
            Mode::OneShot => {
                self.stop_examining(fd);
                self.end_request(fd);
            }
        }
        self.let_be_armed_again(fd);
    }

    /// What has completed tells nothing that anybody wants to know.
    fn pass_over(&mut self, fd: RawFd) {
        self.watches.known(fd).half_closed = true;
        self.let_be_armed(fd);
    }

    /// What has completed may be over: it is to be examined before it is reported.
    fn put_by(&mut self, fd: RawFd) {
        self.let_be_armed_again(fd);
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
        let (mut first, mut left_out, mut all_stay) = (0, 0, true);
        for place in 0..self.examined.len() {
            let &libc::pollfd { fd, revents, .. } = self.examined.entry(place);
            if fd < 0 {
                all_stay = false;
            } else if revents != 0 && ready.is_full() && !self.is_reported(fd) {
                if left_out == 0 {
                    first = place;
                }
                left_out += 1;
            } else if !self.report_examined(fd, revents, ready) {
                all_stay = false;
                self.watches.known(fd).examined = NOT_EXAMINED;
                self.examined.remove(place as u32);
            }
        }
        if !all_stay || left_out > 0 {
            let watches = &mut self.watches;
            self.examined.rearrange(first, left_out, |fd, place| {
                watches.known(fd).examined = place;
            });
        } else {
            self.examined.none_is_left_out();
        }
        Ok(())
    }

    /// Whether it is to be examined again.
    fn report_examined(&mut self, fd: RawFd, revents: i16, ready: &mut ReadyList) -> bool {
        if revents == 0 {
            self.let_be_armed(fd);
            return false;
        }
        let readiness = Readiness::of_revents(revents);
        self.report(fd, readiness, ready);
        let mode = self.watches.known(fd).mode;
        if mode == Mode::OneShot {
            self.end_request(fd);
        }
        mode == Mode::Level
    }

    /// By this wait.
    fn is_reported(&mut self, fd: RawFd) -> bool {
        self.watches.known(fd).reported_in == self.round
    }

    pub(super) fn stop_examining(&mut self, fd: RawFd) {
        let watch = self.watches.known(fd);
        let place = mem::replace(&mut watch.examined, NOT_EXAMINED);
        if place != NOT_EXAMINED {
            self.examined.remove(place);
        }
    }

    fn let_be_examined(&mut self, fd: RawFd) {
        let watch = self.watches.known(fd);
        if watch.examined == NOT_EXAMINED {
            watch.examined = self.examined.push(fd, watch.wanted.to_poll_events());
        }
    }
}
