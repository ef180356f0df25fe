//! What is known of each descriptor.

use std::os::fd::RawFd;

use crate::backend::{Readiness, index};
use crate::mode::Mode;
use crate::token::Token;

/// Names one arming of one descriptor: the number of a request to poll it.
///
/// No two armings have the same, so that a completion of an earlier one, which has been
/// cancelled since, is not taken for one of the present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arming {
    pub(super) fd: RawFd,
    pub(super) serial: u32,
}

impl Arming {
    /// The number of every request to cancel another. It belongs to no descriptor.
    pub(super) const CANCELLATION: u64 = u64::MAX;

    pub(super) fn to_number(self) -> u64 {
        u64::from(self.serial) << 32 | u64::from(self.fd.cast_unsigned())
    }

    pub(super) fn from_number(number: u64) -> Self {
        Self {
            fd: (number as u32).cast_signed(),
            serial: (number >> 32) as u32,
        }
    }
}

/// What the kernel has of a descriptor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing, and it is not watched.
    #[default]
    Absent,
    /// Nothing, and nothing is to be done about it: it has fired once, or is examined otherwise.
    Unarmed,
    /// Nothing, but it is to be armed.
    ToArm,
    /// A request to poll it.
    Armed,
    /// Nothing, for it has failed and hung up: nothing more can happen to it. Of a terminal whose
    /// other side is gone the kernel completes each request at once, which would be an edge for
    /// ever.
    Over,
}

/// What is known of one descriptor. There are many, so it is kept small.
#[derive(Clone, Copy, Debug)]
pub(super) struct Watch {
    pub(super) token: Token,
    /// Of the latest arming.
    pub(super) serial: u32,
    /// Where it is among those that are examined by poll(2), or [`NOT_EXAMINED`].
    pub(super) examined: u32,
    /// The wait that reported it last.
    pub(super) reported_in: u32,
    /// Where it was in the list of that wait.
    pub(super) reported_as: u16,
    /// How many earlier armings have been cancelled and not completed yet: as long as there are
    /// any, the kernel keeps the file open.
    pub(super) lingering: u16,
    pub(super) wanted: Readiness,
    pub(super) mode: Mode,
    pub(super) state: State,
    /// Whether it is in the list of those to be armed, though it need not be any more.
    pub(super) listed: bool,
    /// Whether a ring that has been closed may keep its file open.
    pub(super) in_old_ring: bool,
    /// Whether the kernel completes each request for it at once, though nothing has come that is
    /// wanted: then even a one-shot is polled again and again, until it is reported.
    pub(super) half_closed: bool,
}

pub(super) const NOT_EXAMINED: u32 = u32::MAX;

const _: () = assert!(size_of::<Watch>() == 32);

impl Watch {
    /// Whether a completion with these events says anything that was asked for. The kernel adds
    /// that reading has ended, `POLLRDHUP`, to whatever it is asked for.
    pub(super) fn is_concerned_by(&self, events: i32) -> bool {
        let readiness = Readiness::of_poll_events(events.cast_unsigned());
        readiness.intersects(self.wanted | Readiness::FAILED)
    }

    fn new() -> Self {
        Self {
            token: Token::WAKE,
            serial: 0,
            examined: NOT_EXAMINED,
            reported_in: 0,
            reported_as: 0,
            lingering: 0,
            wanted: Readiness::empty(),
            mode: Mode::Level,
            state: State::Absent,
            listed: false,
            in_old_ring: false,
            half_closed: false,
        }
    }
}

/// By descriptor.
#[derive(Debug, Default)]
pub(super) struct Watches(Vec<Watch>);

impl Watches {
    pub(super) fn get(&self, fd: RawFd) -> Option<&Watch> {
        self.0.get(usize::try_from(fd).ok()?)
    }

    pub(super) fn get_mut(&mut self, fd: RawFd) -> Option<&mut Watch> {
        self.0.get_mut(usize::try_from(fd).ok()?)
    }

    /// Of a descriptor that has been added, or was once.
    pub(super) fn known(&mut self, fd: RawFd) -> &mut Watch {
        self.get_mut(fd).expect("it was added")
    }

    pub(super) fn get_or_make(&mut self, fd: RawFd) -> &mut Watch {
        let index = index(fd);
        if self.0.len() <= index {
            if self.0.capacity() <= index {
                // In smaller steps than a vector by itself: it may be large.
                let more = index + 1 - self.0.len();
                self.0.reserve_exact(more.max(self.0.len() / 8));
            }
            self.0.resize_with(index + 1, Watch::new);
        }
        &mut self.0[index]
    }

    /// Those that have been added, and all below them.
    pub(super) fn descriptors(&self) -> impl Iterator<Item = RawFd> + use<> {
        (0..).take(self.0.len())
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (RawFd, &mut Watch)> {
        (0..).zip(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arming_survives_the_way_through_its_number() {
        for (fd, serial) in [(0, 0), (7, 1), (RawFd::MAX, u32::MAX)] {
            let arming = Arming { fd, serial };
            assert_eq!(Arming::from_number(arming.to_number()), arming);
            assert_ne!(arming.to_number(), Arming::CANCELLATION);
        }
    }
}
