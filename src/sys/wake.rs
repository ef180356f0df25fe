//! A descriptor that one thread makes readable to end another's wait: an eventfd(2) on Linux, a
//! pipe elsewhere.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use crate::error::{Error, Result};

/// The two ends: what is written to one makes the other readable.
#[derive(Debug)]
pub(crate) struct WakeDescriptor {
    waiting: File,
    /// None where one descriptor is both ends.
    ringing: Option<File>,
}

impl WakeDescriptor {
    #[cfg(target_os = "linux")]
    pub(crate) fn open() -> Result<Self> {
        use std::os::fd::FromRawFd;

        let flags = libc::EFD_CLOEXEC | libc::EFD_NONBLOCK;
        // SAFETY: no memory is passed.
        let fd = super::check("eventfd", unsafe { libc::eventfd(0, flags) })?;
        // SAFETY: the kernel has just made this descriptor for us alone.
        let waiting = unsafe { OwnedFd::from_raw_fd(fd) };
        Ok(Self {
            waiting: waiting.into(),
            ringing: None,
        })
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn open() -> Result<Self> {
        let (waiting, ringing) = io::pipe().map_err(|error| Error::system("pipe", error))?;
        let (waiting, ringing) = (OwnedFd::from(waiting), OwnedFd::from(ringing));
        super::descriptor::set_nonblocking(waiting.as_fd(), true)?;
        super::descriptor::set_nonblocking(ringing.as_fd(), true)?;
        Ok(Self {
            waiting: waiting.into(),
            ringing: Some(ringing.into()),
        })
    }

    pub(crate) fn as_fd(&self) -> BorrowedFd<'_> {
        self.waiting.as_fd()
    }

    /// Makes the waiting end readable. A full pipe or counter is readable already.
    pub(crate) fn ring(&self) {
        let mut end = self.ringing.as_ref().unwrap_or(&self.waiting);
        while let Err(error) = end.write(&1_u64.to_ne_bytes()) {
            if error.kind() != io::ErrorKind::Interrupted {
                break;
            }
        }
    }

    /// Makes the waiting end silent again.
    pub(crate) fn drain(&self) -> Result<()> {
        let mut bytes = [0; 512];
        loop {
            match (&self.waiting).read(&mut bytes) {
                Ok(count) if count < bytes.len() => return Ok(()),
                Ok(_) => {}
                Err(error) => match error.kind() {
                    io::ErrorKind::WouldBlock => return Ok(()),
                    io::ErrorKind::Interrupted => {}
                    _ => return Err(Error::system("read", error)),
                },
            }
        }
    }
}
