//! Rings that have been closed, and still keep files open for a while.

use std::fmt;

use crate::sys::io_uring::EndOfRing;

/// Waits for their ends when it is dropped.
#[derive(Default)]
pub(super) struct OldRings(Vec<EndOfRing>);

/// Each has a descriptor until it has ended.
const MOST: usize = 8;

impl OldRings {
    pub(super) fn add(&mut self, end: EndOfRing) {
        self.0.retain(|end| !end.has_come());
        if self.0.len() == MOST {
            self.0.remove(0).wait();
        }
        self.0.push(end);
    }

    pub(super) fn await_ends(&mut self) {
        for end in self.0.drain(..) {
            end.wait();
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
