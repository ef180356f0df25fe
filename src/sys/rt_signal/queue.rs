//! Reading signals in bulk: signalfd(2).

use std::fmt;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use super::super::check;
use super::signals;
use crate::error::{Error, Result};

/// What a signal tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// Something may have changed about the descriptor that had this number when it was armed.
    Hint(RawFd),
    /// The queue was full: hints have been lost.
    Overflow,
}

/// The signals that are pending for whichever thread reads them.
pub(crate) struct SignalQueue {
    descriptor: OwnedFd,
    buffer: Vec<libc::signalfd_siginfo>,
}

/// How many one read(2) takes.
const BULK: usize = 128;

/// How many reads there are in a row: other threads may write as fast as this one reads.
const MOST_READS: usize = 64;

impl SignalQueue {
    pub(crate) fn open() -> Result<Self> {
        let set = signals();
        let flags = libc::SFD_CLOEXEC | libc::SFD_NONBLOCK;
        // SAFETY: `set` lives through the call, which only reads it.
        let fd = check("signalfd", unsafe {
            libc::signalfd(-1, &raw const set, flags)
        })?;
        Ok(Self {
            // SAFETY: the kernel has just made this descriptor for us alone.
            descriptor: unsafe { OwnedFd::from_raw_fd(fd) },
            buffer: Vec::with_capacity(BULK),
        })
    }

    pub(crate) fn number(&self) -> RawFd {
        self.descriptor.as_raw_fd()
    }

    /// Takes what is pending for the calling thread; whether that was all.
    pub(crate) fn drain(&mut self, mut take: impl FnMut(Signal)) -> Result<bool> {
        for _ in 0..MOST_READS {
            self.read()?;
            self.buffer.iter().map(signal_of).for_each(&mut take);
            if self.buffer.len() < BULK {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn read(&mut self) -> Result<()> {
        self.buffer.clear();
        let room = BULK * size_of::<libc::signalfd_siginfo>();
        let buffer = self.buffer.as_mut_ptr().cast();
        // SAFETY: the vector has room for BULK entries.
        let answer = unsafe { libc::read(self.descriptor.as_raw_fd(), buffer, room) };
        let Ok(bytes) = usize::try_from(answer) else {
            return match io::Error::last_os_error() {
                none if none.kind() == io::ErrorKind::WouldBlock => Ok(()),
                error => Err(Error::system("read", error)),
            };
        };
        let count = bytes / size_of::<libc::signalfd_siginfo>();
        // SAFETY: the kernel has written this many whole entries, at most the capacity.
        unsafe { self.buffer.set_len(count) };
        Ok(())
    }
}

fn signal_of(info: &libc::signalfd_siginfo) -> Signal {
    if info.ssi_signo.cast_signed() == libc::SIGIO {
        Signal::Overflow
    } else if info.ssi_code == libc::SI_QUEUE {
        // Sent by `announce`. Whatever anybody else may have sent names a descriptor or none.
        Signal::Hint(info.ssi_ptr as RawFd)
    } else {
        Signal::Hint(info.ssi_fd)
    }
}

impl fmt::Debug for SignalQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SignalQueue")
            .field("descriptor", &self.descriptor)
            .finish_non_exhaustive()
    }
}
