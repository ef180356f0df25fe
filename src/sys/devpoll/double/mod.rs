//! An imitation of the device within the process, for tests on Linux.
//!
//! It does what the driver of illumos does, which Solaris has given it, as far as poll(7d) and
//! its source tell; where the manual page is stricter, it is as strict. In particular:
//!
//! - The events of an entry are added to those that the descriptor is watched for already.
//!   `POLLREMOVE` and nothing else removes; of what is not watched, it is ignored.
//! - An entry for a number that is not open is ignored without a word. A descriptor that is
//!   closed later is `POLLNVAL` in every poll, and if its number is used again, the new file is
//!   polled for the old events.
//! - A driver that cannot poll its descriptor ends a write: what came before has been applied.
//! - A poll goes round in a circle from where the last one ran out of room. If it fails it has
//!   filled in nothing. Without room it only sleeps.
//! - The device belongs to the process that first writes to it or polls it; for every other it
//!   is `EACCES`. It may be polled by any number of threads, and an addition wakes them all.
//!
//! The handle has a number in the process's table, which a child inherits; to poll(2) it is
//! `POLLERR`, as the device is. What a device watches is found by its handle alone, not in a
//! table of all devices: another thread might hold that one's lock while the process forks.

mod cache;
mod hooks;
mod sleepers;

pub use hooks::{Calls, FailingDriver, calls, fail_next_write};

use std::io;
use std::mem;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::descriptor_limit;
use super::types::{DvPoll, PollFd};
use crate::sys::poll;
use cache::Cache;
use sleepers::Sleepers;

/// The device, opened.
#[derive(Debug)]
pub(super) struct Handle {
    /// The writing end of a pipe without a reader, which is an error to poll(2), always.
    number: OwnedFd,
    /// The process that may use it; 0 before the first use.
    owner: AtomicU32,
    sleepers: Sleepers,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    cache: Cache,
    sleepers: sleepers::Count,
    /// For what a sleeping thread polls, so that it need not allocate each time.
    spare: Vec<PollFd>,
}

impl Handle {
    pub(super) fn open() -> io::Result<Self> {
        hooks::count(|calls| &mut calls.opens);
        let (_, without_reader) = io::pipe()?;
        Ok(Self {
            number: without_reader.into(),
            owner: AtomicU32::new(0),
            sleepers: Sleepers::new()?,
            state: Mutex::default(),
        })
    }

    /// How many bytes have been taken.
    pub(super) fn write(&self, entries: &[PollFd]) -> io::Result<usize> {
        hooks::count(|calls| &mut calls.writes);
        self.check_owner()?;
        hooks::before_write()?;
        if entries.len() > descriptor_limit() {
            return Err(invalid());
        }
        let mut state = self.state();
        let mut has_news = false;
        let outcome = entries.iter().try_for_each(|entry| {
            has_news |= state.cache.apply(entry)?;
            Ok(())
        });
        if has_news {
            self.sleepers.wake(&mut state.sleepers);
        }
        outcome.map(|()| size_of_val(entries))
    }

    pub(super) fn poll(&self, request: &mut DvPoll<'_>) -> io::Result<usize> {
        hooks::count(|calls| &mut calls.polls);
        self.check_owner()?;
        let deadline = Deadline::after(request.timeout());
        let answers = request.answers();
        if answers.len() >= descriptor_limit() {
            return Err(invalid());
        }
        if answers.is_empty() {
            return poll::poll(&mut [], deadline.remaining());
        }
        let mut state = self.state();
        loop {
            let found = state.cache.scan(answers)?;
            let remaining = deadline.remaining();
            if found > 0 || remaining == Some(Duration::ZERO) {
                return Ok(found);
            }
            state = self.sleep(state, remaining)?;
        }
    }

    /// Whether the descriptor of `entry` is watched; then its `revents` are what for.
    #[cfg(test)]
    pub(super) fn is_polled(&self, entry: &mut PollFd) -> io::Result<bool> {
        self.check_owner()?;
        let events = self.state().cache.events_of(entry.fd);
        entry.revents = events.unwrap_or(entry.revents);
        Ok(events.is_some())
    }

    /// Until something may be ready. The lock is free meanwhile.
    fn sleep<'a>(
        &'a self,
        state: MutexGuard<'a, State>,
        timeout: Option<Duration>,
    ) -> io::Result<MutexGuard<'a, State>> {
        let mut state = self.sleepers.lie_down(state);
        let mut polled = mem::take(&mut state.spare);
        polled.clear();
        state.cache.copy_to(&mut polled);
        drop(state);
        polled.push(PollFd {
            fd: self.sleepers.bell(),
            events: libc::POLLIN,
            revents: 0,
        });
        let outcome = poll::poll(&mut polled, timeout);
        let mut state = self.state();
        state.spare = polled;
        self.sleepers.get_up(&mut state.sleepers);
        outcome.map(|_| state)
    }

    /// Before anything is locked: in a child the lock may be held by a thread that it has not.
    fn check_owner(&self) -> io::Result<()> {
        let process = std::process::id();
        let first = self
            .owner
            .compare_exchange(0, process, Ordering::Relaxed, Ordering::Relaxed);
        match first {
            Err(owner) if owner != process => Err(io::Error::from_raw_os_error(libc::EACCES)),
            _ => Ok(()),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AsFd for Handle {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.number.as_fd()
    }
}

/// When a poll is over, by its milliseconds; never if there is no such time.
struct Deadline(Option<Instant>);

impl Deadline {
    fn after(milliseconds: libc::c_int) -> Self {
        let timeout = u64::try_from(milliseconds).map(Duration::from_millis);
        Self(
            timeout
                .ok()
                .and_then(|timeout| Instant::now().checked_add(timeout)),
        )
    }

    fn remaining(&self) -> Option<Duration> {
        self.0
            .map(|end| end.saturating_duration_since(Instant::now()))
    }
}

fn invalid() -> io::Error {
    io::Error::from_raw_os_error(libc::EINVAL)
}
