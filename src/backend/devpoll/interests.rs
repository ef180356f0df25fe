//! What is wanted of each descriptor, what the kernel has of it, and how to make them agree.

use std::os::fd::RawFd;

use crate::backend::{Readiness, index};
use crate::sys::devpoll::{POLLREMOVE, PollFd};
use crate::token::Token;

/// By descriptor: the kernel answers with numbers and carries nothing of ours.
#[derive(Debug, Default)]
pub(super) struct Interests {
    slots: Vec<Slot>,
    /// Those that may differ from what the kernel has, each once.
    changed: Vec<RawFd>,
}

#[derive(Clone, Debug)]
struct Slot {
    token: Token,
    /// Nothing: it is not to be watched.
    wanted: Readiness,
    kernel: Kernel,
    /// Whether it is among the changed ones.
    queued: bool,
}

/// What the kernel has of a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kernel {
    Nothing,
    Watches(Readiness),
    /// Anything: a write has failed, or it reports what it was not asked for.
    Unknown,
}

const UNUSED: Slot = Slot {
    token: Token::WAKE,
    wanted: Readiness::empty(),
    kernel: Kernel::Nothing,
    queued: false,
};

impl Interests {
    /// Another registration's token means that the number has been used again: what the kernel
    /// has under it, if anything, is of the one before.
    pub(super) fn want(&mut self, fd: RawFd, token: Token, wanted: Readiness) {
        let slot = self.slot_mut(fd);
        if slot.token != token && slot.kernel != Kernel::Nothing {
            slot.kernel = Kernel::Unknown;
        }
        slot.token = token;
        slot.wanted = wanted;
        self.queue(fd);
    }

    pub(super) fn want_nothing(&mut self, fd: RawFd) {
        self.slot_mut(fd).wanted = Readiness::empty();
        self.queue(fd);
    }

    /// The kernel has been told to remove it.
    pub(super) fn removed(&mut self, fd: RawFd) {
        let slot = self.slot_mut(fd);
        slot.wanted = Readiness::empty();
        slot.kernel = Kernel::Nothing;
    }

    /// What the kernel has is not known any more. The next write tells it anew.
    pub(super) fn doubt(&mut self, fd: RawFd) {
        self.slot_mut(fd).kernel = Kernel::Unknown;
        self.queue(fd);
    }

    /// As [`doubt`](Self::doubt), for all that was to be written.
    pub(super) fn doubt_changed(&mut self) {
        for place in 0..self.changed.len() {
            self.doubt(self.changed[place]);
        }
    }

    /// As [`doubt`](Self::doubt), for all that the kernel may have.
    pub(super) fn doubt_all(&mut self) {
        for index in 0..self.slots.len() {
            if self.slots[index].kernel != Kernel::Nothing {
                self.doubt(RawFd::try_from(index).expect("it was a descriptor"));
            }
        }
    }

    /// The kernel has taken all that [`entries_for`](Self::entries_for) gave.
    pub(super) fn settle(&mut self, fd: RawFd) {
        let slot = self.slot_mut(fd);
        slot.kernel = if slot.wanted.is_empty() {
            Kernel::Nothing
        } else {
            Kernel::Watches(slot.wanted)
        };
    }

    pub(super) fn may_be_in_kernel(&self, fd: RawFd) -> bool {
        self.slot(fd).kernel != Kernel::Nothing
    }

    pub(super) fn token(&self, fd: RawFd) -> Token {
        self.slot(fd).token
    }

    pub(super) fn wanted(&self, fd: RawFd) -> Readiness {
        self.slot(fd).wanted
    }

    pub(super) fn changed(&self) -> &[RawFd] {
        &self.changed
    }

    /// The next of the changed ones, which then is none any more.
    pub(super) fn take_changed(&mut self) -> Option<RawFd> {
        let fd = self.changed.pop()?;
        self.slot_mut(fd).queued = false;
        Some(fd)
    }

