//! kqueue(2): a queue of events, and the lists of changes and events that go to and fro.
//!
//! The kernel is the system's own, or one that is linked in, or a double for tests on Linux.
//! They differ in the types of numbers, which [`Event`] evens out, and in nothing else that can
//! be seen from above.

#[cfg(all(target_os = "linux", feature = "doubles"))]
#[cfg_attr(
    nioselect_kqueue_extern = "library",
    allow(
        dead_code,
        reason = "tests may choose a flavour of what they do not run on"
    )
)]
pub(crate) mod double;
#[cfg(nioselect_kqueue_extern)]
mod foreign;
#[cfg(not(any(target_os = "linux", nioselect_kqueue_extern)))]
mod native;
pub(crate) mod types;

#[cfg(all(target_os = "linux", not(nioselect_kqueue_extern)))]
use double as kernel;
#[cfg(nioselect_kqueue_extern)]
use foreign as kernel;
#[cfg(not(any(target_os = "linux", nioselect_kqueue_extern)))]
use native as kernel;

use std::fmt;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, RawFd};
use std::ptr;
use std::time::Duration;

use libc::timespec;

use self::types::{EV_EOF, EV_ERROR, EV_ONESHOT, EV_RECEIPT, Filter, Flags, Kevent};
use super::descriptor::{self, FileType};
use super::{check, count, fork};
use crate::error::Result;

/// One entry of a list of changes or of events.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct Event(Kevent);

// SAFETY: the only pointer in it is a number of ours, which nobody follows.
unsafe impl Send for Event {}

impl Event {
    /// `EV_SET`. The one place that knows how the systems' structures differ.
    pub(crate) fn new(
        ident: usize,
        filter: Filter,
        flags: Flags,
        fflags: u32,
        user_data: u32,
    ) -> Self {
        // SAFETY: every field is a number or a pointer, for which zero is a value. FreeBSD has
        // fields that the others have not, and wants them zero.
        let mut event: Kevent = unsafe { MaybeUninit::zeroed().assume_init() };
        event.ident = ident;
        event.filter = filter;
        event.flags = flags;
        event.fflags = fflags;
        // At least as wide, and a pointer on all systems but old NetBSD.
        event.udata = user_data as usize as _;
        Self(event)
    }

    pub(crate) fn ident(&self) -> usize {
        self.0.ident
    }

    pub(crate) fn filter(&self) -> Filter {
        self.0.filter
    }

    pub(crate) fn user_data(&self) -> u32 {
        // Nothing but what `new` was given.
        self.0.udata as usize as u32
    }

    #[cfg(test)]
    pub(crate) fn flags(&self) -> Flags {
        self.0.flags
    }

    /// What became of a change: 0, or an error number. `None` for an event.
    ///
    /// Flags are tested bit by bit: those of the change may be among them (`EV_RECEIPT` stays
    /// for good, NetBSD answers `EV_ADD`).
    pub(crate) fn outcome(&self) -> Option<i32> {
        let is_outcome = self.0.flags & EV_ERROR != 0;
        is_outcome.then(|| i32::try_from(self.0.data).unwrap_or(libc::EINVAL))
    }

    /// The filter's direction has come to its end.
    pub(crate) fn is_end(&self) -> bool {
        self.0.flags & EV_EOF != 0
    }

    /// The kernel has deleted it, unasked: what it was about is gone. (`knlist_clear` of FreeBSD,
    /// `klist_invalidate` of OpenBSD, `knote_vanish` of XNU; nobody here asks for `EV_ONESHOT`.)
    pub(crate) fn is_last(&self) -> bool {
        self.0.flags & EV_ONESHOT != 0
    }

    /// The connection has ended by an error that nobody has fetched yet.
    pub(crate) fn is_failure(&self) -> bool {
        self.is_end() && self.0.fflags != 0
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event")
            .field("ident", &self.ident())
            .field("filter", &self.filter())
            .field("flags", &format_args!("{:#x}", self.0.flags))
            .field("fflags", &format_args!("{:#x}", self.0.fflags))
            .field("user_data", &self.user_data())
            .finish_non_exhaustive()
    }
}

