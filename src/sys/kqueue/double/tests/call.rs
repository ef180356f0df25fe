//! The double's functions, in Rust's shape.

use std::io;
use std::os::fd::RawFd;
use std::ptr;
use std::time::Duration;

use super::super::{Flavour, choose_flavour, close, kevent, kqueue};
use crate::sys::kqueue::types::Kevent;

pub(super) use crate::sys::kqueue::types::EV_ONESHOT;
/// Without waiting.
pub(super) const NOW: Duration = Duration::ZERO;

#[derive(Debug)]
pub(super) struct Kqueue {
    pub(super) number: RawFd,
}

impl Kqueue {
    pub(super) fn open(flavour: Flavour) -> Self {
        choose_flavour(Some(flavour));
        let number = kqueue();
        choose_flavour(None);
        assert_ne!(number, -1, "{}", io::Error::last_os_error());
        Self { number }
    }

    /// Makes one change, without room for its result.
    pub(super) fn change(&self, change: Kevent) -> Result<(), i32> {
        match call(self.number, &[change], 0, NOW) {
            (-1, _) => Err(last_errno()),
            (answer, _) => {
                assert_eq!(answer, 0);
                Ok(())
            }
        }
    }

    /// What is ready now.
    pub(super) fn collect(&self) -> Vec<Kevent> {
        call(self.number, &[], 32, NOW).1
    }
}

impl Drop for Kqueue {
    fn drop(&mut self) {
        // SAFETY: the number is ours.
        assert_eq!(unsafe { close(self.number) }, 0);
    }
}

/// kevent(2): its answer, and the events.
pub(super) fn call(
    kq: RawFd,
    changes: &[Kevent],
    room: usize,
    timeout: Duration,
) -> (i32, Vec<Kevent>) {
    let mut events = vec![entry(0, 0, 0); room];
    let (first, timeout) = (events.as_mut_ptr(), timespec(timeout));
    // SAFETY: both lists have the lengths that are said.
    let answer = unsafe {
        kevent(
            kq,
            changes.as_ptr(),
            changes.len(),
            first,
            room,
            &raw const timeout,
        )
    };
    events.truncate(usize::try_from(answer).unwrap_or(0));
    (answer, events)
}

/// kevent(2) with the same memory for the changes and their results.
pub(super) fn call_in_place(kq: RawFd, list: &mut [Kevent]) -> i32 {
    let (first, length, timeout) = (list.as_mut_ptr(), list.len(), timespec(NOW));
    // SAFETY: the list has the length that is said, twice.
    unsafe { kevent(kq, first, length, first, length, &raw const timeout) }
}

pub(super) fn last_errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}

fn timespec(time: Duration) -> libc::timespec {
    libc::timespec {
        tv_sec: time.as_secs().try_into().unwrap(),
        tv_nsec: time.subsec_nanos().into(),
    }
}

pub(super) fn entry(ident: usize, filter: u32, flags: u32) -> Kevent {
    Kevent {
        ident,
        filter,
        flags,
        fflags: 0,
        data: 0,
        udata: ptr::null_mut(),
    }
}

pub(super) fn with_udata(change: Kevent, udata: usize) -> Kevent {
    Kevent {
        udata: ptr::without_provenance_mut(udata),
        ..change
    }
}
