//! The device `/dev/poll`: poll(7d) of Solaris, poll(4d) of illumos.
//!
//! A set of descriptors that the kernel keeps for whoever has opened the device. write(2) of
//! `pollfd` structures adds to it and removes from it, ioctl(`DP_POLL`) asks it what is ready.
//!
//! What the system is asked through is narrow, so that tests can have a double of it on
//! Linux: `native` makes the calls, and the double has the same functions. `conformance` says
//! what both must do, and runs on whichever the system has.

#[cfg(all(target_os = "linux", feature = "doubles"))]
pub(crate) mod double;
#[cfg(any(target_os = "solaris", target_os = "illumos"))]
mod native;
mod types;

#[cfg(test)]
mod conformance;

#[cfg(all(target_os = "linux", feature = "doubles"))]
use double as system;
#[cfg(any(target_os = "solaris", target_os = "illumos"))]
use native as system;

pub(crate) use types::{POLLREMOVE, PollFd};

use std::io;
use std::time::Duration;

use super::milliseconds;
use types::DvPoll;

/// The device, opened: a set of descriptors, empty at first. It belongs to the process that
/// first uses it; a child that has inherited it can do nothing with it but close it.
#[derive(Debug)]
pub(crate) struct Device(system::Handle);

impl Device {
    pub(crate) fn open() -> io::Result<Self> {
        system::Handle::open().map(Self)
    }

    /// Applies the entries in their order, at most [`descriptor_limit`] of them. After an error
    /// those before the one that has failed have been applied, but not which one that is.
    pub(crate) fn write(&self, entries: &[PollFd]) -> io::Result<()> {
        let written = self.0.write(entries)?;
        if written == size_of_val(entries) {
            Ok(())
        } else {
            Err(io::Error::from_raw_os_error(libc::EIO))
        }
    }

    /// Waits until a descriptor has something to tell and fills `answers` from its beginning;
    /// how many there are. There must be room for one at least, and for less than
    /// [`descriptor_limit`].
    pub(crate) fn poll(
        &self,
        answers: &mut [PollFd],
        timeout: Option<Duration>,
    ) -> io::Result<usize> {
        self.0
            .poll(&mut DvPoll::new(answers, milliseconds(timeout)))
    }

    /// What the kernel watches a descriptor for, if it does.
    #[cfg(test)]
    pub(crate) fn watched_for(&self, fd: std::os::fd::RawFd) -> io::Result<Option<libc::c_short>> {
        let mut entry = PollFd {
            fd,
            events: 0,
            revents: 0,
        };
        let is_watched = self.0.is_polled(&mut entry)?;
        Ok(is_watched.then_some(entry.revents))
    }
}

/// How many descriptors the process may have: the most entries that one write may have, and more
/// than one poll may ask for. It can change at any time.
pub(crate) fn descriptor_limit() -> usize {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `limit` lives through the call, which only fills it in. It cannot fail: the
    // resource exists everywhere.
    unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX)
}
