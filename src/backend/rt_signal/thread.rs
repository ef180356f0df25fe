//! What selectors need to know of the thread they run on.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

thread_local! {
    static IDENTITY: Cell<u64> = const { Cell::new(0) };
    static OVERFLOWS: Cell<u64> = const { Cell::new(0) };
}

/// Names the calling thread: never 0, and never given again, unlike the system's numbers.
#[inline]
pub(super) fn identity() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    IDENTITY.with(|identity| {
        if identity.get() == 0 {
            identity.set(LAST.fetch_add(1, Ordering::Relaxed) + 1);
        }
        identity.get()
    })
}

/// How often hints for the calling thread have been lost. Whichever selector reads of it, each of
/// those on the thread may have lost some.
#[inline]
pub(super) fn overflows() -> u64 {
    OVERFLOWS.get()
}

pub(super) fn note_overflow() {
    OVERFLOWS.set(OVERFLOWS.get() + 1);
}
