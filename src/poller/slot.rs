//! One registration, as the poller keeps it.

use std::io;
use std::os::fd::RawFd;

use super::kind::{Kind, Meaning};
use crate::backend::Readiness;
use crate::error::Error;
use crate::mode::Mode;
use crate::ops::Ops;
use crate::token::Token;
use crate::wish::Wish;

#[derive(Debug)]
pub(super) struct Slot<S> {
    pub(super) source: S,
    pub(super) token: Token,
    pub(super) fd: RawFd,
    kind: Kind,
    interest: Ops,
    /// What follows from kind and interest.
    meaning: Meaning,
    pub(super) mode: Mode,
    pub(super) watched: Watched,
    /// Whether it is among the poller's changed slots.
    pub(super) queued: bool,
}

/// What the kernel has of a registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watched {
    /// Nothing.
    Not,
    /// It reports this, in the registration's mode.
    For(Readiness),
    /// It has the descriptor but reports nothing: a one-shot that has fired.
    Fired,
    /// It has the descriptor, and must be told again even if nothing differs: the mode has been
    /// replaced, or an edge is to be looked for anew.
    Outdated,
}

/// What the kernel must be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Nothing,
    Add(Readiness),
    Modify(Readiness),
    Remove,
}

impl<S> Slot<S> {
    pub(super) fn new(source: S, fd: RawFd, token: Token, kind: Kind, wish: Wish) -> Self {
        Self {
            source,
            token,
            fd,
            kind,
            interest: wish.interest,
            meaning: kind.meaning(wish.interest),
            mode: wish.mode,
            watched: Watched::Not,
            queued: false,
        }
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    pub(super) fn interest(&self) -> Ops {
        self.interest
    }

    /// With edges it looks for what is there already, too: the kernel may have told it while
    /// nobody was interested, or in another state of the connection.
    pub(super) fn set_interest(&mut self, kind: Kind, interest: Ops) {
        self.kind = kind;
        self.interest = interest;
        self.meaning = kind.meaning(interest);
        if self.mode == Mode::Edge && self.watched != Watched::Not {
            self.watched = Watched::Outdated;
        }
    }

    #[inline]
    pub(super) fn ready_ops(&self, answer: Readiness) -> Ops {
        if answer.intersects(Readiness::FAILED) {
            return self.kind.counting(self.interest);
        }
        self.meaning.ready_ops(answer)
    }

    pub(super) fn replace_mode(&mut self, mode: Mode) {
        self.mode = mode;
        if self.watched != Watched::Not {
            self.watched = Watched::Outdated;
        }
    }

    /// The kernel has refused to watch it.
    pub(super) fn refused(&self, call: &'static str, source: io::Error) -> Error {
        Error::Refused {
            token: self.token,
            fd: self.fd,
            call,
            source,
        }
    }

    pub(super) fn next_step(&self) -> Step {
        let demand = self.meaning.demand();
        match self.watched {
            Watched::Not | Watched::Fired if demand.is_empty() => Step::Nothing,
            Watched::For(known) if known == demand => Step::Nothing,
            Watched::Not => Step::Add(demand),
            _ if demand.is_empty() => Step::Remove,
            _ => Step::Modify(demand),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(interest: Ops, watched: Watched) -> Slot<()> {
        let token = Token::new(0, 1);
        let mode = Mode::Level;
        let mut slot = Slot::new((), 3, token, Kind::Connected, Wish { interest, mode });
        slot.watched = watched;
        slot
    }

    #[test]
    fn only_differences_reach_the_kernel() {
        let readable = Readiness::READABLE;
        assert_eq!(slot(Ops::empty(), Watched::Not).next_step(), Step::Nothing);
        assert_eq!(
            slot(Ops::READ, Watched::Not).next_step(),
            Step::Add(readable)
        );
        assert_eq!(
            slot(Ops::READ, Watched::For(readable)).next_step(),
            Step::Nothing
        );
        assert_eq!(
            slot(Ops::WRITE, Watched::For(readable)).next_step(),
            Step::Modify(Readiness::WRITABLE)
        );
        assert_eq!(
            slot(Ops::empty(), Watched::For(readable)).next_step(),
            Step::Remove
        );
    }

    #[test]
    fn a_fired_one_shot_stays_in_the_kernel_until_it_is_armed_again() {
        assert_eq!(
            slot(Ops::empty(), Watched::Fired).next_step(),
            Step::Nothing
        );
        assert_eq!(
            slot(Ops::READ, Watched::Fired).next_step(),
            Step::Modify(Readiness::READABLE)
        );
    }

    #[test]
    fn an_edge_is_looked_for_anew_when_the_interest_is_set_even_to_the_same() {
        let mut slot = slot(Ops::READ, Watched::For(Readiness::READABLE));
        slot.mode = Mode::Edge;
        slot.set_interest(Kind::Connected, Ops::READ);
        assert_eq!(slot.next_step(), Step::Modify(Readiness::READABLE));
    }

    #[test]
    fn a_new_mode_reaches_the_kernel_even_with_the_same_interest() {
        let mut slot = slot(Ops::READ, Watched::For(Readiness::READABLE));
        slot.replace_mode(Mode::Edge);
        assert_eq!(slot.next_step(), Step::Modify(Readiness::READABLE));
    }
}
