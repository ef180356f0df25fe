//! What a poller's doorbell has done, where any thread can read it: the poller itself is for one
//! thread at a time, which may be waiting.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use jni::sys::jint;
use nioselect::doorbell::{State, Statistics};

/// The numbers of Java's `DoorbellStatistics`.
#[derive(Default)]
pub(crate) struct Bulletin {
    state: AtomicU64,
    rings: AtomicU64,
    answered: AtomicU64,
    rung: AtomicU64,
    /// Why it is unavailable.
    why: Mutex<String>,
    is_silent: AtomicBool,
}

/// Java's number of [`State::Unavailable`], and of what this does not know.
const UNAVAILABLE: u64 = 3;

impl Bulletin {
    pub(crate) fn new(statistics: &Statistics) -> Self {
        let bulletin = Self::default();
        bulletin.publish(statistics, false);
        bulletin
    }

    /// To be called by one thread at a time, as [`publish`](Self::publish) is.
    #[inline]
    pub(crate) fn tells_of_silence(&self) -> bool {
        self.is_silent.load(Ordering::Relaxed)
    }

    /// Whether there is something to publish after a look that has found nothing. To ask the
    /// poller why it has no doorbell is dear, and the answer does not change until it has one.
    #[inline]
    pub(crate) fn may_be_outdated(&self, is_silent: bool) -> bool {
        is_silent || self.tells_of_silence() || self.state.load(Ordering::Relaxed) != UNAVAILABLE
    }

    pub(crate) fn publish(&self, statistics: &Statistics, is_silent: bool) {
        let state = match &statistics.state {
            State::Off => 0,
            State::Idle => 1,
            State::Armed => 2,
            other => {
                self.explain(other);
                UNAVAILABLE
            }
        };
        self.state.store(state, Ordering::Release);
        self.rings.store(statistics.rings, Ordering::Relaxed);
        self.answered.store(statistics.answered, Ordering::Relaxed);
        self.rung.store(statistics.rung, Ordering::Relaxed);
        self.is_silent.store(is_silent, Ordering::Relaxed);
    }

    #[cold]
    fn explain(&self, state: &State) {
        let why = match state {
            State::Unavailable(why) => why.clone(),
            other => other.to_string(),
        };
        *self.why.lock().unwrap_or_else(PoisonError::into_inner) = why;
    }

    /// One of the numbers: of the state, the rings, the looks that were spared, or the rings that
    /// were heard.
    pub(crate) fn number(&self, which: jint) -> Option<u64> {
        let number = match which {
            0 => &self.state,
            1 => &self.rings,
            2 => &self.answered,
            3 => &self.rung,
            _ => return None,
        };
        Some(number.load(Ordering::Acquire))
    }

    pub(crate) fn why_unavailable(&self) -> String {
        self.why
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statistics(state: State) -> Statistics {
        let mut statistics = Statistics::default();
        statistics.state = state;
        statistics.rings = 1;
        statistics.answered = 20;
        statistics.rung = 3;
        statistics
    }

    #[test]
    fn what_is_published_is_read_by_its_number() {
        let bulletin = Bulletin::new(&statistics(State::Armed));
        let numbers: Vec<_> = (0..5).map(|which| bulletin.number(which)).collect();
        assert_eq!(numbers, [Some(2), Some(1), Some(20), Some(3), None]);
        assert_eq!(bulletin.why_unavailable(), "");
    }

    #[test]
    fn the_reason_is_published_once_and_not_asked_for_until_there_is_silence() {
        let bulletin = Bulletin::new(&statistics(State::Idle));
        assert!(bulletin.may_be_outdated(false));
        bulletin.publish(&statistics(State::Unavailable("seccomp".into())), false);
        assert_eq!(bulletin.number(0), Some(UNAVAILABLE));
        assert_eq!(bulletin.why_unavailable(), "seccomp");
        assert!(!bulletin.may_be_outdated(false));
        assert!(bulletin.may_be_outdated(true));
        bulletin.publish(&statistics(State::Armed), true);
        assert!(bulletin.may_be_outdated(false));
    }
}
