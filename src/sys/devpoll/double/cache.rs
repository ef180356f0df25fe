//! Which descriptors a device watches, and for what.

use std::convert;
use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

use super::hooks;
use crate::sys::devpoll::types::{POLLREMOVE, PollFd};
use crate::sys::{descriptor, poll};

/// The set of one device.
#[derive(Debug, Default)]
pub(super) struct Cache {
    /// By descriptor, ascending, as the kernel scans them.
    entries: Vec<PollFd>,
    /// What was asked for descriptors that were not open. They are not polled, and cannot be
    /// removed either, but once one is added while it is open, this comes with it.
    latent: Vec<PollFd>,
    /// Where the next scan begins.
    cursor: RawFd,
    /// What a scan has found, before it is known whether the call succeeds.
    found: Vec<PollFd>,
}

impl Cache {
    /// One entry of a write. Whether there is something new to poll; an error is that of the
    /// descriptor's driver.
    pub(super) fn apply(&mut self, change: &PollFd) -> io::Result<bool> {
        if change.fd < 0 {
            return Ok(false);
        }
        let place = self.place_of(change.fd);
        if change.events == POLLREMOVE {
            if let Ok(place) = place {
                self.entries.remove(place);
            }
            return Ok(false);
        }
        if !descriptor::is_open(change.fd) {
            self.note_for_closed(change, place);
            return Ok(false);
        }
        if place.is_ok_and(|place| self.entries[place].events == change.events) {
            return Ok(false);
        }
        hooks::ask_driver(change.fd)?;
        let place = place.unwrap_or_else(|place| self.insert(place, change.fd));
        self.entries[place].events |= change.events;
        Ok(true)
    }

    fn place_of(&self, fd: RawFd) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&fd, |entry| entry.fd)
    }

    fn note_for_closed(&mut self, change: &PollFd, place: Result<usize, usize>) {
        let entry = match place {
            Ok(place) => &mut self.entries[place],
            Err(_) => match self.latent.iter().position(|entry| entry.fd == change.fd) {
                Some(place) => &mut self.latent[place],
                None => {
                    self.latent.push(*change);
                    return;
                }
            },
        };
        entry.events |= change.events;
    }

    fn insert(&mut self, place: usize, fd: RawFd) -> usize {
        let old = self.latent.iter().position(|entry| entry.fd == fd);
        let events = old.map_or(0, |old| self.latent.swap_remove(old).events);
        let entry = PollFd {
            fd,
            events,
            revents: 0,
        };
        self.entries.insert(place, entry);
        place
    }

    #[cfg(test)]
    pub(super) fn events_of(&self, fd: RawFd) -> Option<libc::c_short> {
        let place = self.place_of(fd).ok()?;
        Some(self.entries[place].events)
    }

    pub(super) fn copy_to(&self, entries: &mut Vec<PollFd>) {
        entries.extend_from_slice(&self.entries);
    }

    /// Polls every descriptor once, from where the last scan has stopped, until there is no more
    /// room, and fills in what is ready. If a driver fails, nothing is filled in.
    pub(super) fn scan(&mut self, answers: &mut [PollFd]) -> io::Result<usize> {
        poll::poll(&mut self.entries, Some(Duration::ZERO))?;
        self.found.clear();
        let total = self.entries.len();
        let start = self.place_of(self.cursor).unwrap_or_else(convert::identity);
        let mut places = (start..total).chain(0..start);
        while let Some(place) = places.next() {
            let entry = self.entries[place];
            if let Err(error) = hooks::ask_driver(entry.fd) {
                self.cursor = entry.fd + 1;
                return Err(error);
            }
            if entry.revents == 0 {
                continue;
            }
            self.found.push(entry);
            if self.found.len() == answers.len() {
                // After a whole round it begins where this one began.
                if places.next().is_some() {
                    self.cursor = entry.fd + 1;
                }
                break;
            }
        }
        answers[..self.found.len()].copy_from_slice(&self.found);
        Ok(self.found.len())
    }
}
