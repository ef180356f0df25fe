//! What the tests share: running on every backend, and channels to play with.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test binary uses a part of it"
)]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use nioselect::{Backend, Ops, Pipe, SelectableChannel, SelectionKey, Selector, SocketChannel};

/// Longer than anything that is awaited takes, and short enough to tell a hang.
pub const LONG: Duration = Duration::from_secs(30);

/// Runs a test once on every backend that can run here. The name of the one that failed is the
/// last line of the test's output.
pub fn on_every_backend(test: impl Fn(Backend)) {
    let backends = Backend::available();
    assert!(backends.contains(&Backend::Poll) && backends.contains(&Backend::Select));
    assert_eq!(
        backends.contains(&Backend::Epoll),
        cfg!(target_os = "linux")
    );
    for backend in backends {
        println!("on {backend}");
        test(backend);
    }
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
pub fn nonblocking<T: std::os::fd::AsFd + Send + 'static>(owner: T) -> SelectableChannel<T> {
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
    let end = std::time::Instant::now() + LONG;
    loop {
        selector.selected_keys().clear();
        let left = end.saturating_duration_since(std::time::Instant::now());
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
    let end = std::time::Instant::now() + LONG;
    while !condition() {
        assert!(std::time::Instant::now() < end, "it did not come about");
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

/// Selects for a while in which nothing may happen: no key, no early return, no busy loop.
pub fn assert_silent<A>(selector: &mut Selector<A>) {
    let span = Duration::from_millis(20);
    let (started, before) = (std::time::Instant::now(), selector.statistics().waits);
    assert_eq!(selector.select_timeout(span).unwrap(), 0);
    assert!(started.elapsed() >= span);
    assert!(selector.selected_keys().is_empty());
    let waits = selector.statistics().waits - before;
    assert!(waits <= 5, "{waits} waits for one silence");
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
/// over, and says so.
pub fn may_have_descriptors(needed: u64) -> bool {
    use rustix::process::{Resource, getrlimit, setrlimit};

    let mut limit = getrlimit(Resource::Nofile);
    if limit.maximum.is_some_and(|maximum| maximum < needed) {
        eprintln!("SKIPPED: {needed} descriptors are needed, the limit here is {limit:?}");
        return false;
    }
    if limit.current.is_some_and(|current| current < needed) {
        limit.current = Some(needed);
        setrlimit(Resource::Nofile, limit).unwrap();
    }
    true
}
