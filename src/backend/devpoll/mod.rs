//! The device `/dev/poll`: poll(7d) of Solaris, poll(4d) of illumos.
//!
//! The kernel keeps the set, and all changes to it go there in one write, before the wait: a wait
//! without changes is one system call, one with any number of them two. It cannot be one call,
//! as with kqueue(2): ioctl(`DP_POLL`) takes no changes, and write(2) gives no answers. (Only
//! what has more entries than the process may have descriptors takes more than one write.)
//!
//! It is level-triggered. What is wanted of a descriptor is added to what the kernel has, see
//! [`Interests`]; and the kernel does not forget a descriptor that is closed, so it is removed
//! before that, with a call of its own. What is only not watched any more waits for the next
//! write.
//!
//! One thing it does not tell: that a descriptor had been closed before the kernel heard of it
//! for the first time. Such an entry is ignored without an error.

mod interests;
#[cfg(test)]
mod tests;

use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

use super::{Mechanism, Readiness, ReadyList};
use crate::error::{Error, Result};
use crate::mode::Mode;
use crate::sys::devpoll::{Device, POLLREMOVE, PollFd, descriptor_limit};
use crate::token::Token;
use interests::{Interests, removal};

pub(super) struct DevPoll {
    device: Device,
    interests: Interests,
    /// For the kernel: what it is to apply, and room for what it answers.
    entries: Vec<PollFd>,
    answers: Vec<PollFd>,
    /// How many descriptors the process may have, as far as is known.
    limit: usize,
}

impl std::fmt::Debug for DevPoll {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DevPoll")
            .field("device", &self.device)
            .finish_non_exhaustive()
    }
}

impl DevPoll {
    pub(super) fn open() -> Result<Self> {
        let device = Device::open().map_err(|error| match error.raw_os_error() {
            Some(libc::EMFILE | libc::ENFILE | libc::ENOMEM | libc::EINTR) => {
                Error::system("open(/dev/poll)", error)
            }
            _ => Error::Unsupported(format!("/dev/poll cannot be opened: {error}")),
        })?;
        Ok(Self {
            device,
            interests: Interests::default(),
            entries: Vec::new(),
            answers: Vec::new(),
            limit: descriptor_limit(),
        })
    }

    /// Tells the kernel all that has changed.
    fn flush(&mut self, ready: &mut ReadyList) -> io::Result<()> {
        self.entries.clear();
        for &fd in self.interests.changed() {
            self.interests.entries_for(fd, &mut self.entries);
        }
        match self.write_entries() {
            Ok(()) => {
                while let Some(fd) = self.interests.take_changed() {
                    self.interests.settle(fd);
                }
                Ok(())
            }
            Err(error) => {
                // Some of it may have been applied, and is not to be forgotten.
                self.interests.doubt_changed();
                if error.kind() == io::ErrorKind::Interrupted {
                    return Err(error);
                }
                self.flush_each(ready);
                Ok(())
            }
        }
    }

    /// One entry has failed, and the kernel does not say which.
    #[cold]
    fn flush_each(&mut self, ready: &mut ReadyList) {
        // Some are queued again meanwhile.
        let changed = self.interests.changed().to_vec();
        while self.interests.take_changed().is_some() {}
        for fd in changed {
            self.entries.clear();
            self.interests.entries_for(fd, &mut self.entries);
            match self.write_to_the_end() {
                Ok(()) => self.interests.settle(fd),
                Err(error) => self.give_up(fd, &error, ready),
            }
        }
    }

    /// The kernel does not watch what it refuses, even if it has watched it before.
    fn give_up(&mut self, fd: RawFd, reason: &io::Error, ready: &mut ReadyList) {
        let (token, wanted) = (self.interests.token(fd), self.interests.wanted(fd));
        self.interests.want_nothing(fd);
        if wanted.is_empty() {
            return;
        }
        ready.refuse(token, reason.raw_os_error().unwrap_or(libc::EIO));
        // If that fails too, it stays in doubt, and is removed by the next write.
        let _ = self.forget(fd);
        // Nobody else would try again.
        if token == Token::WAKE {
            self.interests.want(fd, token, wanted);
        }
    }

    /// Has the kernel remove it, at once.
    fn forget(&mut self, fd: RawFd) -> io::Result<()> {
        self.entries.clear();
        self.entries.push(removal(fd));
        self.write_to_the_end()?;
        self.interests.removed(fd);
        Ok(())
    }

