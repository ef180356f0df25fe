//! Ending a wait from another thread, by a descriptor that it makes readable: an eventfd(2) on
//! Linux, a pipe elsewhere.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use crate::error::{Error, Result};

/// What makes a mechanism's wait end, rung by another thread.
pub(crate) trait Bell: Send + fmt::Debug {
    /// Ends the wait in progress, or else the next one.
    fn ring(&self);

    /// After the wait has reported it: makes it silent, if it is not by itself.
    fn quieten(&self) -> Result<()>;
}

/// The two ends: what is written to one makes the other readable.
#[derive(Debug)]
pub(crate) struct WakeDescriptor {
    waiting: File,
    /// None where one descriptor is both ends.
    ringing: Option<File>,
    /// Whether whoever waits watches for edges, and needs no read(2).
    left_readable: bool,
}

impl WakeDescriptor {
    #[cfg(any(target_os = "linux", target_os = "android"))]
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
            left_readable: false,
        })
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    pub(crate) fn open() -> Result<Self> {
        let (waiting, ringing) = io::pipe().map_err(|error| Error::system("pipe", error))?;
        let (waiting, ringing) = (OwnedFd::from(waiting), OwnedFd::from(ringing));
        super::descriptor::set_nonblocking(waiting.as_fd(), true)?;
        super::descriptor::set_nonblocking(ringing.as_fd(), true)?;
        Ok(Self {
            waiting: waiting.into(),
            ringing: Some(ringing.into()),
            left_readable: false,
        })
    }

    pub(crate) fn as_fd(&self) -> BorrowedFd<'_> {
        self.waiting.as_fd()
    }

    /// Whether it can be rung for ever without being read: a pipe cannot, and a full one has no
    /// edges.
    pub(crate) fn never_fills(&self) -> bool {
        self.ringing.is_none()
    }

    /// It is watched for edges: it need not be made silent.
    pub(crate) fn leave_readable(&mut self) {
        self.left_readable = true;
    }

    fn drain(&self) -> Result<()> {
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

impl Bell for WakeDescriptor {
    /// Makes the waiting end readable. A full pipe or counter is readable already.
    fn ring(&self) {
        let mut end = self.ringing.as_ref().unwrap_or(&self.waiting);
        while let Err(error) = end.write(&1_u64.to_ne_bytes()) {
            if error.kind() != io::ErrorKind::Interrupted {
                break;
            }
        }
    }

    fn quieten(&self) -> Result<()> {
        if self.left_readable {
            Ok(())
        } else {
            self.drain()
        }
    }
}
