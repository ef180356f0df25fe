//! What the tests share: running on every backend, and channels to play with.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test binary uses a part of it"
)]

pub mod child;
#[cfg(target_os = "linux")]
pub mod filter;
pub mod handover;

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use nioselect::poller::{Poller, Token, Waker};
use nioselect::{Backend, Ops, Pipe, SelectableChannel, SelectionKey, Selector, SocketChannel};

/// Longer than anything that is awaited takes, and short enough to tell a hang.
pub const LONG: Duration = Duration::from_secs(30);

/// Runs a test once on every backend that can run here. The name of the one that failed is the
/// last line of the test's output.
pub fn on_every_backend(test: impl Fn(Backend)) {
    let backends = Backend::available();
    for &backend in Backend::ALL {
        // Many a kernel forbids io_uring, or is too old for it.
        if backend.is_of_this_system() && backend != Backend::IoUring {
            assert!(backends.contains(&backend), "{backend}");
        }
    }
    for backend in backends {
        if backend == Backend::IoUring && !may_have_rings() {
            println!("not on {backend}: too little memory may be locked (ulimit -l)");
            continue;
        }
        println!("on {backend}");
        test(backend);
    }
}

/// Rings count against the locked memory of the user, and tests run at the same time.
#[cfg(target_os = "linux")]
fn may_have_rings() -> bool {
    use rustix::process::{Resource, getrlimit};

    const ENOUGH: u64 = 1 << 20;
    let limit = getrlimit(Resource::Memlock).current;
    limit.is_none_or(|limit| limit >= ENOUGH)
}

#[cfg(not(target_os = "linux"))]
fn may_have_rings() -> bool {
    true
}

/// Whether registrations with `backend` can be edge-triggered.
pub fn has_edges(backend: Backend) -> bool {
    matches!(backend, Backend::Epoll | Backend::Kqueue | Backend::IoUring)
}

/// A selector over `backend`.
pub fn selector<A>(backend: Backend) -> Selector<A> {
    Selector::builder()
        .backend(backend)
        .open()
        .expect("the backend was probed")
}

/// A loopback address with a port that the system chooses.
pub fn any_port() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, 0).into()
}

/// A connected TCP channel in non-blocking mode, and its blocking peer.
pub fn tcp_pair() -> (SocketChannel, TcpStream) {
    let listener = TcpListener::bind(any_port()).unwrap();
    let peer = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (stream, _) = listener.accept().unwrap();
    (nonblocking(stream), peer)
}

/// A connected UNIX domain channel in non-blocking mode, and its blocking peer.
pub fn unix_pair() -> (SelectableChannel<UnixStream>, UnixStream) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    (nonblocking(ours), theirs)
}

/// A pipe, both ends in non-blocking mode.
pub fn pipe() -> Pipe {
    let pipe = Pipe::open().unwrap();
    pipe.source.configure_blocking(false).unwrap();
    pipe.sink.configure_blocking(false).unwrap();
    pipe
}

/// A channel in non-blocking mode.
pub fn nonblocking<T: AsFd + Send + 'static>(owner: T) -> SelectableChannel<T> {
    let channel = SelectableChannel::new(owner).unwrap();
    channel.configure_blocking(false).unwrap();
    channel
}

/// Reads until it would block or ends; what was read.
pub fn read_all(mut from: impl Read) -> Vec<u8> {
    let mut all = Vec::new();
    // What was read before an error stays in the vector.
    let _ = from.read_to_end(&mut all);
    all
}

/// Writes until it would block; how much was written.
pub fn fill(mut into: impl Write) -> usize {
    let block = [0; 16 * 1024];
    let mut total = 0;
    while let Ok(count) = into.write(&block) {
        total += count;
    }
    total
}

/// Selects until `key` is ready for all of `ops`, clearing the selected set before each
/// selection; panics if that takes too long.
pub fn await_ready<A>(selector: &mut Selector<A>, key: &SelectionKey, ops: Ops) {
    let end = Instant::now() + LONG;
    loop {
        selector.selected_keys().clear();
        let left = end.saturating_duration_since(Instant::now());
        assert!(!left.is_zero(), "{key:?} did not become ready for {ops}");
        selector.select_timeout(left).unwrap();
        if selector.selected_keys().contains(key) && key.ready_ops().contains(ops) {
            return;
        }
    }
}

/// The descriptors that this process has open.
pub fn open_descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd")
        .or_else(|_| std::fs::read_dir("/dev/fd"))
        .unwrap()
        .count()
}

/// Yields until `condition` holds; panics if that takes too long.
pub fn until(condition: impl Fn() -> bool) {
    let end = Instant::now() + LONG;
    while !condition() {
        assert!(Instant::now() < end, "it did not come about");
        std::thread::yield_now();
    }
}

/// What `wait` answers while `action` runs in another thread, which begins when this one sleeps.
///
/// Where the system does not tell whether a thread sleeps, `action` may come before `wait`.
pub fn during<R>(wait: impl FnOnce() -> R, action: impl FnOnce() + Send) -> R {
    let waiting = std::fs::canonicalize("/proc/thread-self/stat");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if let Ok(stat) = waiting {
                // The state follows the name, which is in parentheses: proc_pid_stat(5).
                until(|| std::fs::read_to_string(&stat).unwrap().contains(") S "));
            }
            action();
        });
        wait()
    })
}

