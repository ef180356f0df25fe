//! What readiness means: the one place where kernel events and operations meet.

use crate::backend::Readiness;
use crate::ops::Ops;

/// The kind of a channel and, for a stream socket, the state of its connection.
///
/// It decides what the kernel is asked for, and which operations an answer makes ready. For all
/// kinds, an error or a hang-up makes every operation ready that the interest set has and that
/// [counts](Self::counting) in this state, so that somebody meets the error by reading or writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// A listening socket: `ACCEPT`.
    Listener,
    /// A stream socket on which connect has not been called. The kernel reports a hang-up for
    /// it from the start, so it is not watched at all until it connects.
    Unconnected,
    /// A stream socket whose connect is pending. While `CONNECT` is in the interest set it alone
    /// becomes ready; `READ` and `WRITE` follow when the connect has been finished. Without
    /// `CONNECT`, `WRITE` becomes ready when the connection stands or has failed.
    Connecting,
    /// A connected stream socket: `READ` and `WRITE`. `CONNECT` is never ready again.
    Connected,
    /// A datagram socket: `READ` and `WRITE`.
    Datagram,
    /// The end of a pipe that is read from: `READ`, also when the last writer is gone.
    PipeSource,
    /// The end of a pipe that is written to: `WRITE`, also when the last reader is gone.
    PipeSink,
    /// Any other descriptor that can be watched: `READ` and `WRITE`.
    Other,
}

impl Kind {
    const ALL: [Self; 8] = [
        Self::Listener,
        Self::Unconnected,
        Self::Connecting,
        Self::Connected,
        Self::Datagram,
        Self::PipeSource,
        Self::PipeSink,
        Self::Other,
    ];

    pub(crate) fn from_index(index: u8) -> Self {
        Self::ALL[usize::from(index)]
    }

    /// The operations that an interest set may have (`SelectableChannel.validOps`).
    pub const fn valid_ops(self) -> Ops {
        match self {
            Self::Listener => Ops::ACCEPT,
            Self::Unconnected | Self::Connecting | Self::Connected => {
                Ops::READ.union(Ops::WRITE).union(Ops::CONNECT)
            }
            Self::Datagram | Self::Other => Ops::READ.union(Ops::WRITE),
            Self::PipeSource => Ops::READ,
            Self::PipeSink => Ops::WRITE,
        }
    }

    /// The operations of `interest` that can become ready in this state.
    #[inline]
    pub const fn counting(self, interest: Ops) -> Ops {
        match self {
            Self::Unconnected => Ops::empty(),
            Self::Connected => interest.difference(Ops::CONNECT),
            _ => interest,
        }
    }

    /// What to ask the kernel for; empty means that it is not to watch the descriptor.
    pub(crate) fn demand(self, interest: Ops) -> Readiness {
        let (reading, writing) = self.directions(interest);
        let interest = self.counting(interest);
        let mut demand = Readiness::empty();
        demand.set(Readiness::READABLE, interest.intersects(reading));
        demand.set(Readiness::WRITABLE, interest.intersects(writing));
        demand
    }

    /// The operations of `interest` that the kernel's answer makes ready.
    #[inline]
    pub(crate) fn ready_ops(self, interest: Ops, answer: Readiness) -> Ops {
        let counting = self.counting(interest);
        if answer.contains(Readiness::FAILED) {
            return counting;
        }
        let (reading, writing) = self.directions(interest);
        let mut ready = Ops::empty();
        if answer.contains(Readiness::READABLE) {
            ready |= counting & reading;
        }
        if answer.contains(Readiness::WRITABLE) {
            ready |= counting & writing;
        }
        ready
    }

    /// Which operations "readable" and which "writable" stand for.
    #[inline]
    fn directions(self, interest: Ops) -> (Ops, Ops) {
        if self == Self::Connecting && interest.contains(Ops::CONNECT) {
            (Ops::empty(), Ops::CONNECT)
        } else {
            (Ops::READ | Ops::ACCEPT, Ops::WRITE | Ops::CONNECT)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_survives_the_way_through_its_index() {
        for kind in Kind::ALL {
            assert_eq!(Kind::from_index(kind as u8), kind);
        }
    }

    #[test]
    fn no_interest_asks_for_nothing_and_gets_nothing() {
        for kind in Kind::ALL {
            assert_eq!(kind.demand(Ops::empty()), Readiness::empty());
            assert_eq!(kind.ready_ops(Ops::empty(), Readiness::all()), Ops::empty());
        }
    }

    #[test]
    fn failure_makes_the_whole_interest_ready() {
        let all = Ops::READ | Ops::WRITE | Ops::CONNECT;
        assert_eq!(Kind::Connecting.ready_ops(all, Readiness::FAILED), all);
        assert_eq!(
            Kind::Connected.ready_ops(all, Readiness::FAILED),
            Ops::READ | Ops::WRITE
        );
        assert_eq!(
            Kind::Unconnected.ready_ops(all, Readiness::all()),
            Ops::empty()
        );
        assert_eq!(
            Kind::PipeSource.ready_ops(Ops::READ, Readiness::FAILED),
            Ops::READ
        );
    }

    #[test]
    fn a_pending_connect_is_reported_as_connect_alone() {
        let interest = Ops::READ | Ops::WRITE | Ops::CONNECT;
        let both = Readiness::READABLE | Readiness::WRITABLE;
        assert_eq!(Kind::Connecting.demand(interest), Readiness::WRITABLE);
        assert_eq!(Kind::Connecting.ready_ops(interest, both), Ops::CONNECT);
        assert_eq!(
            Kind::Connecting.ready_ops(Ops::READ | Ops::WRITE, both),
            Ops::READ | Ops::WRITE
        );
        assert_eq!(
            Kind::Connected.ready_ops(interest, both),
            Ops::READ | Ops::WRITE
        );
        assert_eq!(Kind::Connected.demand(Ops::CONNECT), Readiness::empty());
    }

    #[test]
    fn a_connection_that_waits_is_accepted() {
        assert_eq!(Kind::Listener.demand(Ops::ACCEPT), Readiness::READABLE);
        assert_eq!(
            Kind::Listener.ready_ops(Ops::ACCEPT, Readiness::READABLE),
            Ops::ACCEPT
        );
    }
}
