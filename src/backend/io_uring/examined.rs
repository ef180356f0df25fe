//! Descriptors of which it is asked anew at each wait whether they are ready.

use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

use crate::sys::poll::{self, PollFd};

/// In the order in which they are to be reported.
#[derive(Default)]
pub(super) struct Examined {
    entries: Vec<PollFd>,
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
        look_at(&mut self.entries)
    }

    /// Brings what begins at `first` to the front, leaves out what has been removed, and tells
    /// `moved` where each is now.
    pub(super) fn rearrange(&mut self, first: usize, mut moved: impl FnMut(RawFd, u32)) {
        self.entries.rotate_left(first);
        self.entries.retain(|entry| entry.fd != REMOVED);
        for (place, entry) in (0..).zip(&self.entries) {
            moved(entry.fd, place);
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
