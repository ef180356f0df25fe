//! The ring: whose it is, what is asked of it, and what has been settled.

use std::io;
use std::mem;
use std::os::fd::RawFd;

use super::IoUring;
use super::watch::{Arming, State};
use crate::backend::Readiness;
use crate::error::Error;
use crate::mode::Mode;
use crate::sys::io_uring::{Completion, Ring};
use crate::sys::thread::ThreadNumber;

impl IoUring {
    /// Makes the ring the calling thread's, or another ring if it is another thread's.
    pub(super) fn take_possession(&mut self) -> io::Result<()> {
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
        let ring = Ring::open_after(&mut self.ring).map_err(|error| match error {
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
            if matches!(watch.state, State::Armed | State::Over) {
                watch.state = State::ToArm;
                if !mem::replace(&mut watch.listed, true) {
                    self.to_arm.push(fd);
                }
            }
        }
        Ok(())
    }

    pub(super) fn queue_cancellations(&mut self) -> io::Result<()> {
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

    /// Gives the kernel the requests in the queue, which is full, and takes out what completes at
    /// once, so that the other queue cannot overflow.
    fn make_room(&mut self) -> io::Result<()> {
        self.ring.exchange()?;
        self.put_by_completions();
        Ok(())
    }

    pub(super) fn queue_armings(&mut self) -> io::Result<()> {
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
            let again = watch.mode != Mode::OneShot || watch.half_closed;
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
    pub(super) fn settle(&mut self, completion: &Completion) -> Option<RawFd> {
        if completion.number == Arming::CANCELLATION {
            return None;
        }
        let Arming { fd, serial } = Arming::from_number(completion.number);
        let watch = self.watches.known(fd);
        let is_present = watch.state == State::Armed && watch.serial == serial;
        if !completion.more {
            self.outstanding -= 1;
            if is_present {
                watch.state = if watch.mode == Mode::Edge && is_failure_and_hangup(completion) {
                    State::Over
                } else {
                    State::Unarmed
                };
            } else {
                watch.lingering -= 1;
                self.lingering -= 1;
            }
        }
        is_present.then_some(fd)
    }

    /// After a completion: if there may be another.
    pub(super) fn let_be_armed_again(&mut self, fd: RawFd) {
        let watch = self.watches.known(fd);
        if watch.mode != Mode::OneShot && watch.state != State::Over {
            self.let_be_armed(fd);
        }
    }

    /// If it is not armed already, or still.
    pub(super) fn let_be_armed(&mut self, fd: RawFd) {
        let watch = self.watches.known(fd);
        if watch.state != State::Armed {
            watch.state = State::ToArm;
            if !mem::replace(&mut watch.listed, true) {
                self.to_arm.push(fd);
            }
        }
    }

    /// Undoes whatever is done to watch it, its request with the next exchange.
    pub(super) fn disarm(&mut self, fd: RawFd) {
        if self.watches.get(fd).is_none() {
            return;
        }
        self.stop_examining(fd);
        self.end_request(fd);
        self.watches.known(fd).state = State::Absent;
    }

    /// Has its request cancelled with the next exchange, if it has one.
    pub(super) fn end_request(&mut self, fd: RawFd) {
        let watch = self.watches.known(fd);
        if watch.state == State::Armed {
            let serial = watch.serial;
            self.to_cancel.push(Arming { fd, serial });
            watch.lingering += 1;
            self.lingering += 1;
            watch.state = State::Unarmed;
        }
    }

    /// Has the kernel complete all cancelled requests, so that `lingering` comes true.
    pub(super) fn reap_until(&mut self, is_reaped: impl Fn(&Self) -> bool) -> io::Result<()> {
        while !is_reaped(self) {
            self.queue_cancellations()?;
            match self.ring.await_completion(None) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
                _ => self.put_by_completions(),
            }
        }
        Ok(())
    }

    pub(super) fn has_let_go_of(&self, fd: RawFd) -> bool {
        self.watches
            .get(fd)
            .is_none_or(|watch| watch.lingering == 0 && !watch.in_old_ring)
    }

    #[cold]
    pub(super) fn await_ends_of_old_rings(&mut self) {
        self.old_rings.await_ends();
        for (_, watch) in self.watches.iter_mut() {
            watch.in_old_ring = false;
        }
    }

    pub(super) fn end_all_requests(&mut self) -> io::Result<()> {
        for fd in self.watches.descriptors() {
            self.end_request(fd);
        }
        self.reap_until(|all| all.outstanding == 0)
    }
}

/// Both: after an error, or a hang-up of a FIFO, something may come yet.
fn is_failure_and_hangup(completion: &Completion) -> bool {
    let over = Readiness::ERROR | Readiness::HANGUP;
    let events = u32::try_from(completion.result);
    events.is_ok_and(|events| Readiness::of_poll_events(events).contains(over))
}
