//! Naming a registration, in the kernel too.

use std::fmt;

/// Names one registration with a [`Poller`](crate::poller::Poller).
///
/// It has the index of a slot in its lower 32 bits and a generation in its upper ones: when a
/// slot is used again, the generation differs, so that an event of a registration that has ended
/// is never taken for one of its successor.
///
/// No token is the number 0. The kernel carries the 64 bits; a binding can carry them through
/// another language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Token(u64);

impl Token {
    /// The wake descriptor of a poller itself. No slot has this index.
    pub(crate) const WAKE: Self = Self(u64::MAX);

    #[inline]
    pub(crate) fn new(index: u32, generation: u32) -> Self {
        Self(u64::from(generation) << 32 | u64::from(index))
    }

    /// The token that [`to_bits`](Self::to_bits) turned into a number. Any other number names no
    /// registration, or one of somebody else's.
    #[inline]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The token as a number.
    #[inline]
    pub const fn to_bits(self) -> u64 {
        self.0
    }

    #[inline]
    pub(crate) const fn index(self) -> usize {
        (self.0 & 0xffff_ffff) as usize
    }

    pub(crate) const fn generation(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "registration {}#{}", self.index(), self.generation())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_and_generation_share_one_number() {
        let token = Token::new(7, u32::MAX);
        assert_eq!((token.index(), token.generation()), (7, u32::MAX));
        assert_eq!(Token::from_bits(token.to_bits()), token);
        assert_ne!(token, Token::new(7, 0));
    }
}
