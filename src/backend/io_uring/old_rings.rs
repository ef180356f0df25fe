//! Rings that have been closed, and still keep files open for a while.

use std::fmt;
use std::time::{Duration, Instant};

use crate::sys::io_uring::EndOfRing;

/// Waits for their ends when it is dropped.
#[derive(Default)]
pub(super) struct OldRings(Vec<EndOfRing>);

/// Each has a descriptor until it has ended.
const MOST: usize = 8;

/// As long as a forked child has a ring too it does not end, and nobody can wait for that.
const LONGEST_WAIT: Duration = Duration::from_secs(1);

impl OldRings {
    pub(super) fn add(&mut self, end: EndOfRing) {
        let now = Instant::now();
        self.0.retain(|end| !end.comes_until(now));
        if self.0.len() == MOST {
            self.0.remove(0).comes_until(now + LONGEST_WAIT);
        }
        self.0.push(end);
    }

    pub(super) fn await_ends(&mut self) {
        let latest = Instant::now() + LONGEST_WAIT;
        for end in self.0.drain(..) {
            end.comes_until(latest);
        }
    }
}

impl Drop for OldRings {
    fn drop(&mut self) {
        self.await_ends();
    }
}

impl fmt::Debug for OldRings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.len().fmt(f)
    }
}