    fn write_to_the_end(&mut self) -> io::Result<()> {
        loop {
            match self.write_entries() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                answer => return answer,
            }
        }
    }

    fn write_entries(&mut self) -> io::Result<()> {
        if self.entries.len() > self.limit {
            self.limit = descriptor_limit();
        }
        let mut written = 0;
        while written < self.entries.len() {
            let left = &self.entries[written..];
            let count = length_of_next_write(left, self.limit);
            match self.device.write(&left[..count]) {
                Ok(()) => written += count,
                Err(error) if self.was_too_much(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn poll(&mut self, limit: usize, timeout: Option<Duration>) -> io::Result<usize> {
        loop {
            // Less than the limit, says the manual page; without any room it would only sleep.
            let room = limit.min(self.limit.saturating_sub(1)).max(1);
            if self.answers.len() < room {
                self.answers.resize(room, removal(0));
            }
            match self.device.poll(&mut self.answers[..room], timeout) {
                Err(error) if self.was_too_much(&error) => {}
                Ok(count) if count == room && room < limit => {
                    // There would have been room for more, if the process may have more by now.
                    self.limit = descriptor_limit();
                    return Ok(count);
                }
                answer => return answer,
            }
        }
    }

    /// Whether the process may have fewer descriptors than it was thought to.
    fn was_too_much(&mut self, error: &io::Error) -> bool {
        if error.raw_os_error() != Some(libc::EINVAL) {
            return false;
        }
        let before = self.limit;
        self.limit = descriptor_limit();
        self.limit < before
    }

    /// The driver of one descriptor has failed, and hinders all the others: the descriptor is
    /// refused, as if it had been added now.
    #[cold]
    fn find_failing(&mut self, failure: io::Error, ready: &mut ReadyList) -> io::Result<()> {
        self.interests.doubt_all();
        self.flush_each(ready);
        if ready.is_empty() {
            return Err(failure);
        }
        // If yet another fails, the next wait finds it.
        if let Ok(count) = self.poll(ready.limit(), Some(Duration::ZERO)) {
            self.collect(count, ready);
        }
        Ok(())
    }

    fn collect(&mut self, count: usize, ready: &mut ReadyList) {
        for place in 0..count {
            let PollFd { fd, revents, .. } = self.answers[place];
            let wanted = self.interests.wanted(fd);
            let readiness = Readiness::of_revents(revents);
            // A number that was not open when the kernel heard of it: what was asked for then
            // comes back when the number is used again, and would be reported for ever.
            if !(wanted | Readiness::FAILED).contains(readiness) || wanted.is_empty() {
                self.interests.doubt(fd);
            }
            let readiness = readiness & (wanted | Readiness::FAILED);
            if !wanted.is_empty() && !readiness.is_empty() {
                ready.push(self.interests.token(fd), readiness);
            }
        }
    }
}

/// As many entries as one write may have, but a removal and the addition that follows it are not
/// separated.
fn length_of_next_write(entries: &[PollFd], limit: usize) -> usize {
    let most = limit.max(1);
    match entries.get(most) {
        Some(next) if most > 1 && is_removal_of(&entries[most - 1], next.fd) => most - 1,
        _ => most.min(entries.len()),
    }
}

fn is_removal_of(entry: &PollFd, fd: RawFd) -> bool {
    entry.fd == fd && entry.events == POLLREMOVE
}

/// Whether a poll has failed for a reason that no single descriptor can be.
fn is_of_the_device(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::EINTR | libc::EACCES | libc::EBADF | libc::EFAULT | libc::EINVAL)
    )
}

impl Mechanism for DevPoll {
    fn supports(&self, mode: Mode) -> bool {
        mode == Mode::Level
    }

    fn add(&mut self, fd: RawFd, token: Token, wanted: Readiness, _mode: Mode) -> Result<()> {
        self.interests.want(fd, token, wanted);
        Ok(())
    }

    fn modify(&mut self, fd: RawFd, token: Token, wanted: Readiness, mode: Mode) -> Result<()> {
        self.add(fd, token, wanted, mode)
    }

    fn remove(&mut self, fd: RawFd) -> Result<()> {
        if self.interests.may_be_in_kernel(fd) {
            self.forget(fd)
                .map_err(|error| Error::system("write", error))
        } else {
            self.interests.removed(fd);
            Ok(())
        }
    }

    fn unwatch(&mut self, fd: RawFd) -> Result<()> {
        self.interests.want_nothing(fd);
        Ok(())
    }

    fn lingers(&self, fd: RawFd) -> bool {
        self.interests.may_be_in_kernel(fd)
    }

    fn wait(&mut self, ready: &mut ReadyList, timeout: Option<Duration>) -> io::Result<()> {
        if !self.interests.changed().is_empty() {
            self.flush(ready)?;
        }
        let has_refused = !ready.is_empty();
        let timeout = if has_refused {
            Some(Duration::ZERO)
        } else {
            timeout
        };
        match self.poll(ready.limit(), timeout) {
            Ok(count) => {
                self.collect(count, ready);
                Ok(())
            }
            // What was refused must be told. The next wait tells of this, if it lasts.
            Err(_) if has_refused => Ok(()),
            Err(error) if is_of_the_device(&error) => Err(error),
            Err(error) => self.find_failing(error, ready),
        }
    }
}
