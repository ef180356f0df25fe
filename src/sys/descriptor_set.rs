//! A set of descriptors, as a heap-allocated bit set of any size.

use std::os::fd::RawFd;

/// The word that select(2) reads a set by. Reading and writing a smaller one by larger words would
/// pass its end.
#[cfg(any(target_vendor = "apple", target_os = "netbsd", target_os = "openbsd"))]
pub(super) type Word = u32;
/// The word that select(2) reads a set by.
#[cfg(not(any(target_vendor = "apple", target_os = "netbsd", target_os = "openbsd")))]
pub(super) type Word = libc::c_ulong;

const BITS: usize = Word::BITS as usize;

/// A bit for each descriptor, growing as needed.
#[derive(Clone, Debug, Default)]
pub(crate) struct DescriptorSet {
    words: Vec<Word>,
}

fn place(fd: RawFd) -> (usize, Word) {
    let fd = usize::try_from(fd).expect("a descriptor is not negative");
    (fd / BITS, 1 << (fd % BITS))
}

impl DescriptorSet {
    pub(crate) fn make_room_for(&mut self, fd: RawFd) {
        if let Ok(fd) = usize::try_from(fd) {
            let needed = fd / BITS + 1;
            if self.words.len() < needed {
                self.words.resize(needed, 0);
            }
        }
    }

    /// Whether it was not there before.
    pub(crate) fn insert(&mut self, fd: RawFd) -> bool {
        self.make_room_for(fd);
        let (word, bit) = place(fd);
        let added = self.words[word] & bit == 0;
        self.words[word] |= bit;
        added
    }

    /// Whether it was there.
    pub(crate) fn remove(&mut self, fd: RawFd) -> bool {
        let (word, bit) = place(fd);
        let Some(word) = self.words.get_mut(word) else {
            return false;
        };
        let removed = *word & bit != 0;
        *word &= !bit;
        removed
    }

    pub(crate) fn set(&mut self, fd: RawFd, present: bool) {
        if present {
            self.insert(fd);
        } else {
            self.remove(fd);
        }
    }

    pub(crate) fn contains(&self, fd: RawFd) -> bool {
        let (word, bit) = place(fd);
        self.words.get(word).is_some_and(|word| word & bit != 0)
    }

    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.words.clear();
        self.words.extend_from_slice(&other.words);
    }

    pub(crate) fn highest(&self) -> Option<RawFd> {
        let word = self.words.iter().rposition(|&word| word != 0)?;
        let bit = BITS - 1 - self.words[word].leading_zeros() as usize;
        RawFd::try_from(word * BITS + bit).ok()
    }

    /// The smallest member of this set or of `other` that is not below `from`.
    pub(crate) fn first_of_either(&self, other: &Self, from: RawFd) -> Option<RawFd> {
        let (first, bit) = place(from);
        let words = self.words.len().max(other.words.len());
        let word_at = |set: &Self, index| set.words.get(index).copied().unwrap_or(0);
        let mut mask = !(bit - 1);
        for index in first..words {
            let word = (word_at(self, index) | word_at(other, index)) & mask;
            if word != 0 {
                return RawFd::try_from(index * BITS + word.trailing_zeros() as usize).ok();
            }
            mask = Word::MAX;
        }
        None
    }

    pub(crate) fn as_mut_ptr(&mut self) -> *mut Word {
        self.words.as_mut_ptr()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_beyond_fd_setsize() {
        let mut set = DescriptorSet::default();
        assert!(set.insert(3));
        assert!(set.insert(5000));
        assert!(!set.insert(5000));
        assert!(set.contains(5000) && !set.contains(4999) && !set.contains(9999));
        assert_eq!(set.highest(), Some(5000));
        assert!(set.remove(5000));
        assert!(!set.remove(5000));
        assert!(!set.remove(100_000));
        assert_eq!(set.highest(), Some(3));
    }

    #[test]
    fn walks_two_sets_at_once() {
        let (mut a, mut b) = (DescriptorSet::default(), DescriptorSet::default());
        a.insert(0);
        b.insert(63);
        b.insert(64);
        a.insert(700);
        let mut found = Vec::new();
        let mut from = 0;
        while let Some(fd) = a.first_of_either(&b, from) {
            found.push(fd);
            from = fd + 1;
        }
        assert_eq!(found, [0, 63, 64, 700]);
        assert_eq!(DescriptorSet::default().first_of_either(&a, 701), None);
    }
}
