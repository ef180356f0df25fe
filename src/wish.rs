//! What is wanted of a registration: its interest and its mode, which change together.

use std::sync::atomic::{AtomicU16, Ordering};

use crate::mode::Mode;
use crate::ops::Ops;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wish {
    pub(crate) interest: Ops,
    pub(crate) mode: Mode,
}

const INTEREST: u16 = 0xff;

impl Wish {
    fn to_bits(self) -> u16 {
        (self.mode as u16) << 8 | u16::from(self.interest.bits())
    }

    #[inline]
    fn from_bits(bits: u16) -> Self {
        let [mode, interest] = bits.to_be_bytes();
        Self {
            interest: Ops::from_bits_retain(interest),
            mode: Mode::from_index(mode),
        }
    }
}

/// One word, so that a one-shot that has fired is disarmed only if nobody has wished for
/// something else in the meantime. Every change is a read-modify-write, so that none is lost to
/// a value that is out of date.
pub(crate) struct AtomicWish(AtomicU16);

impl AtomicWish {
    pub(crate) fn new(wish: Wish) -> Self {
        Self(AtomicU16::new(wish.to_bits()))
    }

    #[inline]
    pub(crate) fn load(&self) -> Wish {
        Wish::from_bits(self.0.load(Ordering::Acquire))
    }

    /// What it was, as below.
    pub(crate) fn replace(&self, wish: Wish) -> Wish {
        Wish::from_bits(self.0.swap(wish.to_bits(), Ordering::AcqRel))
    }

    pub(crate) fn replace_interest(&self, interest: Ops) -> Wish {
        self.update(|wish| Wish { interest, ..wish })
    }

    pub(crate) fn replace_mode(&self, mode: Mode) -> Wish {
        self.update(|wish| Wish { mode, ..wish })
    }

    pub(crate) fn add_interest(&self, interest: Ops) -> Wish {
        let added = u16::from(interest.bits());
        Wish::from_bits(self.0.fetch_or(added, Ordering::AcqRel))
    }

    pub(crate) fn keep_interest(&self, interest: Ops) -> Wish {
        let kept = !INTEREST | u16::from(interest.bits());
        Wish::from_bits(self.0.fetch_and(kept, Ordering::AcqRel))
    }

    /// Empties the interest, if it is all still as it was when the one-shot fired.
    pub(crate) fn disarm(&self, fired: Wish) {
        let disarmed = Wish {
            interest: Ops::empty(),
            ..fired
        };
        let (fired, disarmed) = (fired.to_bits(), disarmed.to_bits());
        let (done, failed) = (Ordering::AcqRel, Ordering::Relaxed);
        let _ = self.0.compare_exchange(fired, disarmed, done, failed);
    }

    fn update(&self, change: impl Fn(Wish) -> Wish) -> Wish {
        let mut before = self.0.load(Ordering::Relaxed);
        loop {
            let after = change(Wish::from_bits(before)).to_bits();
            let (done, failed) = (Ordering::AcqRel, Ordering::Relaxed);
            match self.0.compare_exchange_weak(before, after, done, failed) {
                Ok(before) => return Wish::from_bits(before),
                Err(actual) => before = actual,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_one_part_leave_the_other() {
        let wish = AtomicWish::new(Wish {
            interest: Ops::READ,
            mode: Mode::Edge,
        });
        assert_eq!(wish.add_interest(Ops::WRITE).interest, Ops::READ);
        assert_eq!(wish.replace_mode(Mode::OneShot).mode, Mode::Edge);
        assert_eq!(wish.keep_interest(Ops::WRITE).mode, Mode::OneShot);
        assert_eq!(wish.replace_interest(Ops::READ).interest, Ops::WRITE);
        let expected = Wish {
            interest: Ops::READ,
            mode: Mode::OneShot,
        };
        assert_eq!(wish.load(), expected);
    }

    #[test]
    fn only_what_has_fired_is_disarmed() {
        let fired = Wish {
            interest: Ops::READ,
            mode: Mode::OneShot,
        };
        let level = Wish {
            mode: Mode::Level,
            ..fired
        };
        let wish = AtomicWish::new(level);
        wish.disarm(fired);
        assert_eq!(wish.load(), level);
        wish.replace(fired);
        wish.disarm(fired);
        assert_eq!(wish.load().interest, Ops::empty());
    }
}
