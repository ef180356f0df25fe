//! Real-time signals: what this mechanism can get wrong and no other.
#![cfg(target_os = "linux")]
#![allow(unsafe_code)]

mod common;

use std::fs::File;
use std::io::{Read, Write};
use std::net::{Shutdown, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use common::{
    LONG, assert_poller_silent, assert_silent, await_ready, during, fill, look, nonblocking, pipe,
    read_all, returns_early, tcp_pair, unix_pair, until,
};
use nioselect::poller::{Kind, Poller, Token};
use nioselect::{Backend, Mode, Ops, SelectableChannel, Selector};
use rustix::process::{Resource, getrlimit, setrlimit};

fn selector<A>() -> Selector<A> {
    common::selector(Backend::RtSignal)
}

fn poller<S: AsFd>() -> Poller<S> {
    Poller::open(Backend::RtSignal).unwrap()
}

fn is_armed(descriptor: impl AsFd) -> bool {
    let fd = descriptor.as_fd().as_raw_fd();
    // SAFETY: no memory is passed.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
    assert!(flags != -1);
    flags & libc::O_ASYNC != 0
}

const F_SETSIG: libc::c_int = 10;
const F_GETSIG: libc::c_int = 11;

fn fcntl(descriptor: impl AsFd, command: libc::c_int, argument: libc::c_int) -> libc::c_int {
    // SAFETY: no memory is passed.
    let answer = unsafe { libc::fcntl(descriptor.as_fd().as_raw_fd(), command, argument) };
    assert!(answer != -1, "{}", std::io::Error::last_os_error());
    answer
}

/// Signals in the file `status` of the calling thread, see proc_pid_status(5).
fn signals_of_this_thread(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    hexadecimal(&status, field)
}

fn hexadecimal(status: &str, field: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let digits = line.unwrap().trim_start_matches(':').trim();
    u64::from_str_radix(digits, 16).unwrap()
}

fn bit(signal: libc::c_int) -> u64 {
    1 << (signal - 1)
}

/// Whether this is the process of its own that a test asked for. If not, it is run, and must
/// succeed.
fn in_own_process(test: &str) -> bool {
    const VARIABLE: &str = "NIOSELECT_TEST_OF_ITS_OWN";
    if std::env::var_os(VARIABLE).is_some() {
        return true;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(VARIABLE, "1")
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && printed.contains("1 passed"),
        "{}\n{printed}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    false
}

fn limit_pending_signals(to: u64) {
    let mut limit = getrlimit(Resource::Sigpending);
    limit.current = Some(to);
    setrlimit(Resource::Sigpending, limit).unwrap();
}

/// A few pairs, and how many bytes of each have arrived.
struct Crowd {
    selector: Selector<usize>,
    ours: Vec<SelectableChannel<UnixStream>>,
    theirs: Vec<UnixStream>,
}

impl Crowd {
    fn of(number: usize) -> Self {
        let selector = selector();
        let (ours, theirs): (Vec<_>, Vec<_>) = (0..number).map(|_| unix_pair()).unzip();
        for (index, channel) in ours.iter().enumerate() {
            channel.register(&selector, Ops::READ, index).unwrap();
        }
        Self {
            selector,
            ours,
            theirs,
        }
    }

    fn read_selected(&mut self) -> usize {
        let selected: Vec<_> = self.selector.selected_keys().drain().collect();
        let arrived = selected
            .iter()
            .map(|key| read_all(self.ours[*key.attachment()].get_ref()).len());
        arrived.sum()
    }

    /// Another thread writes `total` bytes, here and there; all of them must arrive.
    fn must_receive(&mut self, total: usize) {
        let theirs: Vec<_> = self
            .theirs
            .iter()
            .map(|peer| peer.try_clone().unwrap())
            .collect();
        let writer = thread::spawn(move || {
            for number in 0..total {
                // A prime, so that all get their turn.
                let mut peer = &theirs[number * 7919 % theirs.len()];
                peer.write_all(b"x").unwrap();
            }
        });
        let mut arrived = 0;
        while arrived < total {
            returns_early(&mut self.selector);
            arrived += self.read_selected();
        }
        writer.join().unwrap();
        assert_eq!(arrived, total);
        assert_silent(&mut self.selector);
    }
}

#[test]
fn channels_are_armed_and_given_back_as_they_were() {
    let (tcp, _peer) = tcp_pair();
    let udp = nonblocking(UdpSocket::bind(common::any_port()).unwrap());
    let (unix, _other) = unix_pair();
    let pipe = pipe();
    let channels = [tcp.as_fd(), udp.as_fd(), unix.as_fd(), pipe.source.as_fd()];

    let mut poller = poller();
    let tokens = channels.map(|channel| {
        let kind = Kind::of(channel).unwrap();
        poller
            .register(channel, kind, Ops::READ, Mode::Level)
            .unwrap()
    });
    assert_eq!(look(&mut poller), []);
    assert!(channels.iter().all(is_armed));
    poller.deregister(tokens[0]).unwrap();
    drop(poller);
    for channel in channels {
        assert!(!is_armed(channel));
        assert_eq!(fcntl(channel, F_GETSIG, 0), 0);
        assert_eq!(fcntl(channel, libc::F_GETOWN, 0), 0);
    }
}

#[test]
fn an_overflow_loses_nothing() {
    if !in_own_process("an_overflow_loses_nothing") {
        return;
    }
    for limit in [0, 1, 8, 200] {
        limit_pending_signals(limit);
        let mut crowd = Crowd::of(300);
        crowd.must_receive(20_000);
        assert!(is_armed(&crowd.ours[0]));
    }
}

/// More than what is looked at between two drains of the queue.
#[test]
fn an_overflow_is_made_good_for_very_many() {
    if !common::may_have_descriptors(6200)
        || !in_own_process("an_overflow_is_made_good_for_very_many")
    {
        return;
    }
    common::may_have_descriptors(6200);
    let mut crowd = Crowd::of(3000);
    assert_eq!(crowd.selector.select_now().unwrap(), 0);
    limit_pending_signals(4);
    for mut peer in &crowd.theirs {
        peer.write_all(b"x").unwrap();
    }
    let mut arrived = 0;
    // As many at once as a selection reports.
    for expected in [1024, 1024, 952] {
        assert_eq!(crowd.selector.select_now().unwrap(), expected);
        arrived += crowd.read_selected();
    }
    assert_eq!(arrived, 3000);
    assert_silent(&mut crowd.selector);
}

/// More than what one wait reads, before the one that matters.
#[test]
fn a_flood_of_signals_hides_nothing() {
    let mut selector = selector();
    let (flooded, other) = (pipe(), pipe());
    let _flooded = flooded.source.register(&selector, Ops::READ, ()).unwrap();
    let _other = other.source.register(&selector, Ops::READ, ()).unwrap();
    assert_eq!(selector.select_now().unwrap(), 0);
    for _ in 0..20_000 {
        (&flooded.sink).write_all(b"x").unwrap();
    }
    (&other.sink).write_all(b"x").unwrap();
    assert_eq!(selector.select_now().unwrap(), 2);
    read_all(&flooded.source);
    read_all(&other.source);
    // What is left in the queue may end a wait early, but not more than that.
    selector.selected_keys().clear();
    assert_eq!(selector.select_now().unwrap(), 0);
    assert_silent(&mut selector);
}

/// The default action of SIGIO ends the process. The kernel sends it to the owner of the
/// descriptor, which is a thread that blocks it.
#[test]
fn an_overflow_does_not_reach_threads_that_do_not_select() {
    if !in_own_process("an_overflow_does_not_reach_threads_that_do_not_select") {
        return;
    }
    limit_pending_signals(0);
    let (quit, waits) = mpsc::channel::<()>();
    let bystander = thread::spawn(move || {
        assert_eq!(signals_of_this_thread("SigBlk") & bit(libc::SIGIO), 0);
        waits.recv().unwrap_err();
        assert_eq!(signals_of_this_thread("ShdPnd") & bit(libc::SIGIO), 0);
    });
    thread::spawn(|| {
        let mut crowd = Crowd::of(10);
        crowd.selector.select_now().unwrap();
        for mut peer in &crowd.theirs {
            peer.write_all(b"x").unwrap();
        }
        assert_ne!(signals_of_this_thread("SigPnd") & bit(libc::SIGIO), 0);
        assert_eq!(signals_of_this_thread("ShdPnd") & bit(libc::SIGIO), 0);
        assert_eq!(crowd.selector.select_now().unwrap(), 10);
    })
    .join()
    .unwrap();
    drop(quit);
    bystander.join().unwrap();
}

#[test]
fn selectors_on_one_thread_leave_each_other_their_signals() {
    let mut crowds = [Crowd::of(50), Crowd::of(50), Crowd::of(50)];
    for crowd in &mut crowds {
        assert_eq!(crowd.selector.select_now().unwrap(), 0);
    }
    for round in 0..30 {
        let (written, reader) = (round % 3, (round + 1 + round / 3) % 3);
        for mut peer in &crowds[written].theirs {
            peer.write_all(b"x").unwrap();
        }
        let arrived = if written == reader { 50 } else { 0 };
        let count = crowds[reader].selector.select_now().unwrap();
        assert_eq!(count, arrived);
        assert_eq!(crowds[reader].read_selected(), arrived);
        if written != reader {
            returns_early(&mut crowds[written].selector);
            assert_eq!(crowds[written].read_selected(), 50);
        }
    }
    for crowd in &mut crowds {
        assert_silent(&mut crowd.selector);
    }
}

/// Whichever reads of the overflow.
#[test]
fn an_overflow_concerns_all_selectors_on_the_thread() {
    if !in_own_process("an_overflow_concerns_all_selectors_on_the_thread") {
        return;
    }
    let mut crowds = [Crowd::of(20), Crowd::of(20)];
    for crowd in &mut crowds {
        assert_eq!(crowd.selector.select_now().unwrap(), 0);
    }
    limit_pending_signals(3);
    for mut peer in crowds.iter().flat_map(|crowd| &crowd.theirs) {
        peer.write_all(b"x").unwrap();
    }
    for crowd in &mut crowds {
        assert_eq!(crowd.selector.select_now().unwrap(), 20);
    }
}

#[test]
fn the_selecting_thread_may_change_from_call_to_call() {
    let mut crowd = Crowd::of(20);
    for round in 0..20 {
        // Sometimes before the signals go to the new thread, sometimes after.
        if round % 2 == 0 {
            (&crowd.theirs[round]).write_all(b"x").unwrap();
        }
        crowd = thread::spawn(move || {
            if round % 4 == 3 {
                assert_eq!(crowd.selector.select_now().unwrap(), 0);
            }
            if round % 2 == 1 {
                (&crowd.theirs[round]).write_all(b"x").unwrap();
            }
            assert_eq!(crowd.selector.select_now().unwrap(), 1);
            assert_eq!(crowd.read_selected(), 1);
            crowd
        })
        .join()
        .unwrap();
    }
    crowd.must_receive(1000);
}

/// As HotSpot does at the end of each thread, with signals that are pending or still to come.
fn unblock_all_signals() {
    // SAFETY: the set is initialized before it is used, and lives through both calls.
    unsafe {
        let mut none = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
}

#[test]
fn a_thread_that_unblocks_the_signals_does_not_end_the_process() {
    if !in_own_process("a_thread_that_unblocks_the_signals_does_not_end_the_process") {
        return;
    }
    for limit in [100, 0] {
        limit_pending_signals(limit);
        let mut crowd = thread::spawn(|| {
            let mut crowd = Crowd::of(10);
            crowd.selector.select_now().unwrap();
            (&crowd.theirs[0]).write_all(b"x").unwrap();
            unblock_all_signals();
            (&crowd.theirs[1]).write_all(b"x").unwrap();
            assert_eq!(
                crowd.selector.select_now().unwrap(),
                2,
                "nothing is lost by it"
            );
            crowd.read_selected();
            assert_eq!(crowd.selector.select_now().unwrap(), 0);
            (&crowd.theirs[2]).write_all(b"x").unwrap();
            unblock_all_signals();
            (&crowd.theirs[3]).write_all(b"x").unwrap();
            crowd
        })
        .join()
        .unwrap();
        assert_eq!(crowd.selector.select_now().unwrap(), 2);
        assert_eq!(crowd.read_selected(), 2);
        assert_silent(&mut crowd.selector);
    }
}

#[test]
fn two_threads_take_turns_to_select() {
    let mut crowd = Crowd::of(10);
    let (to_other, from_here) = mpsc::channel::<Crowd>();
    let (to_here, from_other) = mpsc::channel::<Crowd>();
    let other = thread::spawn(move || {
        for mut crowd in from_here {
            crowd.must_receive(100);
            to_here.send(crowd).unwrap();
        }
    });
    for _ in 0..10 {
        crowd.must_receive(100);
        to_other.send(crowd).unwrap();
        crowd = from_other.recv().unwrap();
    }
    drop(to_other);
    other.join().unwrap();
}

#[test]
fn a_duplicate_of_a_registered_descriptor_can_be_registered_elsewhere() {
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    ours.set_nonblocking(true).unwrap();
    let duplicate = ours.try_clone().unwrap();
    let (mut first, mut second) = (poller(), poller());
    let register = |poller: &mut Poller<UnixStream>, source| {
        poller
            .register(source, Kind::Connected, Ops::READ, Mode::Level)
            .unwrap()
    };
    let one = register(&mut first, ours);
    assert_eq!(look(&mut first), []);
    let other = register(&mut second, duplicate);
    assert_eq!(look(&mut second), []);

    for poller_is_first in [true, false, true] {
        theirs.write_all(b"x").unwrap();
        assert_eq!(look(&mut second), [(other, Ops::READ)]);
        assert_eq!(look(&mut first), [(one, Ops::READ)]);
        let source = if poller_is_first {
            first.source(one).unwrap()
        } else {
            second.source(other).unwrap()
        };
        assert_eq!(read_all(source), b"x");
        assert_poller_silent(&mut first);
        assert_poller_silent(&mut second);
    }
    // The file is disarmed; the other does not depend on it.
    let ours = first.deregister(one).unwrap();
    assert!(!is_armed(&ours));
    theirs.write_all(b"x").unwrap();
    assert_eq!(look(&mut second), [(other, Ops::READ)]);
}

static SIGNALS_OF_THE_USER: AtomicUsize = AtomicUsize::new(0);

extern "C" fn count_signal(_signal: libc::c_int) {
    SIGNALS_OF_THE_USER.fetch_add(1, Ordering::Relaxed);
}

#[test]
fn what_the_user_has_armed_stays_as_it_is() {
    // SAFETY: the handler touches an atomic only, which is async-signal-safe.
    unsafe {
        let handler = count_signal as extern "C" fn(libc::c_int);
        libc::signal(libc::SIGUSR2, handler as libc::sighandler_t);
    }
    let (ours, mut theirs) = unix_pair();
    let signal = libc::SIGUSR2;
    fcntl(&ours, F_SETSIG, signal);
    fcntl(&ours, libc::F_SETOWN, std::process::id().cast_signed());
    let flags = fcntl(&ours, libc::F_GETFL, 0);
    fcntl(&ours, libc::F_SETFL, flags | libc::O_ASYNC);

    let mut selector = selector();
    let key = ours.register(&selector, Ops::READ, ()).unwrap();
    assert_eq!(selector.select_now().unwrap(), 0);
    theirs.write_all(b"x").unwrap();
    assert_eq!(selector.select().unwrap(), 1);
    until(|| SIGNALS_OF_THE_USER.load(Ordering::Relaxed) > 0);
    read_all(ours.get_ref());
    assert_silent(&mut selector);
    key.cancel();
    selector.select_now().unwrap();
    assert!(is_armed(&ours));
    assert_eq!(fcntl(&ours, F_GETSIG, 0), signal);
}

/// An owner may be there for SIGURG alone, and `O_ASYNC` before the owner.
#[test]
fn what_the_user_has_begun_to_arm_is_left_alone_too() {
    let mut selector = selector();
    let [
        (owned, mut first),
        (asynchronous, mut second),
        (signalling, mut third),
    ] = [unix_pair(), unix_pair(), unix_pair()];
    let process = std::process::id().cast_signed();
    fcntl(&owned, libc::F_SETOWN, process);
    fcntl(&signalling, F_SETSIG, libc::SIGUSR2);
    let flags = fcntl(&asynchronous, libc::F_GETFL, 0);
    fcntl(&asynchronous, libc::F_SETFL, flags | libc::O_ASYNC);
    let as_it_was = || {
        assert_eq!(fcntl(&owned, libc::F_GETOWN, 0), process);
        assert_eq!(fcntl(&signalling, F_GETSIG, 0), libc::SIGUSR2);
        assert_eq!(fcntl(&asynchronous, libc::F_GETOWN, 0), 0);
        assert!(!is_armed(&owned) && !is_armed(&signalling) && is_armed(&asynchronous));
    };
    let channels = [&owned, &asynchronous, &signalling];
    let keys = channels.map(|channel| channel.register(&selector, Ops::READ, ()).unwrap());
    assert_eq!(selector.select_now().unwrap(), 0);
    as_it_was();
    for peer in [&mut first, &mut second, &mut third] {
        peer.write_all(b"x").unwrap();
    }
    assert_eq!(selector.select_now().unwrap(), 3);
    keys.iter().for_each(nioselect::SelectionKey::cancel);
    selector.select_now().unwrap();
    as_it_was();
}

#[test]
fn a_stale_signal_means_nothing_to_the_next_of_the_number() {
    let mut poller = poller();
    for _ in 0..20 {
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        let number = ours.as_raw_fd();
        let token = poller
            .register(ours, Kind::Connected, Ops::READ, Mode::Level)
            .unwrap();
        assert_eq!(look(&mut poller), []);
        theirs.write_all(b"x").unwrap();
        drop(poller.deregister(token).unwrap());

        let (ours, mut theirs) = UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        // Other tests open descriptors too: it may be another number.
        let reused = ours.as_raw_fd() == number;
        let token = poller
            .register(ours, Kind::Connected, Ops::READ, Mode::Level)
            .unwrap();
        assert_eq!(look(&mut poller), [], "reused: {reused}");
        assert_poller_silent(&mut poller);
        theirs.write_all(b"x").unwrap();
        assert_eq!(look(&mut poller), [(token, Ops::READ)]);
        poller.deregister(token).unwrap();
    }
}

/// Terminals, devices and what blocks.
#[test]
fn what_cannot_be_armed_is_served_all_the_same() {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&controller).unwrap();
    unlockpt(&controller).unwrap();
    let name = ptsname(&controller, Vec::new()).unwrap();
    let terminal = File::options()
        .read(true)
        .write(true)
        .open(name.to_str().unwrap())
        .unwrap();
    let (blocking, peer) = UnixStream::pair().unwrap();
    let bell = rustix::event::eventfd(0, rustix::event::EventfdFlags::NONBLOCK).unwrap();
    let ring = bell.try_clone().unwrap();

    let mut poller: Poller<OwnedFd> = poller();
    let mut register = |source: OwnedFd| {
        let token = poller
            .register(source, Kind::Other, Ops::READ, Mode::Level)
            .unwrap();
        assert_eq!(look(&mut poller), []);
        token
    };
    let tokens = [
        register(controller),
        register(blocking.into()),
        register(bell),
    ];
    assert!(poller.iter().all(|(_, source)| !is_armed(source)));
    let mut expect = |token: Token, happens: &(dyn Fn() + Sync)| {
        let mut seen = Vec::new();
        during(
            || {
                poller
                    .wait(Some(LONG), |token, _, _| seen.push(token))
                    .unwrap()
            },
            happens,
        );
        assert_eq!(seen, [token]);
        poller.deregister(token).unwrap();
    };
    expect(tokens[2], &|| {
        rustix::io::write(&ring, &1_u64.to_ne_bytes()).unwrap();
    });
    let terminal = std::sync::Mutex::new(Some(terminal));
    expect(tokens[0], &|| drop(terminal.lock().unwrap().take()));
    expect(tokens[1], &|| {
        (&peer).write_all(b"x").unwrap();
    });
}

/// The kernel announces space by a signal only if there was none for a write before.
#[test]
fn space_to_write_is_noticed_even_if_no_write_has_failed() {
    let (ours, theirs) = unix_pair();
    let mut selector = selector();
    let key = ours.register(&selector, Ops::WRITE, ()).unwrap();
    assert_eq!(selector.select().unwrap(), 1);
    // Beyond the mark from which on it does not count as writable, but not full.
    while selector.select_now_with(|_| ()).unwrap() == 1 {
        assert_eq!(ours.get_ref().write(&[0; 1024]).unwrap(), 1024);
    }
    theirs.set_nonblocking(true).unwrap();
    during(
        || await_ready(&mut selector, &key, Ops::WRITE),
        || drop(read_all(&theirs)),
    );
    fill(ours.get_ref());
    assert_silent(&mut selector);
    during(
        || await_ready(&mut selector, &key, Ops::WRITE),
        || drop(read_all(&theirs)),
    );
}

#[test]
fn a_sleeping_selection_notices_that_reading_is_shut_down_here() {
    let mut selector = selector();
    let (channel, _peer) = tcp_pair();
    let key = channel.register(&selector, Ops::READ, ()).unwrap();
    assert_eq!(selector.select_now().unwrap(), 0);
    assert!(is_armed(&channel));
    during(
        || await_ready(&mut selector, &key, Ops::READ),
        || channel.shutdown_input().unwrap(),
    );
}

#[test]
fn what_the_user_disarms_is_armed_again_with_the_next_change() {
    let (ours, mut theirs) = unix_pair();
    let mut selector = selector();
    let key = ours.register(&selector, Ops::READ, ()).unwrap();
    assert_eq!(selector.select_now().unwrap(), 0);
    fcntl(&ours, libc::F_SETFL, libc::O_NONBLOCK);
    key.set_interest_ops(Ops::READ | Ops::WRITE).unwrap();
    assert_eq!(selector.select().unwrap(), 1);
    key.set_interest_ops(Ops::READ).unwrap();
    assert_silent(&mut selector);
    assert!(is_armed(&ours));
    theirs.write_all(b"x").unwrap();
    assert_eq!(selector.select().unwrap(), 1);
}

/// A one-shot that has fired and an interest set that is empty leave it armed, and silent.
#[test]
fn signals_that_nobody_wants_are_passed_over() {
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    ours.set_nonblocking(true).unwrap();
    let mut poller = poller();
    let token = poller
        .register(ours, Kind::Connected, Ops::READ, Mode::OneShot)
        .unwrap();
    for _ in 0..3 {
        poller.set_interest(token, Ops::READ).unwrap();
        assert_eq!(look(&mut poller), []);
        theirs.write_all(b"x").unwrap();
        assert_eq!(look(&mut poller), [(token, Ops::READ)]);
        theirs.write_all(b"x").unwrap();
        assert_poller_silent(&mut poller);
        let source = poller.source(token).unwrap();
        assert!(is_armed(source));
        assert_eq!(read_all(source), b"xx");
    }
    let ours = poller.deregister(token).unwrap();
    assert!(!is_armed(&ours));
    theirs.shutdown(Shutdown::Both).unwrap();
    assert_poller_silent(&mut poller);
}

#[test]
fn a_selector_that_is_dropped_leaves_no_signal_pending() {
    thread::spawn(|| {
        let mut crowd = Crowd::of(20);
        crowd.selector.select_now().unwrap();
        let blocked = signals_of_this_thread("SigBlk");
        assert_eq!(blocked.count_ones(), 2);
        for mut peer in &crowd.theirs {
            peer.write_all(b"x").unwrap();
        }
        assert_ne!(signals_of_this_thread("SigPnd") & blocked, 0);
        drop(crowd);
        assert_eq!(signals_of_this_thread("SigPnd") & blocked, 0);
    })
    .join()
    .unwrap();
}

#[test]
fn opening_a_selector_or_asking_what_is_available_blocks_no_signal() {
    thread::spawn(|| {
        assert!(Backend::available().contains(&Backend::RtSignal));
        drop(selector::<()>());
        assert_eq!(signals_of_this_thread("SigBlk"), 0);
    })
    .join()
    .unwrap();
}

/// execve(2) keeps the mask, and the standard library does not reset it.
#[test]
fn children_inherit_what_is_blocked_and_nothing_that_is_pending() {
    thread::spawn(|| {
        let mut crowd = Crowd::of(1);
        crowd.selector.select_now().unwrap();
        (&crowd.theirs[0]).write_all(b"x").unwrap();
        let output = Command::new("cat")
            .arg("/proc/self/status")
            .output()
            .unwrap();
        let status = String::from_utf8(output.stdout).unwrap();
        let blocked = signals_of_this_thread("SigBlk");
        assert_ne!(blocked & bit(libc::SIGIO), 0);
        assert_eq!(hexadecimal(&status, "SigBlk"), blocked);
        assert_eq!(hexadecimal(&status, "SigPnd"), 0);
        assert_eq!(crowd.selector.select_now().unwrap(), 1);
    })
    .join()
    .unwrap();
}

/// What is armed belongs to the open file, which parent and child share.
#[test]
fn a_forked_child_does_not_disarm_what_its_parent_has_armed() {
    if !in_own_process("a_forked_child_does_not_disarm_what_its_parent_has_armed") {
        return;
    }
    let mut crowd = Crowd::of(10);
    assert_eq!(crowd.selector.select_now().unwrap(), 0);
    // SAFETY: there is no other thread whose work would be copied in the middle but the one that
    // waits for this test.
    let child = unsafe { libc::fork() };
    if child == 0 {
        crowd.selector.select_now().unwrap();
        (&crowd.theirs[3]).write_all(b"x").unwrap();
        let seen = crowd.selector.select_timeout(LONG).unwrap();
        crowd.selector.selected_keys().clear();
        let key = crowd.ours[4].key_for(&crowd.selector).unwrap();
        key.cancel();
        crowd.selector.select_now().unwrap();
        drop(crowd.selector);
        // SAFETY: ends the process, without what the parent has asked to run at exit.
        unsafe { libc::_exit(i32::from(seen != 1)) }
    }
    let child = rustix::process::Pid::from_raw(child).unwrap();
    let options = rustix::process::WaitOptions::empty();
    let (_, status) = rustix::process::waitpid(Some(child), options)
        .unwrap()
        .unwrap();
    assert_eq!(status.exit_status(), Some(0));
    assert!(crowd.ours.iter().all(is_armed));
    assert_eq!(crowd.selector.select().unwrap(), 1);
    assert_eq!(crowd.read_selected(), 1);
    crowd.must_receive(100);
}

/// Closed behind the back of one selector, and then another's: the signals that name the number
/// are for the second one.
#[test]
fn a_number_that_is_armed_again_elsewhere_is_no_more_the_first_ones() {
    struct Number(RawFd);
    impl AsFd for Number {
        fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
            // SAFETY: not kept while it is closed; nothing is done with it then but what the
            // kernel can refuse.
            unsafe { std::os::fd::BorrowedFd::borrow_raw(self.0) }
        }
    }
    const NUMBER: RawFd = 990;
    let stream = || {
        let (ours, theirs) = UnixStream::pair().unwrap();
        ours.set_nonblocking(true).unwrap();
        let moved = rustix::io::fcntl_dupfd_cloexec(&ours, NUMBER).unwrap();
        assert_eq!(moved.as_raw_fd(), NUMBER);
        (moved, theirs)
    };
    let register = |poller: &mut Poller<Number>| {
        let token = poller
            .register(Number(NUMBER), Kind::Connected, Ops::READ, Mode::Level)
            .unwrap();
        assert_eq!(look(poller), []);
        token
    };
    let (mut first, mut second) = (poller(), poller());
    let (moved, _peer) = stream();
    let stale = register(&mut first);
    drop(moved);
    let (moved, mut theirs) = stream();
    let token = register(&mut second);
    theirs.write_all(b"x").unwrap();
    // It reads the signal.
    let _ = look(&mut first);
    assert_eq!(look(&mut second), [(token, Ops::READ)]);
    first.deregister(stale).unwrap();
    assert!(is_armed(&moved));
    let mut byte = [0];
    (&UnixStream::from(moved.try_clone().unwrap()))
        .read_exact(&mut byte)
        .unwrap();
    assert_poller_silent(&mut second);
}
