//! The poller: class `PollerCalls`.

#![allow(unsafe_code)]

use std::os::fd::{AsFd, BorrowedFd, RawFd};
use std::time::Duration;

use jni::Env;
use jni::objects::JString;
use jni::sys::{jint, jlong};
use nioselect::poller::{Kind, Mode, Poller, Token, Waited, Waker};
use nioselect::{Backend, Error, Ops};

use crate::errno::{Errno, Result};

/// In place of a kind: the registration ends.
const REMOVE: i32 = -1;
/// In the answer of `select`: it was woken.
const WOKEN: jint = 1 << 30;

/// A registered descriptor, and the number by which Java knows it.
struct Watched {
    fd: RawFd,
    index: u32,
}

impl AsFd for Watched {
    fn as_fd(&self) -> BorrowedFd<'_> {
        // SAFETY: Java's `Descriptor` counts every registration as a user, and closes the number
        // only when the last user has left, which is after the registration has been removed.
        unsafe { BorrowedFd::borrow_raw(self.fd) }
    }
}

/// As Java writes it.
#[repr(C)]
#[derive(Clone, Copy)]
struct Change {
    index: u32,
    fd: i32,
    kind: i32,
    ops: u32,
}

/// What a handle points to.
struct JavaPoller {
    poller: Poller<Watched>,
    /// By Java's indices.
    tokens: Vec<Option<Token>>,
    /// Room for as many events as the poller reports at most.
    events: *mut u64,
}

impl JavaPoller {
    /// Every change is made or at least noted, even if one of them fails.
    fn make(&mut self, changes: &[Change]) -> nioselect::Result<()> {
        let mut outcome = Ok(());
        for change in changes {
            let made = self.make_one(*change);
            outcome = outcome.and(made);
        }
        outcome
    }

    fn make_one(&mut self, change: Change) -> nioselect::Result<()> {
        let place = change.index as usize;
        if place >= self.tokens.len() {
            self.tokens.resize(place + 1, None);
        }
        if change.kind == REMOVE {
            return match self.tokens[place].take() {
                Some(token) => self.poller.deregister(token).map(drop),
                None => Ok(()),
            };
        }
        let (kind, mode) = kind_and_mode(change.kind);
        let ops = Ops::from_bits_truncate(change.ops as _);
        match self.tokens[place] {
            Some(token) => {
                self.poller.set_kind(token, kind)?;
                self.poller.set_interest(token, ops)
            }
            None => {
                let watched = Watched {
                    fd: change.fd,
                    index: change.index,
                };
                self.tokens[place] = Some(self.poller.register(watched, kind, ops, mode)?);
                Ok(())
            }
        }
    }

    fn wait(&mut self, timeout: Option<Duration>) -> nioselect::Result<jint> {
        let events = self.events;
        let mut count = 0;
        let Waited { woken, .. } = self.poller.wait(timeout, |_, watched, ops| {
            // SAFETY: Java has made room for as many events as the poller reports in one wait
            // (`open` was told both by the same number), and keeps the memory as long as the
            // handle.
            unsafe {
                events.add(count).write(event(watched.index, ops));
            }
            count += 1;
        })?;
        let count = jint::try_from(count).unwrap_or(jint::MAX);
        Ok(if woken { count | WOKEN } else { count })
    }
}

/// As Java reads it, in one piece: the index in the lower half, what is ready in the upper one.
fn event(index: u32, ready: Ops) -> u64 {
    u64::from(ready.bits()) << 32 | u64::from(index)
}

/// The numbers of Java's `ChannelKind`, and `PollerCalls.ONCE`.
fn kind_and_mode(number: i32) -> (Kind, Mode) {
    match number {
        0 => (Kind::Listener, Mode::Level),
        1 => (Kind::Connecting, Mode::Level),
        2 => (Kind::Connected, Mode::Level),
        3 => (Kind::Datagram, Mode::Level),
        4 => (Kind::PipeSource, Mode::Level),
        5 => (Kind::PipeSink, Mode::Level),
        6 => (Kind::Other, Mode::OneShot),
        other => panic!("there is no kind {other}"),
    }
}

