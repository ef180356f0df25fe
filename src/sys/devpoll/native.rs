//! The system's own device.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use super::types::{DvPoll, PollFd};
use crate::sys::count;

const DP_POLL: libc::c_int = 0xD001;
#[cfg(test)]
const DP_ISPOLLED: libc::c_int = 0xD002;

#[derive(Debug)]
pub(super) struct Handle(OwnedFd);

impl Handle {
    pub(super) fn open() -> io::Result<Self> {
        // SAFETY: the path is a string that ends with a zero byte.
        let fd = unsafe { libc::open(c"/dev/poll".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC) };
        if fd == -1 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel has just made this descriptor for us alone.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// How many bytes have been taken.
    ///
    /// At offset 0: older Solaris counts what has been written, and refuses more than 2 GB in
    /// the life of a device.
    pub(super) fn write(&self, entries: &[PollFd]) -> io::Result<usize> {
        // SAFETY: `entries` is a slice of so many bytes, which the call only reads.
        let written = unsafe {
            libc::pwrite(
                self.0.as_raw_fd(),
                entries.as_ptr().cast(),
                size_of_val(entries),
                0,
            )
        };
        usize::try_from(written).map_err(|_| io::Error::last_os_error())
    }

    pub(super) fn poll(&self, request: &mut DvPoll<'_>) -> io::Result<usize> {
        // SAFETY: the structure is the one that DP_POLL reads; the room that it tells of is
        // borrowed for as long as it lives.
        count(unsafe { libc::ioctl(self.0.as_raw_fd(), DP_POLL, &raw mut *request) })
    }

    /// Whether the descriptor of `entry` is in the set; then its `revents` are what it is there
    /// for.
    #[cfg(test)]
    pub(super) fn is_polled(&self, entry: &mut PollFd) -> io::Result<bool> {
        // SAFETY: the structure is the one that DP_ISPOLLED reads and fills in.
        let answer = unsafe { libc::ioctl(self.0.as_raw_fd(), DP_ISPOLLED, &raw mut *entry) };
        Ok(count(answer)? == 1)
    }
}

impl AsFd for Handle {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