/// A queue. Threads may share it: the kernel has its locks.
#[derive(Debug)]
pub(crate) struct Queue {
    number: RawFd,
    /// The process that has it: no child inherits a queue.
    forks: u32,
}

impl Queue {
    pub(crate) fn open() -> Result<Self> {
        fork::watch();
        let queue = Self {
            number: check("kqueue", kernel::kqueue())?,
            forks: fork::generation(),
        };
        queue.close_on_exec()?;
        Ok(queue)
    }

    /// A child has no queue, so only an exec(2) of this very process could come before this.
    #[cfg(not(nioselect_kqueue_extern))]
    fn close_on_exec(&self) -> Result<()> {
        // SAFETY: no memory is passed.
        check("fcntl(F_SETFD)", unsafe {
            libc::fcntl(self.number, libc::F_SETFD, libc::FD_CLOEXEC)
        })?;
        Ok(())
    }

    /// The number is another kernel's, and exec(2) means nothing to it.
    #[cfg(nioselect_kqueue_extern)]
    fn close_on_exec(&self) -> Result<()> {
        Ok(())
    }

    /// Whether this process has it. In a child the number is closed, or somebody else's.
    fn is_ours(&self) -> bool {
        self.forks == fork::generation()
    }

    /// Makes the changes, waits for nothing, and puts in the place of each what became of it
    /// ([`Event::outcome`]).
    pub(crate) fn submit(&self, changes: &mut [Event]) -> io::Result<()> {
        if !self.is_ours() {
            return Err(io::Error::from_raw_os_error(libc::EBADF));
        }
        for change in changes.iter_mut() {
            change.0.flags |= EV_RECEIPT;
        }
        let (list, number) = (changes.as_mut_ptr(), changes.len());
        // There is room for a receipt of each change, so the kernel looks at no events.
        loop {
            // SAFETY: `list` has `number` entries, each of which is read as a change before it is
            // written to as a receipt.
            match unsafe { self.kevent(list, number, list, number, Some(Duration::ZERO)) } {
                // All have been made. Made once more they are the same, but their receipts come.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                answer => return answer.map(drop),
            }
        }
    }

    /// Makes the changes, waits, and replaces what `events` holds by at most `limit` others,
    /// which must not be 0: no kernel would wait then.
    ///
    /// Changes that it does not take are among the events (then it has not waited), or else, if
    /// there is no room, an error, and the other changes may not have been made. DragonFly has all
    /// of them among the events, even if these become more than `limit`.
    pub(crate) fn wait(
        &self,
        changes: &[Event],
        events: &mut Vec<Event>,
        limit: usize,
        timeout: Option<Duration>,
    ) -> io::Result<()> {
        events.clear();
        // DragonFly writes what it says of a change without looking whether there is room
        // (`kern_kevent` in sys/kern/kern_event.c).
        events.reserve_exact(limit.max(changes.len()));
        let (list, number) = (changes.as_ptr(), changes.len());
        // SAFETY: `list` has `number` entries, and `events` has room for `limit`, and for an
        // answer to each change.
        let filled = unsafe { self.kevent(list, number, events.as_mut_ptr(), limit, timeout) }?;
        // SAFETY: the kernel has written the first `filled` events: at most `limit`, or an answer
        // to each of some changes. There is room for either.
        unsafe { events.set_len(filled) };
        Ok(())
    }

