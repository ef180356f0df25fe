//! Which processor a thread runs on.

use std::io;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// Two processors, one for each of two threads.
pub(super) type Two = [usize; 2];

/// The first two that the calling thread may use, if it may use more than one.
pub(super) fn two() -> io::Result<Option<Two>> {
    let allowed = sched_getaffinity(None)?;
    let mut numbers = (0..CpuSet::MAX_CPU).filter(|&number| allowed.is_set(number));
    Ok(numbers.next().zip(numbers.next()).map(Into::into))
}

/// Keeps the calling thread on one processor, until it is dropped in the same thread.
pub(super) struct Pinned {
    before: CpuSet,
}

impl Pinned {
    pub(super) fn to(processor: usize) -> io::Result<Self> {
        let before = sched_getaffinity(None)?;
        let mut one = CpuSet::new();
        one.set(processor);
        sched_setaffinity(None, &one)?;
        Ok(Self { before })
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // If they have been taken away meanwhile, the thread stays where it may be.
        let _ = sched_setaffinity(None, &self.before);
    }
}
