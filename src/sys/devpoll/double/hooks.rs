//! What tests see of the double, and what they make it do.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io;
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many calls of each kind a thread has made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// open(2).
    pub opens: u64,
    /// write(2).
    pub writes: u64,
    /// ioctl(2) with `DP_POLL`.
    pub polls: u64,
}

thread_local! {
    static CALLS: Cell<Calls> = const { Cell::new(Calls { opens: 0, writes: 0, polls: 0 }) };
    static NEXT_WRITE: Cell<i32> = const { Cell::new(0) };
}

/// The calls of this thread so far.
pub fn calls() -> Calls {
    CALLS.get()
}

pub(super) fn count(kind: impl FnOnce(&mut Calls) -> &mut u64) {
    let mut calls = CALLS.get();
    *kind(&mut calls) += 1;
    CALLS.set(calls);
}

/// Makes the next write of this thread fail before anything of it is applied, as one does that a
/// signal handler interrupts (`EINTR`).
pub fn fail_next_write(errno: i32) {
    NEXT_WRITE.set(errno);
}

pub(super) fn before_write() -> io::Result<()> {
    outcome(NEXT_WRITE.take())
}

static FAILING: Mutex<BTreeMap<RawFd, i32>> = Mutex::new(BTreeMap::new());
/// How many there are: without one, nobody takes the lock, which another thread could hold while
/// the process forks.
static NUMBER_FAILING: AtomicUsize = AtomicUsize::new(0);

/// A descriptor whose driver refuses to be polled, until this is dropped.
#[derive(Debug)]
pub struct FailingDriver(RawFd);

impl FailingDriver {
    /// From now on polling `fd` fails with `errno`, in writes and polls of every device.
    pub fn of(fd: RawFd, errno: i32) -> Self {
        let mut failing = failing();
        failing.insert(fd, errno);
        NUMBER_FAILING.store(failing.len(), Ordering::Release);
        Self(fd)
    }
}

impl Drop for FailingDriver {
    fn drop(&mut self) {
        let mut failing = failing();
        failing.remove(&self.0);
        NUMBER_FAILING.store(failing.len(), Ordering::Release);
    }
}

fn failing() -> MutexGuard<'static, BTreeMap<RawFd, i32>> {
    FAILING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the driver of `fd` can poll it.
pub(super) fn ask_driver(fd: RawFd) -> io::Result<()> {
    if NUMBER_FAILING.load(Ordering::Acquire) == 0 {
        return Ok(());
    }
    outcome(failing().get(&fd).copied().unwrap_or(0))
}

fn outcome(errno: i32) -> io::Result<()> {
    match errno {
        0 => Ok(()),
        errno => Err(io::Error::from_raw_os_error(errno)),
    }
}
