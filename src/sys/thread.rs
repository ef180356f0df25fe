//! Which thread it is: some mechanisms belong to the one that selects.

use std::cell::Cell;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};

/// A thread of this process; no two ever have the same, unlike the system's numbers. A forked
/// child's is another one than its parent's, if forks are [watched](super::fork::watch).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThreadNumber(NonZeroU64);

thread_local! {
    static NUMBER: Cell<Option<ThreadNumber>> = const { Cell::new(None) };
}

impl ThreadNumber {
    /// The calling thread's, if it has been given one.
    #[inline]
    pub(crate) fn known() -> Option<Self> {
        NUMBER.get()
    }

    #[inline]
    pub(crate) fn current() -> Self {
        static LAST: AtomicU64 = AtomicU64::new(0);
        Self::known().unwrap_or_else(|| {
            let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
            let number = Self(NonZeroU64::new(number).expect("2^64 threads are never made"));
            NUMBER.set(Some(number));
            number
        })
    }

    /// For the only thread of a forked child, which is not the one that it is a copy of.
    pub(super) fn forget() {
        NUMBER.set(None);
    }
}
