//! One descriptor: what is wanted of it, what the kernel has of it, and the changes that lead from
//! one to the other.

#[cfg(test)]
mod tests;

use std::os::fd::RawFd;

use crate::backend::{Readiness, ReadyList};
use crate::mode::Mode;
use crate::sys::kqueue::Event;
use crate::sys::kqueue::types::{
    EV_ADD, EV_CLEAR, EV_DELETE, EV_DISABLE, EV_DISPATCH, EV_ENABLE, EVFILT_READ, EVFILT_WRITE,
    Filter, Flags, READ_LIKE_POLL,
};
use crate::token::Token;

/// A direction. For the kernel each is an event of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Read,
    Write,
}

impl Side {
    const BOTH: [Self; 2] = [Self::Read, Self::Write];

    pub(super) fn of_filter(filter: Filter) -> Option<Self> {
        match filter {
            EVFILT_READ => Some(Self::Read),
            EVFILT_WRITE => Some(Self::Write),
            _ => None,
        }
    }

    fn filter(self) -> Filter {
        match self {
            Self::Read => EVFILT_READ,
            Self::Write => EVFILT_WRITE,
        }
    }

    fn notes(self) -> u32 {
        match self {
            Self::Read => READ_LIKE_POLL,
            Self::Write => 0,
        }
    }

    fn readiness(self) -> Readiness {
        match self {
            Self::Read => Readiness::READABLE,
            Self::Write => Readiness::WRITABLE,
        }
    }
}

/// What the kernel has of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Nothing,
    /// It reports in this mode.
    Armed(Mode),
    /// It has the event but keeps silent: a one-shot.
    Silent(Mode),
    /// It has refused it, because nobody reads the pipe: writing would fail at once.
    Broken,
    /// Any of these: a call has failed.
    Uncertain,
}

impl Known {
    /// Whether there is, or may be, something to be deleted.
    fn is_in_kernel(self) -> bool {
        matches!(self, Self::Armed(_) | Self::Silent(_) | Self::Uncertain)
    }
}

#[derive(Debug)]
pub(super) struct Registration {
    token: Token,
    wanted: Readiness,
    mode: Mode,
    /// The end of a pipe that hears only by `EVFILT_READ` that the other end has been closed.
    /// Not known before it matters.
    pub(super) is_deaf_sink: Option<bool>,
    /// A one-shot that has reported, and is silent in both directions until it is wanted anew.
    fired: bool,
    /// What is wanted has been set: all of it is added, even what the kernel has. An edge is
    /// looked for anew by this, and the kernel forgets a descriptor closed behind our back.
    renewed: bool,
    known: [Known; 2],
    /// It turned out to be closed, which nobody has been told yet.
    is_dead: bool,
    /// The wait that has reported it last, and where in its list.
    round: u32,
    place: u32,
    /// Whether it is among those that may differ from what the kernel has.
    pub(super) is_touched: bool,
    /// Whether it is among those that fail without the kernel's help.
    pub(super) is_failing: bool,
}

impl Default for Registration {
    fn default() -> Self {
        Self {
            token: Token::from_bits(0),
            wanted: Readiness::empty(),
            mode: Mode::Level,
            is_deaf_sink: None,
            fired: false,
            renewed: false,
            known: [Known::Nothing; 2],
            is_dead: false,
            round: 0,
            place: 0,
            is_touched: false,
            is_failing: false,
        }
    }
}

impl Registration {
    pub(super) fn want(&mut self, token: Token, wanted: Readiness, mode: Mode) {
        self.token = token;
        self.wanted = wanted;
        self.mode = mode;
        self.fired = false;
        self.renewed = true;
        self.is_dead = false;
    }

    pub(super) fn want_nothing(&mut self) {
        self.wanted = Readiness::empty();
        self.fired = false;
        self.renewed = false;
        self.is_dead = false;
    }

