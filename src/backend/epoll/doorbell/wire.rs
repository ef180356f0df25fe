//! The request by which a ring watches an epoll descriptor.

use std::io;
use std::os::fd::RawFd;
use std::sync::atomic::AtomicU32;

use super::spares;
use crate::error::{Error, Result};
use crate::sys::io_uring::{self, FlagWord, Regime, Ring, Sizes};
use crate::sys::thread::ThreadNumber;

/// A ring of one thread, which keeps it from one epoll descriptor to the next.
///
/// It is not closed before the thread ends, unless the thread has enough to spare or another one is
/// done with it: the end of a ring comes some ten milliseconds after it was closed, and may
/// interrupt the system call that its thread waits in by then.
#[derive(Debug)]
pub(super) struct Wire {
    flags: FlagWord,
    /// Not needed to know whether it has rung, and large.
    ring: Box<Ring>,
    owner: ThreadNumber,
    /// Whether the kernel has the request.
    in_place: bool,
}

/// The number of the request that watches.
const WATCH: u64 = 1;
/// The number of the request that cancels it.
const CANCEL: u64 = 2;

/// In how many exchanges at most the kernel has said what became of the requests.
const EXCHANGES: usize = 8;

impl Wire {
    /// One that the calling thread has used before. It watches nothing.
    pub(super) fn spare() -> Option<Self> {
        spares::take()
    }

    /// One for the calling thread. It watches nothing.
    pub(super) fn open() -> Result<Self> {
        let ring = Ring::open_alone(Regime::Deferred, Sizes::SINGLE)?;
        let flags = ring.flag_word()?;
        let enabled = ring.enable();
        enabled.map_err(|error| Error::system("io_uring_register", error))?;
        Ok(Self {
            flags,
            ring: Box::new(ring),
            owner: ThreadNumber::current(),
            in_place: false,
        })
    }

    pub(super) fn owner(&self) -> ThreadNumber {
        self.owner
    }

    /// Whether nothing has rung since it was settled.
    ///
    /// Completions need no look of their own: the kernel writes them when the owner enters it, in
    /// [`settle`](Self::settle), and only then.
    #[inline]
    pub(super) fn is_silent(&self) -> bool {
        self.flags.is_silent()
    }

    /// The word that is 0 as long as nothing has rung.
    pub(super) fn word(&self) -> &AtomicU32 {
        self.flags.word()
    }

    /// Makes it silent, and has what happens from now on ring. If something happens all the time
    /// it has rung again at the end.
    pub(super) fn settle(&mut self, epoll: RawFd) -> io::Result<()> {
        for _ in 0..EXCHANGES {
            if self.is_settled() {
                break;
            }
            if !self.in_place && !self.ring.has_requests() {
                self.queue_request(epoll)?;
            }
            self.exchange()?;
        }
        Ok(())
    }

    /// Whether what happens rings, and nothing has since it was settled.
    pub(super) fn is_settled(&self) -> bool {
        self.in_place && self.is_silent()
    }

    fn queue_request(&mut self, epoll: RawFd) -> io::Result<()> {
        const READABLE: u8 = libc::POLLIN as u8;
        if self.ring.push_poll(epoll, READABLE, true, WATCH) {
            Ok(())
        } else {
            Err(io::ErrorKind::QuotaExceeded.into())
        }
    }

    /// The request is in place when the kernel has taken it, which a call that fails may not have
    /// done.
    fn exchange(&mut self) -> io::Result<()> {
        let is_new = self.ring.has_requests();
        self.ring.exchange()?;
        self.in_place |= is_new && !self.ring.has_requests();
        self.take_completions()
    }

    fn take_completions(&mut self) -> io::Result<()> {
        let mut outcome = Ok(());
        while let Some(completion) = self.ring.next_completion() {
            if completion.number != WATCH || completion.more {
                continue;
            }
            self.in_place = false;
            if completion.result < 0 {
                outcome = Err(io::Error::from_raw_os_error(-completion.result));
            }
        }
        outcome
    }

    /// Watches nothing any more, and is kept for the thread that it belongs to. Another thread
    /// can but close it.
    pub(super) fn retire(mut self) {
        if Some(self.owner) == ThreadNumber::known() && self.cancel().is_ok() {
            spares::put(self);
        }
    }

    fn cancel(&mut self) -> io::Result<()> {
        if !self.in_place && !self.ring.has_requests() {
            return Ok(());
        }
        // A request that has only been queued is made, to be cancelled.
        self.in_place = true;
        if !self.ring.push_cancel(WATCH, CANCEL) {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        for _ in 0..EXCHANGES {
            match self.ring.exchange() {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
                _ => {}
            }
            // That it has been cancelled is what was asked for.
            let _ = self.take_completions();
            if !self.in_place && !self.ring.has_requests() && self.is_silent() {
                return Ok(());
            }
        }
        Err(io::ErrorKind::TimedOut.into())
    }
}

/// Why there is none, in words.
pub(super) fn explain(error: &Error) -> String {
    if error.raw_os_error() == Some(libc::EINVAL) {
        return format!("it needs Linux 6.1 ({error})");
    }
    io_uring::explanation(error).unwrap_or_else(|| error.to_string())
}
