//! The poller: class `PollerCalls`.

#![allow(unsafe_code)]

use std::os::fd::{AsFd, BorrowedFd, RawFd};
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use jni::Env;
use jni::objects::{JByteBuffer, JString};
use jni::sys::{jint, jlong};
use nioselect::doorbell::Policy;
use nioselect::poller::{Kind, Mode, Options, Poller, Token, Waker};
use nioselect::{Backend, Error, Ops};

use crate::buffer;
use crate::bulletin::Bulletin;
use crate::errno::{Errno, Result};

/// In place of a kind: the registration ends.
const REMOVE: i32 = -1;
/// In the answer of `select`: it was woken.
const WOKEN: jint = 1 << 30;
/// In the answer of `select`: the kernel has refused to watch a descriptor.
const REFUSED: jint = 1 << 29;

const MOST_CHANGES: usize = 256;
const MOST_EVENTS: usize = 1024;

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
#[derive(Clone, Copy, Default)]
struct Change {
    index: u32,
    fd: i32,
    kind: i32,
    ops: u32,
}

/// What Java and the poller write to each other, in turn.
#[repr(C)]
struct Shared {
    changes: [Change; MOST_CHANGES],
    events: [u64; MOST_EVENTS],
    /// An index, and in the upper half an error number.
    refusal: u64,
    /// The addresses of [`Poller::silence`] after a wait that has found nothing and was not to wait
    /// for anything, or zeros.
    silence: [u64; 2],
}

/// What a handle points to.
struct JavaPoller {
    poller: Poller<Watched>,
    /// By Java's indices.
    tokens: Vec<Option<Token>>,
    /// Refusals of which Java does not know yet.
    refusals: Vec<u64>,
    /// From a box of its own; Java uses it while no call is in progress.
    shared: NonNull<Shared>,
    bulletin: Arc<Bulletin>,
    spins: bool,
}

/// What a waker's handle points to: all of a poller that is for every thread.
struct JavaWaker {
    waker: Waker,
    bulletin: Arc<Bulletin>,
}

impl JavaPoller {
    fn open(backend: Backend, doorbell: Policy, spin: Duration) -> Result<Self> {
        let poller = Options::new()
            .capacity(MOST_EVENTS)
            .doorbell(doorbell)
            .spin(spin)
            .open(backend)?;
        let bulletin = Arc::new(Bulletin::new(&poller.doorbell()));
        let shared = Box::new(Shared {
            changes: [Change::default(); MOST_CHANGES],
            events: [0; MOST_EVENTS],
            refusal: 0,
            silence: [0; 2],
        });
        Ok(Self {
            poller,
            tokens: Vec::new(),
            refusals: Vec::new(),
            shared: NonNull::from(Box::leak(shared)),
            bulletin,
            spins: !spin.is_zero(),
        })
    }

    /// Every change is made, even if one of them fails.
    fn make(&mut self, count: usize) -> Result<()> {
        let mut outcome = Ok(());
        for number in 0..count.min(MOST_CHANGES) {
            // SAFETY: the memory is there as long as this poller, and Java has left it to us.
            let change = unsafe { self.shared.as_ref() }.changes[number];
            let made = self.make_one(change);
            outcome = outcome.and(made);
        }
        outcome
    }

    fn make_one(&mut self, change: Change) -> Result<()> {
        let place = change.index as usize;
        if place >= self.tokens.len() {
            self.tokens.resize(place + 1, None);
        }
        if change.kind == REMOVE {
            // The index will be another's.
            self.refusals
                .retain(|&refusal| refusal as u32 != change.index);
            if let Some(token) = self.tokens[place] {
                self.poller.deregister(token)?;
                self.tokens[place] = None;
            }
        } else if let Err(error) = self.put(change) {
            self.refuse(change.index, error.into());
        }
        Ok(())
    }

    fn put(&mut self, change: Change) -> nioselect::Result<()> {
        let Change { index, fd, .. } = change;
        let (kind, mode) = kind_and_mode(change.kind);
        let ops = Ops::from_bits_truncate(change.ops as _);
        if let Some(token) = self.tokens[index as usize] {
            self.poller.set_kind(token, kind)?;
            return self.poller.set_interest(token, ops);
        }
        let token = self
            .poller
            .register(Watched { fd, index }, kind, ops, mode)?;
        self.tokens[index as usize] = Some(token);
        Ok(())
    }

    /// What is refused is not tried again, and does not keep others from being served.
    #[cold]
    fn refuse(&mut self, index: u32, Errno(number): Errno) {
        if let Some(token) = self.tokens[index as usize].take() {
            // It is not in the kernel's set: that is what has been refused.
            let _ = self.poller.deregister(token);
        }
        self.refusals
            .push(u64::from(number.unsigned_abs()) << 32 | u64::from(index));
    }

