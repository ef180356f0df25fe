//! What one wait has found.

use std::fmt;

use super::{Readiness, Ready};
use crate::sys::Event;
use crate::token::Token;

/// What one wait has found, bounded and used again for the next. epoll(7) writes into it.
pub(crate) struct ReadyList {
    events: Vec<Event>,
    /// How many of them have been taken out.
    taken: usize,
    limit: usize,
}

/// Above all that the kernel answers.
const REFUSAL_SHIFT: u32 = 16;

impl ReadyList {
    pub(crate) fn with_limit(limit: usize) -> Self {
        Self {
            events: Vec::new(),
            taken: 0,
            limit,
        }
    }

    #[inline]
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }

    /// Whether there was no room for more.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.events.len() >= self.limit
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.taken == self.events.len()
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.events.clear();
        self.taken = 0;
    }

    pub(crate) fn push(&mut self, token: Token, readiness: Readiness) {
        self.events.push(Event {
            events: u32::from(readiness.bits()),
            u64: token.to_bits(),
        });
    }

    /// Adds that the kernel has refused a change, by its error number.
    #[cfg(any(has_kqueue, has_devpoll, has_io_uring))]
    pub(super) fn refuse(&mut self, token: Token, errno: i32) {
        // Error numbers are small; readiness has the lower half.
        self.events.push(Event {
            events: errno.cast_unsigned() << REFUSAL_SHIFT,
            u64: token.to_bits(),
        });
    }

    /// How many there are.
    #[cfg(any(has_kqueue, has_io_uring))]
    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    /// Adds to the one that was pushed as number `place`.
    #[cfg(any(has_kqueue, has_io_uring))]
    pub(super) fn merge(&mut self, place: usize, readiness: Readiness) {
        self.events[place].events |= u32::from(readiness.bits());
    }

    /// For the kernel, which fills it up to the limit.
    #[cfg(has_epoll)]
    #[inline]
    pub(super) fn events(&mut self) -> &mut Vec<Event> {
        &mut self.events
    }

    /// The next in order.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<Ready> {
        let event = self.events.get(self.taken)?;
        self.taken += 1;
        Some(Ready {
            token: Token::from_bits(event.u64),
            readiness: Readiness::of_poll_events(event.events),
            refusal: (event.events >> REFUSAL_SHIFT).cast_signed(),
        })
    }
}

impl fmt::Debug for ReadyList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadyList")
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}