    pub(super) fn token(&self) -> Token {
        self.token
    }

    pub(super) fn wants(&self, side: Side) -> bool {
        self.wanted.contains(side.readiness())
    }

    /// Whether the kernel is to have an event for that direction.
    fn listens(&self, side: Side) -> bool {
        self.wants(side) || side == Side::Read && self.hears_by_reading()
    }

    fn hears_by_reading(&self) -> bool {
        self.is_deaf_sink == Some(true) && self.wants(Side::Write)
    }

    pub(super) fn is_in_kernel(&self) -> bool {
        self.known.iter().any(|known| known.is_in_kernel())
    }

    /// Appends what the kernel must be told, and notes it as told.
    pub(super) fn push_changes(&mut self, fd: RawFd, changes: &mut Vec<Event>) {
        for side in Side::BOTH {
            self.known[side as usize] = if !self.listens(side) {
                self.push_deletion(fd, side, changes);
                Known::Nothing
            } else if self.fired {
                self.push_silence(fd, side, changes)
            } else {
                self.push_addition(fd, side, changes);
                Known::Armed(self.mode)
            };
        }
        self.renewed = false;
    }

    /// Appends what makes the kernel forget the descriptor.
    pub(super) fn push_deletions(&self, fd: RawFd, changes: &mut Vec<Event>) {
        for side in Side::BOTH {
            self.push_deletion(fd, side, changes);
        }
    }

    /// The kernel has forgotten it.
    pub(super) fn forget(&mut self) {
        self.want_nothing();
        self.known = [Known::Nothing; 2];
    }

    fn push_deletion(&self, fd: RawFd, side: Side, changes: &mut Vec<Event>) {
        if self.known[side as usize].is_in_kernel() {
            changes.push(self.change(fd, side, EV_DELETE));
        }
    }

    /// For the direction of a fired one-shot that has not reported itself. It will be wanted
    /// again soon, so it stays.
    fn push_silence(&self, fd: RawFd, side: Side, changes: &mut Vec<Event>) -> Known {
        match self.known[side as usize] {
            Known::Armed(mode) => {
                changes.push(self.change(fd, side, EV_DISABLE));
                Known::Silent(mode)
            }
            Known::Uncertain => {
                changes.push(self.change(fd, side, EV_DELETE));
                Known::Nothing
            }
            other => other,
        }
    }

    fn push_addition(&self, fd: RawFd, side: Side, changes: &mut Vec<Event>) {
        let known = self.known[side as usize];
        if known == Known::Armed(self.mode) && !self.renewed {
            return;
        }
        // EV_CLEAR and EV_DISPATCH cannot be taken back by adding without them.
        if !matches!(known, Known::Armed(mode) | Known::Silent(mode) if mode == self.mode) {
            self.push_deletion(fd, side, changes);
        }
        let mode = match self.mode {
            Mode::Level => 0,
            Mode::Edge => EV_CLEAR,
            Mode::OneShot => EV_DISPATCH,
        };
        // Adding alone enables nothing, and enabling alone does not look again (NetBSD).
        changes.push(self.change(fd, side, EV_ADD | EV_ENABLE | mode));
    }

    fn change(&self, fd: RawFd, side: Side, flags: Flags) -> Event {
        let ident = fd.cast_unsigned() as usize;
        let generation = self.token.generation();
        Event::new(ident, side.filter(), flags, side.notes(), generation)
    }

    /// A change that had been noted as told may or may not have been made.
    pub(super) fn doubt(&mut self, side: Side) {
        self.known[side as usize] = Known::Uncertain;
    }

    /// The kernel has nothing of that direction.
    pub(super) fn note_absent(&mut self, side: Side) {
        self.known[side as usize] = Known::Nothing;
    }

    pub(super) fn note_broken(&mut self) {
        self.known[Side::Write as usize] = Known::Broken;
    }

    pub(super) fn note_dead(&mut self) {
        self.forget();
        self.is_dead = true;
    }