    fn wait(&mut self, timeout: Option<Duration>) -> Result<jint> {
        let timeout = if self.refusals.is_empty() {
            timeout
        } else {
            Some(Duration::ZERO)
        };
        // SAFETY: the memory is there as long as this poller, and Java has left it to us.
        let events = unsafe { &mut self.shared.as_mut().events };
        let mut count = 0;
        let outcome = self.poller.wait(timeout, |_, watched, ops| {
            events[count] = event(watched.index, ops);
            count += 1;
        });
        let woken = match outcome {
            Ok(waited) => waited.woken,
            Err(Error::Refused { token, source, .. }) => {
                let index = self.poller.source(token).map(|watched| watched.index);
                self.refuse(index.expect("it is registered"), source.into());
                false
            }
            Err(error) => return Err(error.into()),
        };
        let mut answer = jint::try_from(count).unwrap_or(jint::MAX);
        if woken {
            answer |= WOKEN;
        }
        if let Some(refusal) = self.refusals.pop() {
            // SAFETY: as above.
            unsafe { self.shared.as_mut() }.refusal = refusal;
            answer |= REFUSED;
        }
        Ok(answer)
    }

    /// Tells Java what it can look at instead of calling, and other threads what has happened.
    fn tell_of_silence(&mut self) {
        let addresses = self.poller.silence();
        // SAFETY: the memory is there as long as this poller, and Java has left it to us.
        unsafe { self.shared.as_mut() }.silence = addresses.map_or([0; 2], |words| {
            words.map(|word| word.expose_provenance() as u64)
        });
        let is_silent = addresses.is_some();
        if self.bulletin.may_be_outdated(is_silent) {
            self.bulletin.publish(&self.poller.doorbell(), is_silent);
        }
    }

    /// Whatever has been found, or waited for, has ended the silence.
    fn tell_of_no_silence(&self) {
        if self.spins || self.bulletin.tells_of_silence() {
            self.bulletin.publish(&self.poller.doorbell(), false);
        }
    }
}

impl Drop for JavaPoller {
    fn drop(&mut self) {
        // SAFETY: it comes from a box, and Java does not use it any more.
        drop(unsafe { Box::from_raw(self.shared.as_ptr()) });
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

/// Those of this system, the preferred one first. The others are not probed: a sandbox may kill
/// who asks for io_uring.
fn backends_in_order() -> Vec<Backend> {
    let mut all = Backend::ALL.to_vec();
    all.retain(|backend| backend.is_of_this_system());
    let preferred = Backend::best();
    all.sort_by_key(|&backend| backend != preferred);
    all
}

/// `PollerCalls.backends`.
pub(crate) fn backends<'local>(env: &mut Env<'local>) -> jni::errors::Result<JString<'local>> {
    let names: Vec<_> = backends_in_order().iter().map(|b| b.name()).collect();
    env.new_string(names.join(","))
}

fn backend_of_number(number: jint) -> Option<Backend> {
    let number = usize::try_from(number).ok()?;
    backends_in_order().get(number).copied()
}

/// `PollerCalls.policies`.
pub(crate) fn policies<'local>(env: &mut Env<'local>) -> jni::errors::Result<JString<'local>> {
    let names: Vec<_> = Policy::ALL.iter().map(|policy| policy.name()).collect();
    env.new_string(names.join(","))
}

fn policy_of_number(number: jint) -> Option<Policy> {
    let number = usize::try_from(number).ok()?;
    Policy::ALL.get(number).copied()
}

/// `PollerCalls.open`.
pub(crate) fn open(backend: jint, doorbell: jint, spin_micros: jlong) -> Result<jlong> {
    let backend = backend_of_number(backend).ok_or(Errno(libc::EINVAL))?;
    let doorbell = policy_of_number(doorbell).ok_or(Errno(libc::EINVAL))?;
    let spin = u64::try_from(spin_micros).map_err(|_| Errno(libc::EINVAL))?;
    let opened = JavaPoller::open(backend, doorbell, Duration::from_micros(spin))?;
    Ok(Box::into_raw(Box::new(opened)) as jlong)
}

/// `PollerCalls.whyNot`. An error has a number only on its way through `open`; the words are had by
/// trying again.
pub(crate) fn why_not<'local>(
    env: &mut Env<'local>,
    backend: jint,
) -> jni::errors::Result<JString<'local>> {
    let options = Options::new().doorbell(Policy::Off);
    let attempt = backend_of_number(backend).map(|it| options.open::<BorrowedFd<'static>>(it));
    let reason = match attempt {
        Some(Err(error)) => error.to_string(),
        _ => String::from("it could not be opened just now"),
    };
    env.new_string(reason)
}

