//! Telling the kernel what to watch.

use std::mem;

use super::slot::{Slot, Step, Watched};
use super::{Poller, find};
use crate::backend::Mechanism;
use crate::error::{Error, Result};
use crate::sys::fork;
use crate::token::Token;

impl<S> Poller<S> {
    #[inline]
    pub(super) fn apply_changes(&mut self) -> Result<()> {
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
                    return Err(slot.refused(call, source));
                }
                Err(error) => return Err(error),
            }
        }
        slot.queued = false;
        Ok(())
    }

    /// After fork(2) the kernel objects are shared: a change by the child would change what the
    /// parent watches. The child gets its own, once it needs them.
    #[inline]
    pub(super) fn leave_parent(&mut self) -> Result<()> {
        if self.forks == fork::generation() {
            Ok(())
        } else {
            self.start_anew()
        }
    }

    /// Tells everything that the kernel knows to a new set; all or nothing.
    #[cold]
    pub(super) fn start_anew(&mut self) -> Result<()> {
        let mut mechanism = self.backend.open()?;
        let bell = mechanism.open_bell()?;
        mechanism.succeed(&self.mechanism);
        self.mechanism = mechanism;
        *self.signals.bell() = Some(bell);
        self.forks = fork::generation();
        self.casualties.clear();
        self.changed.clear();
        for (_, slot) in &mut self.slots {
            slot.watched = Watched::Not;
            slot.queued = true;
            self.changed.push(slot.token);
        }
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
        Step::Remove => mechanism.unwatch(fd)?,
    }
    slot.watched = match step {
        Step::Add(wanted) | Step::Modify(wanted) => Watched::For(wanted),
        Step::Nothing | Step::Remove => Watched::Not,
    };
    Ok(())
}
