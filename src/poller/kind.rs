//! What readiness means: the one place where kernel events and operations meet.

use std::os::fd::AsFd;

use super::inspect;
use crate::backend::Readiness;
use crate::error::Result;
use crate::ops::Ops;

/// The kind of a channel and, for a stream socket, the state of its connection.
///
/// It decides what the kernel is asked for, and which operations an answer makes ready. For all
/// kinds, an error or a hang-up makes every operation of the interest set ready that can become
/// ready in this state, so that somebody meets the error by reading or writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A listening socket: `ACCEPT`.
    Listener,
    /// A stream socket on which connect has not been called. Linux reports a hang-up for it from
    /// the start, so it is not watched at all until it connects.
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
    /// The kind of a descriptor, as far as the system tells: a socket that is neither connected
    /// nor new may be connecting or broken, and is `Connecting`. So is, on FreeBSD, Solaris and
    /// illumos, one that was bound to a single address before it is connected; and there, where a
    /// pipe goes both ways, each of its ends is `Other`.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`](crate::Error::Unsupported) for what is always ready: regular files,
    /// directories and, where epoll can be asked about them, devices like `/dev/null`.
    /// [`Error::System`](crate::Error::System) if the system does not tell.
    pub fn of(descriptor: impl AsFd) -> Result<Self> {
        inspect::kind_of(descriptor.as_fd())
    }

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

    /// The operations of `interest` that can become ready in this state, by an error all of them.
    pub(super) fn counting(self, interest: Ops) -> Ops {
        match self {
            Self::Unconnected => Ops::empty(),
            Self::Connected => interest - Ops::CONNECT,
            _ => interest,
        }
    }

    /// What the kernel's answers mean in this state for an interest set.
    pub(super) fn meaning(self, interest: Ops) -> Meaning {
        let (reading, writing) = if self == Self::Connecting && interest.contains(Ops::CONNECT) {
            (Ops::empty(), Ops::CONNECT)
        } else {
            (Ops::READ | Ops::ACCEPT, Ops::WRITE | Ops::CONNECT)
        };
        let counting = self.counting(interest);
        Meaning {
            readable: counting & reading,
            writable: counting & writing,
        }
    }
}

/// Which operations become ready by which answer of the kernel, if it is not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meaning {
    readable: Ops,
    writable: Ops,
}

impl Meaning {
    /// What to ask the kernel for; empty means that it is not to watch the descriptor.
    pub(super) fn demand(self) -> Readiness {
        let mut demand = Readiness::empty();
        demand.set(Readiness::READABLE, !self.readable.is_empty());
        demand.set(Readiness::WRITABLE, !self.writable.is_empty());
        demand
    }

    /// The operations that the kernel's answer makes ready.
    #[inline]
    pub(super) fn ready_ops(self, answer: Readiness) -> Ops {
        let mut ready = Ops::empty();
        if answer.contains(Readiness::READABLE) {
            ready |= self.readable;
        }
        if answer.contains(Readiness::WRITABLE) {
            ready |= self.writable;
        }
        ready
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
            let meaning = kind.meaning(Ops::empty());
            assert_eq!(meaning.demand(), Readiness::empty());
            assert_eq!(meaning.ready_ops(Readiness::all()), Ops::empty());
            assert_eq!(kind.counting(Ops::empty()), Ops::empty());
        }
    }

    #[test]
    fn failure_makes_the_whole_interest_ready() {
        let all = Ops::READ | Ops::WRITE | Ops::CONNECT;
        assert_eq!(Kind::Connecting.counting(all), all);
        assert_eq!(Kind::Connected.counting(all), Ops::READ | Ops::WRITE);
        assert_eq!(Kind::Unconnected.counting(all), Ops::empty());
        assert_eq!(Kind::PipeSource.counting(Ops::READ), Ops::READ);
    }

    #[test]
    fn a_pending_connect_is_reported_as_connect_alone() {
        let interest = Ops::READ | Ops::WRITE | Ops::CONNECT;
        let both = Readiness::READABLE | Readiness::WRITABLE;
        assert_eq!(
            Kind::Connecting.meaning(interest).demand(),
            Readiness::WRITABLE
        );
        assert_eq!(
            Kind::Connecting.meaning(interest).ready_ops(both),
            Ops::CONNECT
        );
        assert_eq!(
            Kind::Connecting
                .meaning(Ops::READ | Ops::WRITE)
                .ready_ops(both),
            Ops::READ | Ops::WRITE
        );
        assert_eq!(
            Kind::Connected.meaning(interest).ready_ops(both),
            Ops::READ | Ops::WRITE
        );
        assert_eq!(
            Kind::Connected.meaning(Ops::CONNECT).demand(),
            Readiness::empty()
        );
    }

    #[test]
    fn a_connection_that_waits_is_accepted() {
        assert_eq!(
            Kind::Listener.meaning(Ops::ACCEPT).demand(),
            Readiness::READABLE
        );
        assert_eq!(
            Kind::Listener
                .meaning(Ops::ACCEPT)
                .ready_ops(Readiness::READABLE),
            Ops::ACCEPT
        );
    }
}
