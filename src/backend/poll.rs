//! poll(2).

use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

use super::{Mechanism, Readiness, ReadyList, index};
use crate::error::{Error, Result};
use crate::mode::Mode;
use crate::sys::poll::{self, PollFd};
use crate::token::Token;

/// A dense array for the kernel, and beside it what belongs to each entry.
#[derive(Default)]
pub(super) struct Poll {
    entries: Vec<PollFd>,
    tokens: Vec<Token>,
    /// By descriptor, where in the array it is; [`ABSENT`] if it is not.
    places: Vec<u32>,
    /// Where the next round begins to look, so that a full buffer starves nobody.
    next: usize,
}

const ABSENT: u32 = u32::MAX;

impl std::fmt::Debug for Poll {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Poll")
            .field("descriptors", &self.entries.len())
            .finish_non_exhaustive()
    }
}

impl Poll {
    fn place(&self, fd: RawFd) -> Option<usize> {
        let place = *self.places.get(index(fd))?;
        (place != ABSENT).then_some(place as usize)
    }

    fn set_place(&mut self, fd: RawFd, place: usize) {
        let place = u32::try_from(place).expect("a descriptor table has fewer entries");
        if self.places.len() <= index(fd) {
            self.places.resize(index(fd) + 1, ABSENT);
        }
        self.places[index(fd)] = place;
    }

    fn collect(&mut self, ready: &mut ReadyList, mut outstanding: usize) {
        let total = self.entries.len();
        let start = if self.next < total { self.next } else { 0 };
        for place in (start..total).chain(0..start) {
            if outstanding == 0 {
                break;
            }
            let entry = &self.entries[place];
            if entry.revents == 0 {
                continue;
            }
            if ready.is_full() {
                self.next = place;
                break;
            }
            outstanding -= 1;
            ready.push(self.tokens[place], Readiness::of_revents(entry.revents));
        }
    }

    fn remove_at(&mut self, place: usize) {
        let removed = self.entries.swap_remove(place);
        self.tokens.swap_remove(place);
        self.places[index(removed.fd)] = ABSENT;
        if let Some(moved) = self.entries.get(place) {
            self.set_place(moved.fd, place);
        }
    }
}

impl Mechanism for Poll {
    fn supports(&self, mode: Mode) -> bool {
        mode == Mode::Level
    }

    fn add(&mut self, fd: RawFd, token: Token, wanted: Readiness, _mode: Mode) -> Result<()> {
        if poll::mistakes_for_closed(fd) {
            let why = io::Error::from_raw_os_error(libc::ENOTSUP);
            return Err(Error::system("poll", why));
        }
        self.set_place(fd, self.entries.len());
        self.entries.push(PollFd {
            fd,
            events: wanted.to_events(),
            revents: 0,
        });
        self.tokens.push(token);
        Ok(())
    }

    fn modify(&mut self, fd: RawFd, token: Token, wanted: Readiness, mode: Mode) -> Result<()> {
        let Some(place) = self.place(fd) else {
            return self.add(fd, token, wanted, mode);
        };
        self.entries[place].events = wanted.to_events();
        self.tokens[place] = token;
        Ok(())
    }

    fn remove(&mut self, fd: RawFd) -> Result<()> {
        if let Some(place) = self.place(fd) {
            self.remove_at(place);
        }
        Ok(())
    }

    fn wait(&mut self, ready: &mut ReadyList, timeout: Option<Duration>) -> io::Result<()> {
        let outstanding = poll::poll(&mut self.entries, timeout)?;
        self.collect(ready, outstanding);
        Ok(())
    }
}
