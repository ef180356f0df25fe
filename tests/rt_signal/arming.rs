//! Descriptors that are armed, that cannot be, and that others have armed.

use super::*;

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
