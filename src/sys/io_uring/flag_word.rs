//! The word by which the kernel tells that a ring has work, in memory.

use std::io;
use std::os::fd::AsRawFd;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, Ordering, fence};

use io_uring::{IoUring, Parameters};

use super::super::check;
use crate::error::{Error, Result};

/// A mapping of its own, for reading only: the io-uring crate does not tell where its own one has
/// the word, and who looks at it often is to do nothing else.
#[derive(Debug)]
pub(crate) struct FlagWord {
    mapping: NonNull<libc::c_void>,
    length: usize,
    word: NonNull<AtomicU32>,
}

// SAFETY: the mapping belongs to the process, and only relaxed atomic reads are made of it.
unsafe impl Send for FlagWord {}

impl FlagWord {
    pub(super) fn of(ring: &IoUring) -> Result<Self> {
        let layout = Layout::of(ring.params());
        let length = layout.length();
        // SAFETY: a new mapping, where the kernel likes.
        let mapping = unsafe {
            libc::mmap(
                ptr::null_mut(),
                length,
                libc::PROT_READ,
                libc::MAP_SHARED,
                ring.as_raw_fd(),
                IORING_OFF_SQ_RING,
            )
        };
        if mapping == libc::MAP_FAILED {
            return Err(Error::system("mmap", io::Error::last_os_error()));
        }
        let mapping = NonNull::new(mapping).expect("nothing is mapped at 0");
        // SAFETY: the kernel has said that the word is there, which is within the mapping.
        let word = unsafe { mapping.byte_add(layout.flags as usize) }.cast();
        Ok(Self {
            mapping,
            length,
            word,
        })
    }

    /// Whether the kernel has told of nothing: of work for the owner of the ring
    /// (`IORING_SQ_TASKRUN`), of completions for which there was no room, and of what kernels to
    /// come may think of.
    ///
    /// Whoever has seen what another thread did after it made something ready sees the word as
    /// that left it.
    #[inline]
    pub(crate) fn is_silent(&self) -> bool {
        let word = self.word().load(Ordering::Relaxed);
        fence(Ordering::Acquire);
        word == 0
    }

    /// Of memory that may not be written, where Rust allows relaxed loads alone (std::sync::atomic,
    /// "Atomic accesses to read-only memory").
    #[inline]
    pub(crate) fn word(&self) -> &AtomicU32 {
        // SAFETY: the mapping is there as long as this is, and the word is aligned, as all are in
        // what the kernel shares. Whoever has the reference only makes relaxed loads.
        unsafe { self.word.as_ref() }
    }
}

impl Drop for FlagWord {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nobody else knows of it.
        let answer = unsafe { libc::munmap(self.mapping.as_ptr(), self.length) };
        debug_assert!(check("munmap", answer).is_ok());
    }
}

/// The SQ ring of io_uring_setup(2).
const IORING_OFF_SQ_RING: libc::off_t = 0;

/// Where things are in what the kernel shares: a part of struct io_uring_params, which is a part
/// of the kernel's interface (io_uring_setup(2)).
struct Layout {
    sq_entries: u32,
    cq_entries: u32,
    flags: u32,
    array: u32,
    completions: u32,
}

impl Layout {
    fn of(parameters: &Parameters) -> Self {
        const { assert!(size_of::<Parameters>() == size_of::<[u32; 30]>()) };
        // SAFETY: the io-uring crate promises that the type is that of the kernel, which has
        // numbers of 32 bits all through, and of 64 bits, which are two of these.
        let words = unsafe { &*ptr::from_ref(parameters).cast::<[u32; 30]>() };
        Self {
            sq_entries: words[0],
            cq_entries: words[1],
            flags: words[14],
            array: words[16],
            completions: words[25],
        }
    }

    /// Of all that can be mapped there: kernels differ in whether they map a part of it.
    fn length(&self) -> usize {
        const INDEX: usize = size_of::<u32>();
        const COMPLETION: usize = 16;
        let indices = self.array as usize + self.sq_entries as usize * INDEX;
        let completions = self.completions as usize + self.cq_entries as usize * COMPLETION;
        indices.max(completions)
    }
}