impl From<Error> for Errno {
    /// The number that tells Java the most.
    fn from(error: Error) -> Self {
        Self(match error {
            Error::Unsupported(_) => libc::EOPNOTSUPP,
            Error::AlreadyRegistered { .. } => libc::EEXIST,
            other => other.raw_os_error().unwrap_or(libc::EINVAL),
        })
    }
}

/// The preferred backend first.
fn backends_in_order() -> Vec<Backend> {
    let mut all = Backend::ALL.to_vec();
    if let Ok(preferred) = Backend::preferred() {
        all.sort_by_key(|&backend| backend != preferred);
    }
    all
}

/// `PollerCalls.backends`.
pub(crate) fn backends<'local>(env: &mut Env<'local>) -> jni::errors::Result<JString<'local>> {
    let names: Vec<_> = backends_in_order().iter().map(|b| b.name()).collect();
    env.new_string(names.join(","))
}

/// `PollerCalls.open`.
///
/// # Safety
///
/// `events` has room for `capacity` events until the handle is closed.
pub(crate) unsafe fn open(backend: jint, events: jlong, capacity: jint) -> Result<jlong> {
    let backend = usize::try_from(backend)
        .ok()
        .and_then(|number| backends_in_order().get(number).copied())
        .ok_or(Errno(libc::EINVAL))?;
    let capacity = usize::try_from(capacity).map_err(|_| Errno(libc::EINVAL))?;
    let opened = Box::new(JavaPoller {
        poller: Poller::with_capacity(backend, capacity)?,
        tokens: Vec::new(),
        events: events as *mut u64,
    });
    Ok(Box::into_raw(opened) as jlong)
}

/// `PollerCalls.close`.
///
/// # Safety
///
/// `handle` is one of [`open`], is not in use, and is not used again.
pub(crate) unsafe fn close(handle: jlong) -> Result<jint> {
    // SAFETY: `open` made it from a box, and the caller gives it back.
    drop(unsafe { Box::from_raw(handle as *mut JavaPoller) });
    Ok(0)
}

/// `PollerCalls.select`.
///
/// # Safety
///
/// `handle` is an open one, which no other thread uses meanwhile; there are `count` changes at
/// `changes`.
pub(crate) unsafe fn select(
    handle: jlong,
    changes: jlong,
    count: jint,
    millis: jlong,
) -> Result<jint> {
    // SAFETY: as the caller promises.
    let poller = unsafe { &mut *(handle as *mut JavaPoller) };
    if count > 0 {
        // SAFETY: as the caller promises.
        poller.make(unsafe { changes_at(changes, count) })?;
    }
    let timeout = u64::try_from(millis).ok().map(Duration::from_millis);
    Ok(poller.wait(timeout)?)
}

/// `PollerCalls.change`.
///
/// # Safety
///
/// As for [`select`].
pub(crate) unsafe fn change(handle: jlong, changes: jlong, count: jint) -> Result<jint> {
    // SAFETY: as the caller promises.
    unsafe { (*(handle as *mut JavaPoller)).make(changes_at(changes, count)) }?;
    Ok(0)
}

/// # Safety
///
/// There are `count` changes at `address`, which nobody alters as long as the slice is in use.
unsafe fn changes_at<'a>(address: jlong, count: jint) -> &'a [Change] {
    let count = usize::try_from(count).unwrap_or(0);
    // SAFETY: as the caller promises; Java's memory is aligned to at least eight bytes.
    unsafe { std::slice::from_raw_parts(address as *const Change, count) }
}

/// `PollerCalls.openWaker`.
///
/// # Safety
///
/// `handle` is an open one of [`open`].
pub(crate) unsafe fn open_waker(handle: jlong) -> Result<jlong> {
    // SAFETY: as the caller promises.
    let waker = unsafe { &*(handle as *const JavaPoller) }.poller.waker();
    Ok(Box::into_raw(Box::new(waker)) as jlong)
}

/// `PollerCalls.wake`.
///
/// # Safety
///
/// `waker` is an open one of [`open_waker`].
pub(crate) unsafe fn wake(waker: jlong) -> Result<jint> {
    // SAFETY: as the caller promises.
    unsafe { &*(waker as *const Waker) }.wake();
    Ok(0)
}

