//! The threads that are blocked in a device, and waking all of them.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::{Condvar, MutexGuard, PoisonError};

use super::State;
use crate::sys::check;

/// A descriptor that every sleeping thread polls beside those that it sleeps for.
#[derive(Debug)]
pub(super) struct Sleepers {
    bell: OwnedFd,
    all_awake: Condvar,
}

/// How many sleep; kept under the device's lock.
#[derive(Debug, Default)]
pub(super) struct Count {
    asleep: usize,
    /// How many of them have been woken and have not noticed yet. Until the last one has, the
    /// bell rings on.
    to_wake: usize,
}

impl Sleepers {
    pub(super) fn new() -> io::Result<Self> {
        let flags = libc::EFD_CLOEXEC | libc::EFD_NONBLOCK;
        // SAFETY: no memory is passed.
        let fd = check("eventfd", unsafe { libc::eventfd(0, flags) })?;
        // SAFETY: the kernel has just made this descriptor for us alone.
        let bell = unsafe { OwnedFd::from_raw_fd(fd) };
        Ok(Self {
            bell,
            all_awake: Condvar::new(),
        })
    }

    pub(super) fn bell(&self) -> RawFd {
        self.bell.as_raw_fd()
    }

    /// Before the lock is released for sleeping. The bell does not ring then.
    pub(super) fn lie_down<'a>(&self, mut state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        while state.sleepers.to_wake > 0 {
            state = self
                .all_awake
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        state.sleepers.asleep += 1;
        state
    }

    /// When the lock has been taken again.
    pub(super) fn get_up(&self, count: &mut Count) {
        count.asleep -= 1;
        if count.to_wake > 0 {
            count.to_wake -= 1;
            if count.to_wake == 0 {
                self.silence();
                self.all_awake.notify_all();
            }
        }
    }

    /// All of them are to look again.
    pub(super) fn wake(&self, count: &mut Count) {
        if count.asleep > 0 && count.to_wake == 0 {
            count.to_wake = count.asleep;
            self.ring();
        }
    }

    fn ring(&self) {
        let one = 1_u64.to_ne_bytes();
        // SAFETY: `one` lives through the call, which only reads it. It cannot fail: the
        // counter was 0.
        unsafe { libc::write(self.bell(), one.as_ptr().cast(), one.len()) };
    }

    fn silence(&self) {
        let mut counter = [0_u8; 8];
        // SAFETY: `counter` has room for what the call writes. It cannot fail: the bell rings.
        unsafe { libc::read(self.bell(), counter.as_mut_ptr().cast(), counter.len()) };
    }
}
