//! One descriptor: what is wanted of it, what the kernel has of it, and the changes that lead from
//! one to the other.

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::kqueue::types::EV_RECEIPT;

    const FD: RawFd = 3;
    const BOTH: Readiness = Readiness::READABLE.union(Readiness::WRITABLE);
    const ADD: Flags = EV_ADD | EV_ENABLE;

    fn wanting(wanted: Readiness, mode: Mode) -> Registration {
        let mut registration = Registration::default();
        registration.want(Token::new(0, 1), wanted, mode);
        registration
    }

    /// What the kernel is told.
    fn changes(registration: &mut Registration) -> Vec<(Filter, Flags)> {
        let mut changes = Vec::new();
        registration.push_changes(FD, &mut changes);
        changes
            .iter()
            .map(|change| {
                assert_eq!((change.ident(), change.user_data()), (3, 1));
                assert_eq!(change.flags() & EV_RECEIPT, 0);
                (change.filter(), change.flags())
            })
            .collect()
    }

    fn report(registration: &mut Registration, side: Side, round: u32) -> Option<Readiness> {
        let mut ready = ReadyList::with_limit(8);
        let generation = registration.token().generation();
        let event = Event::new(3, side.filter(), 0, 0, generation);
        registration.report(side, &event, &mut ready, round);
        ready.take().map(|answer| answer.readiness)
    }

    #[test]
    fn both_directions_are_added_enabled_and_deleted() {
        let mut registration = wanting(BOTH, Mode::Level);
        assert!(!registration.is_in_kernel());
        let added = [(EVFILT_READ, ADD), (EVFILT_WRITE, ADD)];
        assert_eq!(changes(&mut registration), added);
        assert_eq!(changes(&mut registration), []);
        assert!(registration.is_in_kernel());
        registration.want_nothing();
        let deleted = [(EVFILT_READ, EV_DELETE), (EVFILT_WRITE, EV_DELETE)];
        assert_eq!(changes(&mut registration), deleted);
        assert!(!registration.is_in_kernel());
    }

    #[test]
    fn what_is_taken_back_before_the_kernel_learns_of_it_is_never_told() {
        let mut registration = wanting(BOTH, Mode::Edge);
        registration.want_nothing();
        assert_eq!(changes(&mut registration), []);
        registration.want(Token::new(0, 1), BOTH, Mode::Level);
        registration.want(Token::new(0, 1), Readiness::WRITABLE, Mode::Level);
        assert_eq!(changes(&mut registration), [(EVFILT_WRITE, ADD)]);
    }

    #[test]
    fn an_edge_that_is_wanted_again_is_looked_for_anew() {
        let mut registration = wanting(Readiness::READABLE, Mode::Edge);
        let added = [(EVFILT_READ, ADD | EV_CLEAR)];
        assert_eq!(changes(&mut registration), added);
        registration.want(Token::new(0, 1), Readiness::READABLE, Mode::Edge);
        assert_eq!(changes(&mut registration), added);
    }

    #[test]
    fn another_mode_is_another_event() {
        let mut registration = wanting(Readiness::READABLE, Mode::Level);
        changes(&mut registration);
        for (mode, flag) in [
            (Mode::Edge, EV_CLEAR),
            (Mode::OneShot, EV_DISPATCH),
            (Mode::Level, 0),
        ] {
            registration.want(Token::new(0, 1), Readiness::READABLE, mode);
            let replaced = [(EVFILT_READ, EV_DELETE), (EVFILT_READ, ADD | flag)];
            assert_eq!(changes(&mut registration), replaced);
        }
    }

    #[test]
    fn a_one_shot_that_has_reported_is_silent_in_both_directions_until_it_is_wanted_again() {
        let mut registration = wanting(BOTH, Mode::OneShot);
        changes(&mut registration);
        assert_eq!(
            report(&mut registration, Side::Write, 1),
            Some(Readiness::WRITABLE)
        );
        assert_eq!(report(&mut registration, Side::Read, 2), None);
        let mut registration = wanting(BOTH, Mode::OneShot);
        changes(&mut registration);
        report(&mut registration, Side::Write, 1);
        assert_eq!(changes(&mut registration), [(EVFILT_READ, EV_DISABLE)]);
        assert_eq!(changes(&mut registration), []);

        registration.want(Token::new(0, 1), BOTH, Mode::OneShot);
        let armed = ADD | EV_DISPATCH;
        assert_eq!(
            changes(&mut registration),
            [(EVFILT_READ, armed), (EVFILT_WRITE, armed)]
        );
        assert_eq!(
            report(&mut registration, Side::Read, 3),
            Some(Readiness::READABLE)
        );
    }

    #[test]
    fn what_the_kernel_has_deleted_is_added_anew_if_it_is_to_be_reported_again() {
        use crate::sys::kqueue::types::{EV_EOF, EV_ONESHOT};

        for (mode, added) in [
            (Mode::Level, &[(EVFILT_WRITE, ADD)][..]),
            (Mode::OneShot, &[]),
        ] {
            let mut registration = wanting(Readiness::WRITABLE, mode);
            changes(&mut registration);
            let mut ready = ReadyList::with_limit(8);
            let last = Event::new(3, EVFILT_WRITE, EV_EOF | EV_ONESHOT, 0, 1);
            registration.report(Side::Write, &last, &mut ready, 1);
            assert_eq!(ready.take().unwrap().readiness, Readiness::WRITABLE);
            assert!(!registration.is_in_kernel());
            assert_eq!(changes(&mut registration), added, "{mode:?}");
        }
    }

    #[test]
    fn an_event_of_another_generation_is_dropped() {
        let mut registration = wanting(BOTH, Mode::Level);
        changes(&mut registration);
        let mut ready = ReadyList::with_limit(8);
        let stale = Event::new(3, EVFILT_READ, 0, 0, 2);
        registration.report(Side::Read, &stale, &mut ready, 1);
        assert!(ready.is_empty());
    }

    #[test]
    fn what_a_failed_call_has_left_open_is_told_again_whatever_the_kernel_has() {
        let mut registration = wanting(BOTH, Mode::OneShot);
        changes(&mut registration);
        registration.doubt(Side::Read);
        assert!(registration.is_in_kernel());
        assert_eq!(
            changes(&mut registration),
            [(EVFILT_READ, EV_DELETE), (EVFILT_READ, ADD | EV_DISPATCH)]
        );
        registration.doubt(Side::Read);
        registration.want_nothing();
        assert_eq!(
            changes(&mut registration),
            [(EVFILT_READ, EV_DELETE), (EVFILT_WRITE, EV_DELETE)]
        );
    }

    #[test]
    fn a_pipe_that_hears_by_reading_reports_nothing_but_the_end_of_its_reader() {
        use crate::sys::kqueue::types::EV_EOF;

        let mut registration = wanting(Readiness::WRITABLE, Mode::Level);
        registration.is_deaf_sink = Some(true);
        let added = [(EVFILT_READ, ADD), (EVFILT_WRITE, ADD)];
        assert_eq!(changes(&mut registration), added);
        let mut ready = ReadyList::with_limit(8);
        let end = Event::new(3, EVFILT_READ, EV_EOF, 0, 1);
        registration.report(Side::Read, &end, &mut ready, 2);
        assert_eq!(ready.take().unwrap().readiness, BROKEN);
    }

    #[test]
    fn a_pipe_that_tells_its_writers_what_is_to_be_read_is_asked_for_it_no_more() {
        let mut registration = wanting(Readiness::WRITABLE, Mode::Level);
        registration.is_deaf_sink = Some(true);
        changes(&mut registration);
        let mut ready = ReadyList::with_limit(8);
        let data = Event::new(3, EVFILT_READ, 0, 0, 1);
        assert!(registration.report(Side::Read, &data, &mut ready, 1));
        assert!(ready.is_empty());
        let no_more = [(EVFILT_READ, EV_DELETE)];
        assert_eq!(changes(&mut registration), no_more);
        assert_eq!(changes(&mut registration), []);
    }

    #[test]
    fn one_end_is_no_hang_up_and_an_error_concerns_both() {
        use crate::sys::kqueue::types::EV_EOF;

        let end = |fflags| Event::new(3, EVFILT_READ, EV_EOF, fflags, 1);
        assert_eq!(answer(Side::Read, &end(0)), Readiness::READABLE);
        assert_eq!(
            answer(Side::Read, &end(54)),
            Readiness::READABLE | Readiness::ERROR
        );
        let notes = Event::new(3, EVFILT_READ, 0, 54, 1);
        assert_eq!(answer(Side::Read, &notes), Readiness::READABLE);
    }
}
