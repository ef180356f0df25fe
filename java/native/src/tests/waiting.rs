//! `Descriptors.await`.

use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use jni::sys::jlong;

use crate::errno::Errno;
use crate::wait::wait;
use crate::{bell, descriptor};

const READABLE: i32 = 1;
const WRITABLE: i32 = 2;
const WOKEN: i32 = 4;
const FOR_EVER: jlong = -1;

/// A bell that is closed at the end of a test.
struct Bell(jlong);

impl Bell {
    fn open() -> Self {
        Self(bell::open().unwrap())
    }
}

impl Drop for Bell {
    fn drop(&mut self) {
        // SAFETY: the test is over.
        unsafe { bell::close(self.0) }.unwrap();
    }
}

fn pair() -> (OwnedFd, OwnedFd) {
    let (one, other) = UnixStream::pair().unwrap();
    (one.into(), other.into())
}

#[test]
fn what_is_ready_is_told_of_what_was_asked() {
    let (one, other) = pair();
    let bell = Bell::open();
    let ask = |events| wait(one.as_raw_fd(), events, bell.0, 0);
    assert_eq!(ask(READABLE), Ok(0));
    assert_eq!(ask(READABLE | WRITABLE), Ok(WRITABLE));
    let mut byte = 1_u8;
    // SAFETY: there is one byte.
    unsafe { descriptor::write(other.as_raw_fd(), super::address_of(&mut byte), 1) }.unwrap();
    assert_eq!(ask(READABLE), Ok(READABLE));
    assert_eq!(ask(READABLE | WRITABLE), Ok(READABLE | WRITABLE));
}

#[test]
fn a_hang_up_and_a_closed_descriptor_are_readiness() {
    let (one, other) = pair();
    let bell = Bell::open();
    drop(other);
    for events in [READABLE, WRITABLE, READABLE | WRITABLE] {
        assert_eq!(wait(one.as_raw_fd(), events, bell.0, FOR_EVER), Ok(events));
        assert_eq!(wait(i32::MAX, events, bell.0, FOR_EVER), Ok(events));
    }
}

#[test]
fn the_time_is_rounded_up_to_milliseconds() {
    let (one, _other) = pair();
    let bell = Bell::open();
    for nanos in [1, 1_000_001, 20_000_000] {
        let start = Instant::now();
        assert_eq!(wait(one.as_raw_fd(), READABLE, bell.0, nanos), Ok(0));
        assert!(start.elapsed() >= Duration::from_nanos(nanos.try_into().unwrap()));
    }
}

#[test]
fn a_bell_ends_a_wait_also_if_it_was_rung_before() {
    let (one, _other) = pair();
    let bell = Bell::open();
    let number = bell.0;
    bell::ring(number).unwrap();
    assert_eq!(wait(one.as_raw_fd(), READABLE, number, FOR_EVER), Ok(WOKEN));
    bell::quieten(number).unwrap();

    let waiting = thread::spawn(move || wait(one.as_raw_fd(), READABLE, number, jlong::MAX));
    bell::ring(number).unwrap();
    assert_eq!(waiting.join().unwrap(), Ok(WOKEN));
}

#[test]
fn a_signal_does_not_end_a_wait() {
    extern "C" fn ignore(_signal: libc::c_int) {}
    // SAFETY: the handler does nothing, and nobody else in this process uses the signal.
    unsafe { libc::signal(libc::SIGUSR1, ignore as *const () as libc::sighandler_t) };

    let (one, _other) = pair();
    let bell = Bell::open();
    let number = bell.0;
    let time = Duration::from_millis(50);
    let (started, starts) = mpsc::channel();
    let waiting = thread::spawn(move || {
        let start = Instant::now();
        // SAFETY: this call cannot go wrong.
        started
            .send(unsafe { libc::pthread_self() } as usize)
            .unwrap();
        let outcome = wait(one.as_raw_fd(), READABLE, number, time.as_nanos() as jlong);
        (outcome, start.elapsed())
    });
    let thread = starts.recv().unwrap() as libc::pthread_t;
    while !waiting.is_finished() {
        // SAFETY: the thread has not been joined.
        unsafe { libc::pthread_kill(thread, libc::SIGUSR1) };
        thread::sleep(Duration::from_millis(1));
    }
    let (outcome, elapsed): (Result<i32, Errno>, _) = waiting.join().unwrap();
    assert_eq!(outcome, Ok(0));
    assert!(elapsed >= time);
}