    /// What is to be reported of it without asking the kernel, if anything.
    pub(super) fn failure(&self) -> Option<Readiness> {
        if self.is_dead {
            Some(Readiness::DEAD)
        } else if self.known[Side::Write as usize] == Known::Broken
            && self.wants(Side::Write)
            && !self.fired
        {
            Some(BROKEN)
        } else {
            None
        }
    }

    /// Reports its failure, if there is room, and tells whether there was.
    pub(super) fn report_failure(&mut self, ready: &mut ReadyList, round: u32) -> bool {
        let Some(failure) = self.failure() else {
            return true;
        };
        if self.round != round && ready.is_full() {
            return false;
        }
        self.put_into(ready, round, failure);
        self.is_dead = false;
        self.fired = self.mode == Mode::OneShot;
        true
    }

    /// Whether it is a one-shot that has reported, and the kernel has a direction to be silenced.
    pub(super) fn must_be_silenced(&self) -> bool {
        self.fired && self.is_in_kernel()
    }

    /// Whether its failure is reported by every wait.
    pub(super) fn fails_again(&self) -> bool {
        self.mode == Mode::Level && self.failure().is_some()
    }

    /// Reports an event of the kernel's, if it is wanted. Whether the kernel is to be told
    /// something in return: it is a one-shot that has reported by this, and its other direction
    /// is to be silent; or nothing is to be heard by this direction; or the event is to be added
    /// anew.
    pub(super) fn report(
        &mut self,
        side: Side,
        event: &Event,
        ready: &mut ReadyList,
        round: u32,
    ) -> bool {
        if event.user_data() != self.token.generation() {
            return false;
        }
        if event.is_last() {
            self.known[side as usize] = Known::Nothing;
        } else if self.known[side as usize] == Known::Armed(Mode::OneShot) {
            self.known[side as usize] = Known::Silent(Mode::OneShot);
        }
        let is_late = self.fired && self.round != round;
        if is_late || !self.listens(side) {
            return false;
        }
        let answer = match side {
            Side::Read if self.hears_by_reading() && event.is_end() => BROKEN,
            Side::Read if self.hears_by_reading() && !self.wants(Side::Read) => {
                // A pipe with a name. What is to be read NetBSD tells its writers too
                // (`fifo_kqfilter`), and that would end each wait for as long as it is there.
                self.is_deaf_sink = Some(false);
                return true;
            }
            _ => answer(side, event),
        };
        self.put_into(ready, round, answer);
        let fires = self.mode == Mode::OneShot && !self.fired;
        self.fired |= fires;
        // What is level-triggered is reported for as long as it is so: by the event that is added
        // anew, or by its refusal.
        fires || event.is_last() && self.mode == Mode::Level
    }

    /// Rounds are counted from the start again.
    pub(super) fn forget_round(&mut self) {
        self.round = 0;
    }

    /// One descriptor is reported once, whatever the number of its events.
    fn put_into(&mut self, ready: &mut ReadyList, round: u32, readiness: Readiness) {
        if self.round == round {
            ready.merge(self.place as usize, readiness);
        } else {
            self.round = round;
            self.place = u32::try_from(ready.len()).expect("a list is shorter");
            ready.push(self.token, readiness);
        }
    }
}

/// What writing to a pipe that nobody reads is: possible at once, and an error.
const BROKEN: Readiness = Readiness::WRITABLE.union(Readiness::ERROR);

/// As poll(2) would say it.
///
/// The end of a direction makes it ready: reading finds what is left and then the end, writing
/// fails. It is no hang-up, for the other direction may go on; where both have ended, both events
/// come, and say together all that a hang-up would. Only an error concerns both in one.
fn answer(side: Side, event: &Event) -> Readiness {
    if event.is_failure() {
        side.readiness() | Readiness::ERROR
    } else {
        side.readiness()
    }
}
