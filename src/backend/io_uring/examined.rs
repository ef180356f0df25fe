//! Descriptors of which it is asked anew at each wait whether they are ready.

use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

use crate::sys::poll::{self, PollFd};

/// In the order in which they are to be reported.
#[derive(Default)]
pub(super) struct Examined {
    entries: Vec<PollFd>,
    /// How many, at the front, were ready at the last look but found no room in the list.
    left_out: usize,
}

/// In the place of a descriptor that has been removed: poll(2) passes over it.
const REMOVED: RawFd = -1;

impl Examined {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn entry(&self, place: usize) -> &PollFd {
        &self.entries[place]
    }

    /// Its place.
    pub(super) fn push(&mut self, fd: RawFd, events: u8) -> u32 {
        let place = u32::try_from(self.entries.len()).expect("descriptors are 32-bit numbers");
        self.entries.push(PollFd {
            fd,
            events: events.into(),
            revents: 0,
        });
        place
    }

    /// Takes it out without moving the others.
    pub(super) fn remove(&mut self, place: u32) {
        let entry = &mut self.entries[place as usize];
        entry.fd = REMOVED;
        entry.revents = 0;
    }

    /// Whether any of them is ready; `revents` tells which.
    pub(super) fn look(&mut self) -> io::Result<bool> {
        if self.entries.iter().all(|entry| entry.fd == REMOVED) {
            return Ok(false);
        }
        look_at(&mut self.entries)
    }

    /// Brings those that have come since there were `before` to where they have their turn: behind
    /// those that were left out, before those that have been reported. Tells `moved` where each
    /// is now.
    pub(super) fn line_up(&mut self, before: usize, moved: impl FnMut(RawFd, u32)) {
        let reported = before - self.left_out;
        if reported > 0 && self.entries.len() > before {
            self.entries[self.left_out..].rotate_left(reported);
            self.tell_places(moved);
        }
    }

    /// After a look at them: brings to the front the `left_out` that begin at `first`, leaves out
    /// what has been removed, and tells `moved` where each is now.
    pub(super) fn rearrange(
        &mut self,
        first: usize,
        left_out: usize,
        moved: impl FnMut(RawFd, u32),
    ) {
        self.entries.rotate_left(first);
        self.entries.retain(|entry| entry.fd != REMOVED);
        self.left_out = left_out;
        self.tell_places(moved);
    }

    /// After a look at them, when all have been reported and stay where they are.
    pub(super) fn none_is_left_out(&mut self) {
        self.left_out = 0;
    }

    fn tell_places(&self, mut moved: impl FnMut(RawFd, u32)) {
        for (place, entry) in (0..).zip(&self.entries) {
            if entry.fd != REMOVED {
                moved(entry.fd, place);
            }
        }
    }
}

/// poll(2) takes no more than `RLIMIT_NOFILE` at once, which may have been lowered.
fn look_at(entries: &mut [PollFd]) -> io::Result<bool> {
    match poll::poll(entries, Some(Duration::ZERO)) {
        Ok(ready) => Ok(ready > 0),
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) && entries.len() > 1 => {
            let (first, second) = entries.split_at_mut(entries.len() / 2);
            Ok(look_at(first)? | look_at(second)?)
        }
        Err(error) => Err(error),
    }
}
