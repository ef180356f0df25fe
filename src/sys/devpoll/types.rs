//! What `<sys/devpoll.h>` and `<poll.h>` of Solaris define, which the libc crate does not have.

use std::marker::PhantomData;

pub(crate) use crate::sys::poll::PollFd;

/// As the whole `events` of an entry that is written: the descriptor is to be forgotten. With
/// any other bit beside it, it means nothing.
pub(crate) const POLLREMOVE: libc::c_short = 0x0800;

/// `struct dvpoll`. On illumos it has a fourth member, which `DP_POLL` does not read.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct DvPoll<'a> {
    dp_fds: *mut PollFd,
    dp_nfds: libc::nfds_t,
    dp_timeout: libc::c_int,
    answers: PhantomData<&'a mut [PollFd]>,
}

const _: () = assert!(size_of::<PollFd>() == 8);
#[cfg(target_pointer_width = "64")]
const _: () = assert!(
    size_of::<DvPoll<'_>>() == 24
        && std::mem::offset_of!(DvPoll<'_>, dp_nfds) == 8
        && std::mem::offset_of!(DvPoll<'_>, dp_timeout) == 16
);

impl<'a> DvPoll<'a> {
    /// Room for so many answers, and for how many milliseconds to wait for one; -1 is for ever.
    pub(super) fn new(answers: &'a mut [PollFd], timeout: libc::c_int) -> Self {
        Self {
            dp_fds: answers.as_mut_ptr(),
            // No descriptor table is larger than what nfds_t holds.
            dp_nfds: answers.len() as libc::nfds_t,
            dp_timeout: timeout,
            answers: PhantomData,
        }
    }
}

/// For the double, which reads the structure as the kernel would.
#[cfg(target_os = "linux")]
impl DvPoll<'_> {
    pub(super) fn timeout(&self) -> libc::c_int {
        self.dp_timeout
    }

    pub(super) fn answers(&mut self) -> &mut [PollFd] {
        let room = usize::try_from(self.dp_nfds).expect("it was a length");
        // SAFETY: `new` has taken pointer and length from a slice that stays borrowed as long as
        // this structure lives, and nothing else gives access to it.
        unsafe { std::slice::from_raw_parts_mut(self.dp_fds, room) }
    }
}