/// `PollerCalls.memory`. The class makes sure that the handle is an open one, and that the buffer
/// is not used any more when it is closed.
pub(crate) fn memory<'local>(
    env: &mut Env<'local>,
    handle: jlong,
) -> jni::errors::Result<JByteBuffer<'local>> {
    // SAFETY: the handle is an open one.
    let shared = unsafe { &*(handle as *const JavaPoller) }.shared;
    // SAFETY: the memory is there as long as the handle.
    unsafe { buffer::over(env, shared) }
}

/// `PollerCalls.word`. The class makes sure that the address is one that the last wait has left,
/// and that the buffer is not read any more when the poller may have moved its words.
pub(crate) fn word<'local>(
    env: &mut Env<'local>,
    address: jlong,
) -> jni::errors::Result<JByteBuffer<'local>> {
    let word = ptr::with_exposed_provenance_mut::<AtomicU32>(address as usize);
    let word = NonNull::new(word).ok_or(jni::errors::Error::NullPtr("word"))?;
    // SAFETY: a word is at the address, which Java only reads, and not for longer than it is there.
    unsafe { buffer::over(env, word) }
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
/// `handle` is an open one, which no other thread uses meanwhile.
pub(crate) unsafe fn select(handle: jlong, changes: jint, millis: jlong) -> Result<jint> {
    // SAFETY: as the caller promises.
    let poller = unsafe { &mut *(handle as *mut JavaPoller) };
    if changes > 0 {
        poller.make(usize::try_from(changes).unwrap_or(0))?;
    }
    let answer = poller.wait(u64::try_from(millis).ok().map(Duration::from_millis))?;
    if answer == 0 && millis == 0 {
        poller.tell_of_silence();
    } else {
        poller.tell_of_no_silence();
    }
    Ok(answer)
}

/// `PollerCalls.change`.
///
/// # Safety
///
/// As for [`select`].
pub(crate) unsafe fn change(handle: jlong, changes: jint) -> Result<jint> {
    // SAFETY: as the caller promises.
    unsafe { &mut *(handle as *mut JavaPoller) }.make(usize::try_from(changes).unwrap_or(0))?;
    Ok(0)
}

/// `PollerCalls.openWaker`.
///
/// # Safety
///
/// `handle` is an open one of [`open`].
pub(crate) unsafe fn open_waker(handle: jlong) -> Result<jlong> {
    // SAFETY: as the caller promises.
    let poller = unsafe { &*(handle as *const JavaPoller) };
    let waker = JavaWaker {
        waker: poller.poller.waker(),
        bulletin: Arc::clone(&poller.bulletin),
    };
    Ok(Box::into_raw(Box::new(waker)) as jlong)
}

/// `PollerCalls.wake`.
///
/// # Safety
///
/// `waker` is an open one of [`open_waker`].
pub(crate) unsafe fn wake(waker: jlong) -> Result<jint> {
    // SAFETY: as the caller promises.
    unsafe { &*(waker as *const JavaWaker) }.waker.wake();
    Ok(0)
}

/// `PollerCalls.doorbell`.
///
/// # Safety
///
/// As for [`wake`].
pub(crate) unsafe fn doorbell(waker: jlong, which: jint) -> Result<jlong> {
    // SAFETY: as the caller promises.
    let bulletin = &unsafe { &*(waker as *const JavaWaker) }.bulletin;
    let number = bulletin.number(which).ok_or(Errno(libc::EINVAL))?;
    Ok(jlong::try_from(number).unwrap_or(jlong::MAX))
}

/// `PollerCalls.whyNoDoorbell`. The class makes sure that the handle is an open one.
pub(crate) fn why_no_doorbell<'local>(
    env: &mut Env<'local>,
    waker: jlong,
) -> jni::errors::Result<JString<'local>> {
    // SAFETY: the handle is an open one.
    let bulletin = &unsafe { &*(waker as *const JavaWaker) }.bulletin;
    env.new_string(bulletin.why_unavailable())
}

/// `PollerCalls.closeWaker`.
///
/// # Safety
///
/// `waker` is one of [`open_waker`], is not in use, and is not used again.
pub(crate) unsafe fn close_waker(waker: jlong) -> Result<jint> {
    // SAFETY: `open_waker` made it from a box, and the caller gives it back.
    drop(unsafe { Box::from_raw(waker as *mut JavaWaker) });
    Ok(0)
}

#[cfg(test)]
mod tests;