/// `PollerCalls.closeWaker`.
///
/// # Safety
///
/// `waker` is one of [`open_waker`], is not in use, and is not used again.
pub(crate) unsafe fn close_waker(waker: jlong) -> Result<jint> {
    // SAFETY: `open_waker` made it from a box, and the caller gives it back.
    drop(unsafe { Box::from_raw(waker as *mut Waker) });
    Ok(0)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::fd::AsRawFd;
    use std::os::unix::net::UnixStream;

    use super::*;

    const READ: Ops = Ops::READ;
    const CONNECTED: i32 = 2;
    const ONCE: i32 = 6;

    /// A poller as Java has it, with room for two events.
    struct Opened {
        handle: jlong,
        events: Box<[u64; 2]>,
    }

    impl Opened {
        fn new() -> Self {
            let mut events = Box::new([0; 2]);
            // SAFETY: there is room for two, and the box outlives the handle.
            let handle = unsafe { open(0, events.as_mut_ptr() as jlong, 2) };
            Self {
                handle: handle.unwrap(),
                events,
            }
        }

        fn select(&self, changes: &[Change]) -> jint {
            let count = changes.len() as jint;
            // SAFETY: the handle is open, and the changes are a slice.
            unsafe { select(self.handle, changes.as_ptr() as jlong, count, 0) }.unwrap()
        }

        fn change(&self, changes: &[Change]) {
            // SAFETY: as for select.
            unsafe {
                change(
                    self.handle,
                    changes.as_ptr() as jlong,
                    changes.len() as jint,
                )
            }
            .unwrap();
        }
    }

    impl Drop for Opened {
        fn drop(&mut self) {
            // SAFETY: nobody else has the handle.
            unsafe { close(self.handle) }.unwrap();
        }
    }

    fn put(index: u32, stream: &UnixStream, kind: i32, ops: Ops) -> Change {
        let fd = stream.as_raw_fd();
        let ops = ops.bits().into();
        Change {
            index,
            fd,
            kind,
            ops,
        }
    }

    fn readable_pair() -> (UnixStream, UnixStream) {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        theirs.write_all(b"x").unwrap();
        (ours, theirs)
    }

    #[test]
    fn an_event_carries_javas_index() {
        let (ours, _theirs) = readable_pair();
        let poller = Opened::new();
        assert_eq!(poller.select(&[put(7, &ours, CONNECTED, READ)]), 1);
        assert_eq!(poller.events[0], event(7, READ));
        assert_eq!(poller.select(&[]), 1, "it is level-triggered");
    }

    #[test]
    fn what_is_removed_can_be_registered_under_another_index_at_once() {
        let (ours, _theirs) = readable_pair();
        let poller = Opened::new();
        assert_eq!(poller.select(&[put(0, &ours, CONNECTED, READ)]), 1);
        let changes = [
            put(0, &ours, REMOVE, Ops::empty()),
            put(1, &ours, CONNECTED, READ),
        ];
        assert_eq!(poller.select(&changes), 1);
        assert_eq!(poller.events[0], event(1, READ));
        poller.change(&[put(1, &ours, REMOVE, Ops::empty())]);
        assert_eq!(poller.select(&[]), 0);
    }

    #[test]
    fn once_is_once() {
        let (ours, _theirs) = readable_pair();
        let poller = Opened::new();
        assert_eq!(poller.select(&[put(0, &ours, ONCE, READ)]), 1);
        assert_eq!(poller.select(&[]), 0);
    }

    #[test]
    fn a_wakeup_is_told_once_and_a_waker_outlives_its_poller() {
        let poller = Opened::new();
        // SAFETY: the handle is open.
        let waker = unsafe { open_waker(poller.handle) }.unwrap();
        // SAFETY: the waker is open until the end of this test.
        unsafe { wake(waker) }.unwrap();
        assert_eq!(poller.select(&[]), WOKEN);
        assert_eq!(poller.select(&[]), 0);
        drop(poller);
        // SAFETY: as above.
        unsafe { wake(waker).and_then(|_| close_waker(waker)) }.unwrap();
    }

    #[test]
    fn a_backend_that_is_not_there_is_invalid() {
        // SAFETY: without a poller there are no events.
        let answer = unsafe { open(99, 0, 1) };
        assert_eq!(answer, Err(Errno(libc::EINVAL)));
    }
}
