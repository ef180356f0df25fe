//! How often the queue of signals was full, by the thread that it is of.

use std::cell::Cell;

thread_local! {
    static OVERFLOWS: Cell<u64> = const { Cell::new(0) };
}

/// How often hints for the calling thread have been lost. Whichever selector reads of it, each of
/// those on the thread may have lost some.
#[inline]
pub(super) fn count() -> u64 {
    OVERFLOWS.get()
}

pub(super) fn note() {
    OVERFLOWS.set(OVERFLOWS.get() + 1);
}