    /// Adds what is to be written so that the kernel has what is wanted: nothing, if it has.
    ///
    /// The kernel adds what is written to what it has. Only by a removal before it can anything
    /// be taken away.
    pub(super) fn entries_for(&self, fd: RawFd, entries: &mut Vec<PollFd>) {
        let &Slot { wanted, kernel, .. } = self.slot(fd);
        let (removes, adds) = match kernel {
            Kernel::Nothing => (false, !wanted.is_empty()),
            Kernel::Watches(known) => (
                !wanted.contains(known),
                wanted != known && !wanted.is_empty(),
            ),
            Kernel::Unknown => (true, !wanted.is_empty()),
        };
        if removes {
            entries.push(removal(fd));
        }
        if adds {
            entries.push(entry(fd, wanted.to_events()));
        }
    }

    fn queue(&mut self, fd: RawFd) {
        let slot = self.slot_mut(fd);
        if !slot.queued {
            slot.queued = true;
            self.changed.push(fd);
        }
    }

    fn slot(&self, fd: RawFd) -> &Slot {
        self.slots.get(index(fd)).unwrap_or(&UNUSED)
    }

    fn slot_mut(&mut self, fd: RawFd) -> &mut Slot {
        let index = index(fd);
        if self.slots.len() <= index {
            self.slots.resize(index + 1, UNUSED);
        }
        &mut self.slots[index]
    }
}

pub(super) fn removal(fd: RawFd) -> PollFd {
    entry(fd, POLLREMOVE)
}

fn entry(fd: RawFd, events: libc::c_short) -> PollFd {
    PollFd {
        fd,
        events,
        revents: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FD: RawFd = 5;
    const READABLE: Readiness = Readiness::READABLE;
    const WRITABLE: Readiness = Readiness::WRITABLE;

    fn token(generation: u32) -> Token {
        Token::new(0, generation)
    }

    /// The events of what would be written, in order. The kernel has taken it then.
    fn written(interests: &mut Interests) -> Vec<libc::c_short> {
        let mut entries = Vec::new();
        while let Some(fd) = interests.take_changed() {
            interests.entries_for(fd, &mut entries);
            interests.settle(fd);
        }
        assert!(entries.iter().all(|entry| entry.fd == FD));
        entries.iter().map(|entry| entry.events).collect()
    }

    #[test]
    fn only_narrowing_removes_first() {
        let mut interests = Interests::default();
        let mut change_to = |wanted| {
            if wanted == Readiness::empty() {
                interests.want_nothing(FD);
            } else {
                interests.want(FD, token(1), wanted);
            }
            written(&mut interests)
        };
        let both = READABLE | WRITABLE;
        assert_eq!(change_to(READABLE), [libc::POLLIN]);
        assert_eq!(change_to(READABLE), []);
        assert_eq!(change_to(both), [libc::POLLIN | libc::POLLOUT]);
        assert_eq!(change_to(WRITABLE), [POLLREMOVE, libc::POLLOUT]);
        assert_eq!(change_to(READABLE), [POLLREMOVE, libc::POLLIN]);
        assert_eq!(change_to(Readiness::empty()), [POLLREMOVE]);
        assert_eq!(change_to(Readiness::empty()), []);
    }

    #[test]
    fn changes_that_cancel_out_are_not_written() {
        let mut interests = Interests::default();
        interests.want(FD, token(1), READABLE);
        interests.want_nothing(FD);
        assert_eq!(written(&mut interests), []);
        interests.want(FD, token(1), READABLE);
        assert_eq!(written(&mut interests), [libc::POLLIN]);
        interests.want_nothing(FD);
        interests.want(FD, token(1), READABLE);
        assert_eq!(written(&mut interests), []);
    }

    #[test]
    fn what_another_generation_has_left_is_removed_first() {
        let mut interests = Interests::default();
        interests.want(FD, token(1), READABLE);
        written(&mut interests);
        interests.want(FD, token(2), READABLE);
        assert_eq!(written(&mut interests), [POLLREMOVE, libc::POLLIN]);
    }

    #[test]
    fn what_is_in_doubt_is_removed_first() {
        let mut interests = Interests::default();
        interests.want(FD, token(1), READABLE);
        written(&mut interests);
        interests.doubt(FD);
        assert!(interests.may_be_in_kernel(FD));
        assert_eq!(written(&mut interests), [POLLREMOVE, libc::POLLIN]);
        interests.want_nothing(FD);
        interests.doubt(FD);
        assert_eq!(written(&mut interests), [POLLREMOVE]);
        assert!(!interests.may_be_in_kernel(FD));
    }
}
