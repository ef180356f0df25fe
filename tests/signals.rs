//! Signal handlers that run in the selecting thread have nothing to do with its selection.
#![allow(unsafe_code)]

mod common;

use std::io::Write;
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, Once};
use std::thread;
use std::time::{Duration, Instant};

use common::{LONG, any_port, on_every_backend, selector, unix_pair, until};
use nioselect::{Ops, ServerSocketChannel};

static HANDLED: AtomicUsize = AtomicUsize::new(0);
/// The count of handled signals is one for the whole process.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

extern "C" fn count_signal(_signal: libc::c_int) {
    HANDLED.fetch_add(1, Ordering::Relaxed);
}

/// A handler without `SA_RESTART`, so that system calls end with `EINTR`.
fn install_handler() {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        // SAFETY: zeroes are a valid `sigaction`: no flags, an empty mask.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = count_signal as *const () as libc::sighandler_t;
        // SAFETY: the handler touches an atomic only, which is async-signal-safe.
        let answer =
            unsafe { libc::sigaction(libc::SIGUSR1, &raw const action, std::ptr::null_mut()) };
        assert_eq!(answer, 0);
    });
}

/// Interrupts the thread that calls this, all the time while `wait` runs, and runs `action` in
/// another thread once it has been interrupted often.
fn interrupted<R>(wait: impl FnOnce() -> R, action: impl FnOnce() + Send) -> R {
    const OFTEN: usize = 20;
    let _alone = ONE_AT_A_TIME.lock();
    install_handler();
    HANDLED.store(0, Ordering::Relaxed);
    // SAFETY: nothing is passed.
    let waiting = unsafe { libc::pthread_self() };
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let end = Instant::now() + LONG;
            while !over.load(Ordering::Acquire) && Instant::now() < end {
                // SAFETY: the thread lives: it ends this scope.
                unsafe { libc::pthread_kill(waiting, libc::SIGUSR1) };
                // Back to back, they would leave it no time to do anything else.
                thread::sleep(Duration::from_micros(200));
            }
        });
        scope.spawn(|| {
            until(|| HANDLED.load(Ordering::Relaxed) >= OFTEN);
            action();
        });
        let answer = wait();
        // Not before it was interrupted often: the test would show nothing.
        until(|| HANDLED.load(Ordering::Relaxed) >= OFTEN);
        over.store(true, Ordering::Release);
        answer
    })
}

#[test]
fn signals_neither_shorten_nor_prolong_a_timeout() {
    on_every_backend(|backend| {
        let mut selector = selector::<()>(backend);
        let timeout = Duration::from_millis(100);
        let started = Instant::now();
        assert_eq!(
            interrupted(|| selector.select_timeout(timeout), || ()).unwrap(),
            0
        );
        assert!(started.elapsed() >= timeout);
        assert!(
            started.elapsed() < LONG,
            "each signal began the timeout anew"
        );
    });
}

#[test]
fn signals_do_not_end_a_selection() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, mut peer) = unix_pair();
        channel.register(&selector, Ops::READ, ()).unwrap();
        let count = interrupted(|| selector.select(), || peer.write_all(b"x").unwrap());
        assert_eq!(count.unwrap(), 1);
    });
}

#[test]
fn signals_do_not_lose_a_wakeup() {
    on_every_backend(|backend| {
        let mut selector = selector::<()>(backend);
        let waker = selector.waker();
        assert_eq!(
            interrupted(|| selector.select(), || waker.wake()).unwrap(),
            0
        );
    });
}

#[test]
fn signals_do_not_end_a_blocking_accept() {
    let server = ServerSocketChannel::bind(any_port()).unwrap();
    let address = server.get_ref().local_addr().unwrap();
    let accepted = interrupted(
        || server.accept(),
        || drop(TcpStream::connect(address).unwrap()),
    );
    assert!(accepted.unwrap().is_some());
}

/// kevent(2) has made all changes when a signal handler ends its wait.
#[cfg(target_os = "linux")]
#[test]
fn changes_are_told_once_however_often_their_wait_is_interrupted() {
    use nioselect::doubles::kqueue::changes;

    let mut selector = selector(nioselect::Backend::Kqueue);
    assert_eq!(selector.select_now().unwrap(), 0);
    let pairs = [unix_pair(), unix_pair()];
    for (ours, _) in &pairs {
        ours.register(&selector, Ops::READ, ()).unwrap();
    }
    let before = changes();
    let waker = selector.waker();
    let count = interrupted(|| selector.select(), || waker.wake());
    assert_eq!(count.unwrap(), 0);
    assert_eq!(changes() - before, 2);
}