    /// # Safety
    ///
    /// `changes` has `changes_count` entries and `events` room for as many, and for `events_count`.
    unsafe fn kevent(
        &self,
        changes: *const Event,
        changes_count: usize,
        events: *mut Event,
        events_count: usize,
        timeout: Option<Duration>,
    ) -> io::Result<usize> {
        let timeout = timeout.map(clamped);
        let timeout = timeout.as_ref().map_or(ptr::null(), ptr::from_ref);
        // SAFETY: as our caller promises; an `Event` is a `Kevent`. The time lives as long as
        // this function.
        count(unsafe {
            kernel::kevent(
                self.number,
                changes.cast(),
                changes_count,
                events.cast(),
                events_count,
                timeout,
            )
        })
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if self.is_ours() {
            // SAFETY: the number is ours, and nobody can use it any more. (A wait borrows the
            // queue, so that none is in progress: closing would not end it.)
            unsafe { kernel::close(self.number) };
        }
    }
}

/// Whether it is the end of a pipe that is written to, on a system where `EVFILT_WRITE` does not
/// tell that the reader of a full pipe has gone: FreeBSD, NetBSD and OpenBSD wake its knotes before
/// they note the end, and the first two let go of them then (`pipeclose` in sys/kern/sys_pipe.c,
/// `pipe_destroy` of OpenBSD). `EVFILT_READ` tells it there.
pub(crate) fn is_deaf_sink(fd: RawFd) -> bool {
    const CONCERNED: bool = cfg!(any(
        target_os = "freebsd",
        target_os = "netbsd",
        target_os = "openbsd",
        target_os = "linux",
        nioselect_kqueue_extern
    ));
    if !CONCERNED || !descriptor::is_open(fd) {
        return false;
    }
    // SAFETY: the number is open, and asking does no harm to whoever has it.
    let fd = unsafe { BorrowedFd::borrow_raw(fd) };
    // A pipe of FreeBSD goes both ways.
    let must_not_read = !cfg!(target_os = "freebsd");
    matches!(descriptor::file_type(fd), Ok(FileType::Fifo))
        && matches!(descriptor::access(fd), Ok((can_read, true)) if !(can_read && must_not_read))
}

/// OpenBSD takes no more. Whoever waits for longer resumes.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

fn clamped(timeout: Duration) -> timespec {
    let timeout = timeout.min(LONGEST);
    // SAFETY: every field is a number; some systems have padding.
    let mut time: timespec = unsafe { MaybeUninit::zeroed().assume_init() };
    // Both are small: a day, and less than a second.
    time.tv_sec = timeout.as_secs() as libc::time_t;
    time.tv_nsec = timeout.subsec_nanos() as _;
    time
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_clamped_to_what_every_system_takes() {
        let (short, long) = (
            clamped(Duration::new(3, 999_999_999)),
            clamped(Duration::MAX),
        );
        assert_eq!((short.tv_sec, short.tv_nsec), (3, 999_999_999));
        assert_eq!((long.tv_sec, long.tv_nsec), (86_400, 0));
    }

    #[test]
    fn there_is_room_for_an_answer_to_each_change_however_few_events_are_wanted() {
        let queue = Queue::open().unwrap();
        // A number that no descriptor has.
        let change = Event::new(20_000, types::EVFILT_READ, types::EV_ADD, 0, 1);
        let mut events = Vec::new();
        // An error, or on DragonFly none.
        let _ = queue.wait(&[change; 100], &mut events, 1, Some(Duration::ZERO));
        assert!(events.capacity() >= 100);
    }

    #[test]
    fn an_event_keeps_what_it_is_made_of() {
        let change = Event::new(7, types::EVFILT_WRITE, types::EV_ADD, 0, u32::MAX);
        assert_eq!((change.ident(), change.filter()), (7, types::EVFILT_WRITE));
        assert_eq!(change.user_data(), u32::MAX);
        assert_eq!(change.outcome(), None);
    }

    #[test]
    fn an_outcome_is_told_by_its_bit_whatever_other_flags_there_are() {
        let mut event = Event::new(7, types::EVFILT_READ, types::EV_ADD | EV_RECEIPT, 0, 1);
        event.0.flags |= EV_EOF;
        assert_eq!((event.outcome(), event.is_end()), (None, true));
        event.0.flags |= EV_ERROR;
        event.0.data = 9;
        assert_eq!(event.outcome(), Some(9));
    }
}
