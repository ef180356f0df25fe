//! Waiting, and reporting what the wait has found.

use std::io;
use std::time::{Duration, Instant};

use super::deadline::Deadline;
use super::signals::Signalled;
use super::slot::{Slot, Watched};
use super::{Poller, find};
use crate::backend::{Engine, Readiness, Ready};
use crate::error::{Error, Result};
use crate::mode::Mode;
use crate::ops::Ops;
use crate::sys::fork;
use crate::token::Token;

impl<S> Poller<S> {
    /// Looks at the kernel once, or knows without a look, if there is nothing else to look at: no
    /// changes, no signals, nothing left of the last wait. False if anything at all is to be done;
    /// what was found ready stays for the wait that the caller does then.
    ///
    /// This is for programs that select without waiting over and over: each level of calls
    /// between them and the system call costs as much as several checks.
    // Always, and so all that is between here and the system call: the compiler finds it too long.
    #[inline(always)]
    pub(crate) fn finds_nothing(&mut self) -> bool {
        if self.answer_is_current
            && !self.signals.look().anything()
            && self.mechanism.spares_a_look()
        {
            self.statistics.waits += 1;
            return true;
        }
        self.asks_in_vain()
    }

    #[inline(always)]
    fn asks_in_vain(&mut self) -> bool {
        let nothing_else = self.forks == fork::generation()
            && self.changed.is_empty()
            && self.casualties.is_empty()
            && self.ready.is_empty()
            && !self.signals.look().anything();
        if !nothing_else {
            return false;
        }
        self.ready.clear();
        let outcome = self.ask(Some(Duration::ZERO));
        outcome.is_ok() && self.ready.is_empty() && !self.signals.look().anything()
    }

    /// Whether something is left of the last wait that has not been reported.
    #[inline]
    pub(crate) fn has_found(&self) -> bool {
        !self.ready.is_empty()
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
        loop {
            if let Err(refusal) = self.apply_changes() {
                return self.report_beside(refusal, &mut report);
            }
            let signalled = self.look(deadline)?;
            let reported = if self.ready.is_empty() {
                0
            } else {
                self.report_ready(&mut report)?
            };
            if signalled.wakeup() {
                self.signals.use_up_wakeup();
            }
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

    /// What the kernel refuses for one registration is no reason not to serve the others.
    #[cold]
    fn report_beside<R>(
        &mut self,
        refusal: Error,
        report: &mut impl FnMut(Token, &mut S, Ops) -> bool,
    ) -> Result<R> {
        self.look(Deadline::Now)?;
        self.report_ready(report)?;
        self.answer_is_current = false;
        Err(refusal)
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
                let outcome = self.ask(Some(Duration::ZERO));
                outcome.or_else(|error| self.survive(error))?;
            } else {
                return self.sleep(deadline);
            }
        }
        Ok(self.signals.look())
    }

    #[inline(never)]
    fn sleep(&mut self, deadline: Deadline) -> Result<Signalled> {
        if !self.spin.is_asked_for() {
            return self.block(deadline);
        }
        if self.spin.is_worthwhile() {
            return match self.spin(deadline) {
                Ok(false) => self.block(deadline),
                outcome => {
                    outcome.map_or_else(|error| self.survive(error), |_| Ok(()))?;
                    Ok(self.signals.look())
                }
            };
        }
        let begun = Instant::now();
        let signalled = self.block(deadline);
        self.spin.has_blocked_for(begun.elapsed());
        signalled
    }

    fn block(&mut self, deadline: Deadline) -> Result<Signalled> {
        let must_not_sleep = self.signals.fall_asleep().any();
        let timeout = if must_not_sleep {
            Some(Duration::ZERO)
        } else {
            deadline.remaining()
        };
        let outcome = self.ask(timeout);
        let signalled = self.signals.get_up();
        outcome.or_else(|error| self.survive(error))?;
        Ok(signalled)
    }

    #[inline(always)]
    pub(super) fn ask(&mut self, timeout: Option<Duration>) -> io::Result<()> {
        self.statistics.waits += 1;
        self.answer_is_current = true;
        self.mechanism.wait(&mut self.ready, timeout)
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
        // Whether the kernel reports what it was told to forget. If nothing has changed since it
        // answered, only a set made anew puts an end to it.
        let mut haunted = false;
        let mut refused = None;
        while let Some(answer) = self.ready.take() {
            if answer.refusal != 0 {
                refused = refused.or(self.refused(&answer));
                continue;
            }
            let Ready {
                token, readiness, ..
            } = answer;
            let Some(slot) = find(&mut self.slots, token) else {
                if token == Token::WAKE {
                    self.quieten()?;
                } else {
                    haunted = true;
                }
                continue;
            };
            if readiness.contains(Readiness::DEAD) {
                stop_watching(&mut self.mechanism, slot)?;
            }
            let ops = slot.ready_ops(readiness);
            if ops.is_empty() {
                haunted = true;
                continue;
            }
            if slot.mode == Mode::OneShot {
                fire(&mut self.mechanism, slot)?;
            }
            reported += usize::from(report(token, &mut slot.source, ops));
        }
        if haunted && self.answer_is_current && self.mechanism.may_be_haunted() {
            // Without a descriptor left for another set this one has to do, for the time being.
            let _ = self.start_anew();
        }
        refused.map_or(Ok(reported), Err)
    }

    /// A change that the kernel learnt of in the wait, and did not take: it is tried again in the
    /// next one.
    #[cold]
    fn refused(&mut self, answer: &Ready) -> Option<Error> {
        let call = self.backend.changing_call();
        let reason = io::Error::from_raw_os_error(answer.refusal);
        if answer.token == Token::WAKE {
            return Some(Error::system(call, reason));
        }
        let slot = find(&mut self.slots, answer.token)?;
        slot.watched = Watched::Not;
        let error = slot.refused(call, reason);
        self.queue(answer.token);
        Some(error)
    }

    #[cold]
    fn quieten(&self) -> Result<()> {
        match &*self.signals.bell() {
            Some(bell) => bell.quieten(),
            None => Ok(()),
        }
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

/// A one-shot that is reported is armed no more.
#[cold]
fn fire<S>(mechanism: &mut Engine, slot: &mut Slot<S>) -> Result<()> {
    slot.set_interest(slot.kind(), Ops::empty());
    if mechanism.supports(Mode::OneShot) {
        slot.watched = Watched::Fired;
        Ok(())
    } else {
        stop_watching(mechanism, slot)
    }
}

#[cold]
fn stop_watching<S>(mechanism: &mut Engine, slot: &mut Slot<S>) -> Result<()> {
    slot.watched = Watched::Not;
    mechanism.unwatch(slot.fd)
}
