//! Looking again and again for a while before a wait blocks.

use std::hint;
use std::io;
use std::time::{Duration, Instant};

use super::Poller;
use super::deadline::Deadline;

/// After how many spins in a row that were of no use a poller rests from them.
const USELESS: u32 = 4;

/// How many short waits it takes at most until it tries again.
const LONGEST_REST: u32 = 1024;

/// How much longer a wait is that blocks, as the thread has to be woken.
const WAKING: Duration = Duration::from_micros(50);

/// How often memory is looked at between two looks at the clock, which take longer.
const GLANCES: u32 = 64;

/// Whether a spin is worth its while.
#[derive(Debug)]
pub(super) struct Spin {
    limit: Duration,
    /// How many in a row have been useless.
    useless: u32,
    /// How many more waits have to be short until it is tried again.
    rest: u32,
    /// How many it will be after the next useless try.
    next_rest: u32,
}

impl Spin {
    pub(super) fn new(limit: Duration) -> Self {
        Self {
            limit,
            useless: 0,
            rest: 0,
            next_rest: 1,
        }
    }

    #[inline]
    pub(super) fn is_asked_for(&self) -> bool {
        !self.limit.is_zero()
    }

    pub(super) fn is_worthwhile(&self) -> bool {
        self.useless < USELESS
    }

    fn was_useful(&mut self) {
        self.useless = 0;
        self.next_rest = 1;
    }

    fn was_useless(&mut self) {
        self.useless += 1;
        if !self.is_worthwhile() {
            self.rest = self.next_rest;
            self.next_rest = (self.next_rest * 2).min(LONGEST_REST);
        }
    }

    /// Takes note of a wait during the rest. A short one would have been over within a spin.
    pub(super) fn has_blocked_for(&mut self, length: Duration) {
        if length <= self.limit.saturating_add(WAKING) {
            self.rest = self.rest.saturating_sub(1);
        }
        if self.rest == 0 {
            self.useless = USELESS - 1;
        }
    }
}

impl<S> Poller<S> {
    /// Whether something has been found, or signalled, or the time is over: otherwise the wait has
    /// to block.
    pub(super) fn spin(&mut self, deadline: Deadline) -> io::Result<bool> {
        if self.finds_something()? {
            return Ok(true);
        }
        let begun = Instant::now();
        self.mechanism.listen();
        loop {
            // The last look comes after the deadline, as the thread may have been away for long.
            let is_last = deadline.has_passed();
            if self.finds_something()? {
                self.spin.was_useful();
                return Ok(true);
            }
            if is_last {
                self.spin.was_useless();
                return Ok(true);
            }
            self.glance();
            if begun.elapsed() >= self.spin.limit {
                self.spin.was_useless();
                return Ok(false);
            }
        }
    }

    fn finds_something(&mut self) -> io::Result<bool> {
        self.ask(Some(Duration::ZERO))?;
        Ok(!self.ready.is_empty() || self.signals.look().anything())
    }

    /// Looks at memory for as long as it tells that there is nothing.
    fn glance(&mut self) {
        for _ in 0..GLANCES {
            if !self.mechanism.is_silent() || self.signals.look().anything() {
                return;
            }
            hint::spin_loop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_micros(20);
    const LONG: Duration = Duration::from_millis(10);

    fn tired() -> Spin {
        let mut spin = Spin::new(LIMIT);
        for _ in 0..USELESS {
            assert!(spin.is_worthwhile());
            spin.was_useless();
        }
        assert!(!spin.is_worthwhile());
        spin
    }

    #[test]
    fn a_useful_spin_makes_up_for_useless_ones() {
        let mut spin = Spin::new(LIMIT);
        for _ in 0..10 {
            spin.was_useless();
            spin.was_useful();
        }
        assert!(spin.is_worthwhile());
    }

    #[test]
    fn long_waits_do_not_end_the_rest_and_a_short_one_does() {
        let mut spin = tired();
        for _ in 0..10 {
            spin.has_blocked_for(LONG);
        }
        assert!(!spin.is_worthwhile());
        spin.has_blocked_for(LIMIT);
        assert!(spin.is_worthwhile());
    }

    #[test]
    fn each_useless_try_makes_the_rest_longer_until_one_is_useful() {
        let mut spin = tired();
        spin.has_blocked_for(LIMIT);
        spin.was_useless();
        spin.has_blocked_for(LIMIT);
        assert!(!spin.is_worthwhile());
        spin.has_blocked_for(LIMIT);
        assert!(spin.is_worthwhile());
        spin.was_useful();
        for _ in 0..USELESS {
            spin.was_useless();
        }
        spin.has_blocked_for(LIMIT);
        assert!(spin.is_worthwhile());
    }

    #[test]
    fn the_rest_has_an_upper_bound() {
        let mut spin = tired();
        for _ in 0..100 {
            for _ in 0..LONGEST_REST {
                spin.has_blocked_for(LIMIT);
            }
            assert!(spin.is_worthwhile());
            spin.was_useless();
        }
    }
}
