//! How long a wait may last.

use std::time::{Duration, Instant};

/// The end of a wait, fixed when it begins so that an interruption does not prolong it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deadline {
    /// Do not wait. (Costs no look at the clock.)
    Now,
    At(Instant),
    Never,
}

impl Deadline {
    /// `None`, and what lies beyond the clock's range, is for ever.
    pub(crate) fn after(timeout: Option<Duration>) -> Self {
        match timeout {
            None => Self::Never,
            Some(Duration::ZERO) => Self::Now,
            Some(timeout) => Instant::now()
                .checked_add(timeout)
                .map_or(Self::Never, Self::At),
        }
    }

    #[inline]
    pub(crate) fn remaining(self) -> Option<Duration> {
        match self {
            Self::Now => Some(Duration::ZERO),
            Self::At(end) => Some(end.saturating_duration_since(Instant::now())),
            Self::Never => None,
        }
    }

    #[inline]
    pub(crate) fn has_passed(self) -> bool {
        match self {
            Self::Now => true,
            Self::At(end) => Instant::now() >= end,
            Self::Never => false,
        }
    }
}