/// Selects, and asserts that something ended the wait before its time was over.
pub fn returns_early<A>(selector: &mut Selector<A>) -> usize {
    let started = Instant::now();
    let count = selector.select_timeout(LONG).unwrap();
    assert!(started.elapsed() < LONG, "nothing ended the wait");
    count
}

/// Selects in vain, and asserts that the whole time was waited.
pub fn waits_out<A>(selector: &mut Selector<A>, timeout: Duration) {
    let started = Instant::now();
    let count = selector.select_timeout(timeout).unwrap();
    let waited = started.elapsed();
    assert_eq!(count, 0);
    assert!(waited >= timeout, "{waited:?} of {timeout:?}");
}

/// Empties the selected set, and asserts that a selection sleeps until it is woken: no key, no
/// early return, no busy loop.
pub fn assert_silent<A>(selector: &mut Selector<A>) {
    selector.selected_keys().clear();
    let (before, waker) = (selector.statistics().waits, selector.waker());
    let count = sleeps_until_woken(&waker, || selector.select_timeout(LONG).unwrap());
    assert_eq!(count, 0);
    assert!(selector.selected_keys().is_empty());
    assert_slept(selector.statistics().waits - before);
}

/// As [`assert_silent`], for a poller.
pub fn assert_poller_silent<S: AsFd>(poller: &mut Poller<S>) {
    let (before, waker) = (poller.statistics().waits, poller.waker());
    let report = |token, _: &S, ops| panic!("{token} is ready for {ops}");
    let waited = sleeps_until_woken(&waker, || poller.wait(Some(LONG), report).unwrap());
    assert!(waited.woken);
    assert_slept(poller.statistics().waits - before);
}

fn sleeps_until_woken<R>(waker: &Waker, sleep: impl FnOnce() -> R) -> R {
    let woken = AtomicBool::new(false);
    let (answer, in_time) = during(
        || (sleep(), woken.load(Ordering::Acquire)),
        || {
            woken.store(true, Ordering::Release);
            waker.wake();
        },
    );
    assert!(in_time, "something else has ended the sleep");
    answer
}

/// What is left of an earlier wakeup may cost a wait or two.
fn assert_slept(waits: u64) {
    assert!(waits <= 3, "it spins: {waits} waits for one silence");
}

/// What a poller finds ready now.
pub fn look<S: AsFd>(poller: &mut Poller<S>) -> Vec<(Token, Ops)> {
    let mut seen = Vec::new();
    let report = |token, _: &S, ops| seen.push((token, ops));
    let waited = poller.wait(Some(Duration::ZERO), report).unwrap();
    assert_eq!(waited.reported, seen.len());
    seen.sort_unstable_by_key(|&(token, _)| token);
    seen
}

/// Whether the other end has been closed, without waiting. (It resets the connection if it has
/// not read everything.)
pub fn sees_end(mut peer: &UnixStream) -> bool {
    peer.set_nonblocking(true).unwrap();
    match peer.read(&mut [0]) {
        Ok(count) => count == 0,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

/// Waits until the other end has been closed.
pub fn await_end(mut peer: &UnixStream) {
    peer.set_read_timeout(Some(LONG)).unwrap();
    loop {
        match peer.read(&mut [0]) {
            Ok(count) => return assert_eq!(count, 0),
            // The end of a ring that this thread has opened (`Backend::IoUring`).
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::Interrupted),
        }
    }
}

/// Ends the process if it is not dropped in time: a deadlock is a failure, not silence.
#[derive(Debug)]
pub struct HangGuard(std::sync::mpsc::Sender<()>);

impl HangGuard {
    pub fn new(what: impl Into<String>) -> Self {
        let what = what.into();
        let (guard, dropped) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            if dropped.recv_timeout(4 * LONG) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                eprintln!("hangs: {what}");
                std::process::abort();
            }
        });
        Self(guard)
    }
}

/// Whether this process may have as many descriptors as a test needs. If not, the test is passed
/// over, and says so even where the output of tests that pass is not shown.
#[track_caller]
pub fn may_have_descriptors(needed: u64) -> bool {
    use rustix::process::{Resource, getrlimit, setrlimit};

    let mut limit = getrlimit(Resource::Nofile);
    if let Some(maximum) = limit.maximum.filter(|&maximum| maximum < needed) {
        let place = std::panic::Location::caller();
        let reason = format!("{needed} descriptors are needed, {maximum} are allowed (ulimit -Hn)");
        // Unlike what eprintln! writes, this is not captured.
        let mut uncaptured = std::io::stderr();
        writeln!(uncaptured, "SKIPPED {place}: {reason}").unwrap();
        return false;
    }
    if limit.current.is_some_and(|current| current < needed) {
        limit.current = Some(needed);
        setrlimit(Resource::Nofile, limit).unwrap();
    }
    true
}
