//! kqueue(2) on Linux, for tests: what macOS and the BSDs answer, made of epoll(7).
//!
//! The functions have the shape of the system's, with its memory and its error numbers. What they
//! imitate was measured: `tests/kqueue-transcripts/` has what one program printed on two kernels,
//! and the tests here replay that program. Where the kernels differ, so do the [flavours]. (That
//! program had no pipes on FreeBSD: those are as its source and its own tests say.)
//!
//! A knote is what the kernel remembers of one descriptor and one filter. A wakeup of the file
//! puts the knote on the queue; a scan of the queue asks the filter again and reports what is
//! still so. [`queue`] has these rules, [`filter`] the answers of the filters, [`wakeups`] how
//! Linux tells of wakeups, [`registry`] which number is which queue.
//!
//! What it cannot do:
//!
//! - A descriptor that is closed while a duplicate lives, and whose number is then given back to
//!   the same open file, looks as if it had never been closed.
//! - Which error is pending on a socket can be learnt only by taking it from whoever reads
//!   `SO_ERROR` next. That there is one is seen; which one is inferred from the connection.
//! - Linux wakes readers and writers alike when a connection changes its state. An `EV_CLEAR` may
//!   be reported once more then, though nothing has come that it is about.
//! - Writing to a regular file wakes nobody: each call of kevent(2) looks at its end instead.
//!
//! [flavours]: Flavour

#[cfg(all(nioselect_kqueue_extern, not(nioselect_kqueue_extern = "library")))]
mod exports;
mod filter;
mod flavour;
mod kind;
mod knote;
mod linux;
mod queue;
mod registry;
#[cfg(test)]
mod tests;
mod wakeups;

pub use flavour::Flavour;
pub use flavour::choose as choose_flavour;

use std::cell::Cell;
use std::time::Duration;

use libc::{c_int, timespec};

use super::types::{EV_ERROR, EV_RECEIPT, Kevent};
use linux::Errno;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
    static CHANGES: Cell<u64> = const { Cell::new(0) };
    static IS_RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is in the double just now. What it allocates then, a kernel would.
pub fn is_running() -> bool {
    IS_RUNNING.get()
}

/// Until it is dropped, [`is_running`].
struct Running;

impl Running {
    fn begin() -> Self {
        IS_RUNNING.set(true);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        IS_RUNNING.set(false);
    }
}

/// How often this thread has called kevent(2).
pub fn calls() -> u64 {
    CALLS.get()
}

/// How many changes this thread has passed to it.
pub fn changes() -> u64 {
    CHANGES.get()
}

/// kqueue(2). It does not set close-on-exec.
pub(crate) fn kqueue() -> c_int {
    let _running = Running::begin();
    answer(registry::open())
}

/// kevent(2).
///
/// # Safety
///
/// `changes` has `nchanges` entries, `events` has room for `nevents`; either may be null if its
/// length is 0, and they may be the same memory. `timeout` is null or points to a timespec.
pub(crate) unsafe fn kevent(
    kq: c_int,
    changes: *const Kevent,
    nchanges: usize,
    events: *mut Kevent,
    nevents: usize,
    timeout: *const timespec,
) -> c_int {
    CALLS.set(CALLS.get() + 1);
    CHANGES.set(CHANGES.get() + nchanges as u64);
    let _running = Running::begin();
    // SAFETY: null, or a timespec, as the caller promises.
    let timeout = unsafe { timeout.as_ref() };
    let changes = Changes {
        next: changes,
        left: nchanges,
    };
    let mut events = Events {
        first: events,
        used: 0,
        room: nevents,
    };
    answer(call(kq, changes, &mut events, timeout))
}

/// close(2), which it is for any other number too.
///
/// # Safety
///
/// The number is the caller's, who does not use it any more.
pub(crate) unsafe fn close(kq: c_int) -> c_int {
    let _running = Running::begin();
    answer(registry::close(kq).map(|()| 0))
}

fn call(
    kq: c_int,
    changes: Changes,
    events: &mut Events,
    timeout: Option<&timespec>,
) -> Result<c_int, Errno> {
    let queue = registry::find(kq).ok_or(libc::EBADF)?;
    let timeout = timeout.map(duration).transpose()?;
    for change in changes {
        let result = queue.apply(&change);
        if result.is_ok() && change.flags & EV_RECEIPT == 0 {
            continue;
        }
        if events.are_full() {
            // Neither the receipts that are written are counted, nor the other changes made.
            return result.map(|()| 0);
        }
        events.push(Kevent {
            flags: EV_ERROR,
            data: result.err().unwrap_or(0).into(),
            ..change
        });
    }
    if events.used == 0 && events.room > 0 {
        queue.wait(events, timeout)?;
    }
    Ok(c_int::try_from(events.used).unwrap_or(c_int::MAX))
}

fn duration(time: &timespec) -> Result<Duration, Errno> {
    let seconds = u64::try_from(time.tv_sec).map_err(|_| libc::EINVAL)?;
    let nanoseconds = u32::try_from(time.tv_nsec).map_err(|_| libc::EINVAL)?;
    if nanoseconds >= 1_000_000_000 {
        return Err(libc::EINVAL);
    }
    Ok(Duration::new(seconds, nanoseconds))
}

fn answer(result: Result<c_int, Errno>) -> c_int {
    result.unwrap_or_else(|errno| {
        linux::set_errno(errno);
        -1
    })
}

/// The changes of one call. Each is read when its turn comes, for the caller's array may be the
/// one that the results are written to.
struct Changes {
    next: *const Kevent,
    left: usize,
}

impl Iterator for Changes {
    type Item = Kevent;

    fn next(&mut self) -> Option<Kevent> {
        self.left = self.left.checked_sub(1)?;
        // SAFETY: `left` of the caller's entries are left, so this one is; what is written to the
        // same memory in the meantime are whole entries.
        let change = unsafe { self.next.read() };
        // SAFETY: one past an entry of the array.
        self.next = unsafe { self.next.add(1) };
        Some(change)
    }
}

/// The results of one call.
struct Events {
    first: *mut Kevent,
    used: usize,
    room: usize,
}

impl Events {
    fn are_full(&self) -> bool {
        self.used == self.room
    }

    fn push(&mut self, event: Kevent) {
        assert!(!self.are_full());
        // SAFETY: the caller's array has `room` entries, and `used` is less.
        unsafe { self.first.add(self.used).write(event) };
        self.used += 1;
    }
}
