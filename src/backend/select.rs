//! select(2).

use std::io;
use std::mem;
use std::os::fd::RawFd;
use std::time::Duration;

use super::{Mechanism, Readiness, ReadyList, index};
use crate::error::{Error, Result};
use crate::mode::Mode;
use crate::sys::descriptor_set::DescriptorSet;
use crate::sys::poll::{self, PollFd};
use crate::sys::select;
use crate::token::Token;

/// What is asked for, and what the last call answered.
#[derive(Default)]
pub(super) struct Select {
    wanted: Sets,
    answer: Sets,
    /// Those of the answer that are looked at, for poll(2).
    gathered: Vec<PollFd>,
    /// By descriptor.
    tokens: Vec<Token>,
    /// No wanted descriptor is larger.
    highest: RawFd,
    /// Where the next round begins to look, so that a full buffer starves nobody.
    next: RawFd,
}

impl std::fmt::Debug for Select {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Select")
            .field("highest", &self.highest)
            .finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Sets {
    readable: DescriptorSet,
    writable: DescriptorSet,
}

impl Sets {
    fn copy_from(&mut self, other: &Self) {
        self.readable.copy_from(&other.readable);
        self.writable.copy_from(&other.writable);
    }

    fn highest(&self) -> RawFd {
        self.readable
            .highest()
            .max(self.writable.highest())
            .unwrap_or(0)
    }

    fn demand(&self, fd: RawFd) -> Readiness {
        let mut demand = Readiness::empty();
        demand.set(Readiness::READABLE, self.readable.contains(fd));
        demand.set(Readiness::WRITABLE, self.writable.contains(fd));
        demand
    }

    fn first(&self, from: RawFd) -> Option<RawFd> {
        self.readable.first_of_either(&self.writable, from)
    }
}

impl Select {
    fn token(&self, fd: RawFd) -> Token {
        self.tokens[index(fd)]
    }

    /// The sets tell which descriptors have something to tell, but not of what kind: an error or
    /// a hang-up is "readable" or "writable" there. So poll(2) is asked about those that are
    /// ready, and the answers are the same as on every other backend.
    fn collect(&mut self, ready: &mut ReadyList) -> io::Result<()> {
        self.gather(ready.limit());
        poll::poll(&mut self.gathered, Some(Duration::ZERO))?;
        for entry in &self.gathered {
            let readiness = if entry.revents & libc::POLLNVAL == 0 {
                Readiness::of_revents(entry.revents)
            } else {
                // A device of macOS, which poll(2) does not know. Or it has just been closed: the
                // next call tells.
                self.answer.demand(entry.fd)
            };
            if !readiness.is_empty() {
                ready.push(self.token(entry.fd), readiness);
            }
        }
        Ok(())
    }

    /// At most `limit` of those that are ready, from where the last round ended.
    fn gather(&mut self, limit: usize) {
        self.gathered.clear();
        let start = mem::take(&mut self.next);
        self.gather_range(start, RawFd::MAX, limit);
        if self.next == 0 && start > 0 {
            self.gather_range(0, start, limit);
        }
    }

    fn gather_range(&mut self, from: RawFd, until: RawFd, limit: usize) {
        let mut from = from;
        while let Some(fd) = self.answer.first(from) {
            if fd >= until {
                break;
            }
            if self.gathered.len() == limit {
                self.next = fd;
                break;
            }
            let events = self.wanted.demand(fd).to_events();
            self.gathered.push(PollFd {
                fd,
                events,
                revents: 0,
            });
            from = fd + 1;
        }
    }

    /// One closed descriptor makes select(2) fail for all, and does not say which it is.
    fn collect_dead(&self, ready: &mut ReadyList) -> io::Result<()> {
        let mut from = 0;
        while let Some(fd) = self.wanted.first(from) {
            if ready.is_full() {
                break;
            }
            if poll::is_closed(fd)? {
                ready.push(self.token(fd), Readiness::DEAD);
            }
            from = fd + 1;
        }
        Ok(())
    }
}

impl Mechanism for Select {
    fn supports(&self, mode: Mode) -> bool {
        mode == Mode::Level
    }

    fn add(&mut self, fd: RawFd, token: Token, wanted: Readiness, mode: Mode) -> Result<()> {
        if !select::takes(fd) {
            let why = io::Error::from_raw_os_error(libc::EINVAL);
            return Err(Error::system("select", why));
        }
        let index = index(fd);
        if self.tokens.len() <= index {
            self.tokens.resize(index + 1, Token::WAKE);
        }
        self.tokens[index] = token;
        self.highest = self.highest.max(fd);
        self.modify(fd, token, wanted, mode)
    }

    fn modify(&mut self, fd: RawFd, _token: Token, wanted: Readiness, _mode: Mode) -> Result<()> {
        self.wanted
            .readable
            .set(fd, wanted.contains(Readiness::READABLE));
        self.wanted
            .writable
            .set(fd, wanted.contains(Readiness::WRITABLE));
        Ok(())
    }

    fn remove(&mut self, fd: RawFd) -> Result<()> {
        self.wanted.readable.remove(fd);
        self.wanted.writable.remove(fd);
        if fd == self.highest {
            self.highest = self.wanted.highest();
        }
        Ok(())
    }

    fn wait(&mut self, ready: &mut ReadyList, timeout: Option<Duration>) -> io::Result<()> {
        self.answer.copy_from(&self.wanted);
        let Sets { readable, writable } = &mut self.answer;
        match select::select(self.highest, readable, writable, timeout) {
            Ok(0) => Ok(()),
            Ok(_) => self.collect(ready),
            Err(error) if error.raw_os_error() == Some(libc::EBADF) => self.collect_dead(ready),
            Err(error) => Err(error),
        }
    }
}
