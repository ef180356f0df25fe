//! No descriptor is left, or the kernel refuses one: the error says so, nothing leaks, and
//! everything works again afterwards.
//!
//! The tests lower the process's limit of descriptors, and do not raise it again: no other test
//! may live in this binary.
#![allow(unsafe_code)]

mod common;

use std::fs::File;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::net::TcpStream;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use common::{
    any_port, await_end, look, on_every_backend, open_descriptors, pipe, selector, unix_pair,
};
use nioselect::poller::{Kind, Poller};
use nioselect::{Backend, Error, Mode, Ops, Pipe, Selector, ServerSocketChannel};
use rustix::process::{Resource, getrlimit, setrlimit};

/// One test at a time: the limit is the process's.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Every descriptor that the process may have, but those that are in use.
struct AllDescriptors(Vec<OwnedFd>);

impl AllDescriptors {
    fn take() -> Self {
        let mut limit = getrlimit(Resource::Nofile);
        limit.current = Some(256);
        setrlimit(Resource::Nofile, limit).unwrap();
        let mut all = Self(Vec::new());
        all.take_the_rest();
        all
    }

    /// How many there were.
    fn take_the_rest(&mut self) -> usize {
        let before = self.0.len();
        while let Ok(descriptor) = rustix::io::dup(rustix::stdio::stdin()) {
            self.0.push(descriptor);
        }
        self.0.len() - before
    }

    fn give_back(&mut self, number: usize) {
        self.0.truncate(self.0.len() - number);
    }
}

fn failed_call(error: &Error) -> &'static str {
    assert_eq!(
        error.raw_os_error(),
        Some(rustix::io::Errno::MFILE.raw_os_error())
    );
    match error {
        Error::System { call, .. } => {
            assert!(error.to_string().contains(call));
            call
        }
        other => panic!("{other}"),
    }
}

/// A double needs more than the kernel that it stands for.
fn descriptors_of_a_selector(backend: Backend) -> usize {
    let before = open_descriptors();
    let _selector = selector::<()>(backend);
    let needed = open_descriptors() - before;
    match backend {
        Backend::Epoll => assert_eq!(needed, 2),
        Backend::Poll | Backend::Select => assert_eq!(needed, 1),
        _ => assert!(needed > 0),
    }
    needed
}

#[test]
fn a_selector_needs_descriptors() {
    let _alone = alone();
    on_every_backend(|backend| {
        let needed = descriptors_of_a_selector(backend);
        let open = || Selector::<()>::builder().backend(backend).open();
        let mut all = AllDescriptors::take();
        for free in 0..needed {
            all.give_back(free);
            failed_call(&open().unwrap_err());
            assert_eq!(all.take_the_rest(), free, "nothing has leaked");
        }
        all.give_back(needed);
        let mut selector = open().unwrap();
        selector.wakeup();
        assert_eq!(selector.select().unwrap(), 0);
        drop(selector);
        assert_eq!(all.take_the_rest(), needed);
    });
}

/// io_uring looks by poll(2) at what stays ready, which takes no more than there may be
/// descriptors. (poll itself fails then.)
#[test]
fn more_is_ready_than_there_may_be_descriptors_by_now() {
    const READY: usize = 50;
    let _alone = alone();
    on_every_backend(|backend| {
        if !matches!(backend, Backend::Epoll | Backend::IoUring) {
            return;
        }
        let mut poller: Poller<OwnedFd> = Poller::open(backend).unwrap();
        let pipes: Vec<_> = (0..READY).map(|_| std::io::pipe().unwrap()).collect();
        for (_, writer) in &pipes {
            let writer = writer.try_clone().unwrap().into();
            let registered = poller.register(writer, Kind::PipeSink, Ops::WRITE, Mode::Level);
            registered.unwrap();
        }
        for _ in 0..3 {
            assert_eq!(look(&mut poller).len(), READY);
        }
        let before = getrlimit(Resource::Nofile);
        let mut lowered = before;
        lowered.current = Some(READY as u64 / 3);
        setrlimit(Resource::Nofile, lowered).unwrap();
        let seen = look(&mut poller).len();
        setrlimit(Resource::Nofile, before).unwrap();
        assert_eq!(seen, READY);
    });
}

/// io_uring needs another ring for another thread. Should it get none, that thread could not even
/// close channels to have descriptors again.
#[test]
fn another_thread_goes_on_without_a_descriptor_left() {
    let _alone = alone();
    on_every_backend(|backend| {
        let mut poller: Poller<UnixStream> = Poller::open(backend).unwrap();
        let mut lines = Vec::new();
        for _ in 0..3 {
            let (ours, theirs) = UnixStream::pair().unwrap();
            ours.set_nonblocking(true).unwrap();
            let registered = poller.register(ours, Kind::Connected, Ops::READ, Mode::Level);
            lines.push((registered.unwrap(), theirs));
        }
        assert_eq!(look(&mut poller), []);
        let mut all = AllDescriptors::take();
        thread::scope(|scope| {
            let other = scope.spawn(|| {
                let (token, mut theirs) = (lines[0].0, &lines[0].1);
                theirs.write_all(b"x").unwrap();
                assert_eq!(look(&mut poller), [(token, Ops::READ)]);
                for (token, _) in &lines[1..] {
                    drop(poller.deregister(*token).unwrap());
                }
            });
            other.join().unwrap();
        });
        assert!(all.take_the_rest() >= 2, "they have been closed");
        lines[1..].iter().for_each(|(_, theirs)| await_end(theirs));
    });
}

#[test]
fn the_preferred_backend_does_not_depend_on_the_descriptors_left() {
    let _alone = alone();
    let (available, preferred) = (Backend::available(), Backend::preferred().unwrap());
    let _all = AllDescriptors::take();
    assert_eq!(Backend::available(), available);
    assert_eq!(Backend::preferred().unwrap(), preferred);
    failed_call(&Selector::<()>::open().unwrap_err());
}

#[test]
fn a_pipe_needs_two_descriptors() {
    let _alone = alone();
    let mut all = AllDescriptors::take();
    for free in 0..2 {
        all.give_back(free);
        assert_eq!(failed_call(&Pipe::open().unwrap_err()), "pipe");
        assert_eq!(all.take_the_rest(), free);
    }
    all.give_back(2);
    Pipe::open().unwrap();
    assert_eq!(all.take_the_rest(), 2);
}

#[test]
fn a_connection_waits_until_there_is_a_descriptor_for_it() {
    let _alone = alone();
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let server = ServerSocketChannel::bind(any_port()).unwrap();
        server.configure_blocking(false).unwrap();
        let key = server.register(&selector, Ops::ACCEPT, ()).unwrap();
        let _client = TcpStream::connect(server.get_ref().local_addr().unwrap()).unwrap();
        assert_eq!(selector.select().unwrap(), 1);

        let mut all = AllDescriptors::take();
        assert_eq!(failed_call(&server.accept().unwrap_err()), "accept");
        selector.selected_keys().clear();
        assert_eq!(selector.select_now().unwrap(), 1, "it is still there");
        key.set_interest_ops(Ops::empty()).unwrap();
        selector.selected_keys().clear();
        selector.wakeup();
        assert_eq!(selector.select().unwrap(), 0);

        all.give_back(1);
        key.set_interest_ops(Ops::ACCEPT).unwrap();
        assert_eq!(selector.select().unwrap(), 1);
        assert!(server.accept().unwrap().is_some());
        assert_eq!(all.take_the_rest(), 1);
    });
}

/// A change can take two entries of what is written to /dev/poll, where no more are allowed at
/// once than the process may have descriptors.
#[test]
fn more_changes_than_there_may_be_descriptors_are_applied() {
    let _alone = alone();
    on_every_backend(|backend| {
        let mut poller: Poller<OwnedFd> = Poller::open(backend).unwrap();
        let mut all = AllDescriptors::take();
        all.give_back(200);
        let mut tokens = Vec::new();
        for _ in 0..100 {
            let (ours, theirs) = UnixStream::pair().unwrap();
            for (end, mut peer) in [(&ours, &theirs), (&theirs, &ours)] {
                end.set_nonblocking(true).unwrap();
                peer.write_all(b"x").unwrap();
            }
            for end in [ours, theirs] {
                let both = Ops::READ | Ops::WRITE;
                let token = poller.register(end.into(), Kind::Connected, both, Mode::Level);
                tokens.push(token.unwrap());
            }
        }
        assert_eq!(look(&mut poller).len(), tokens.len());
        for interest in [Ops::WRITE, Ops::READ] {
            for &token in &tokens {
                poller.set_interest(token, interest).unwrap();
            }
            let expected: Vec<_> = tokens.iter().map(|&token| (token, interest)).collect();
            assert_eq!(look(&mut poller), expected);
        }
    });
}

fn regular_file() -> OwnedFd {
    File::open(std::env::current_exe().unwrap()).unwrap().into()
}

/// Only epoll objects to a regular file; for the others it is ready for ever.
#[test]
fn what_the_kernel_refuses_does_not_hinder_the_others() {
    let _alone = alone();
    on_every_backend(|backend| {
        let mut poller: Poller<OwnedFd> = Poller::open(backend).unwrap();
        let mut register = |source, kind| {
            poller
                .register(source, kind, Ops::READ, Mode::Level)
                .unwrap()
        };
        let (first, first_writer) = std::io::pipe().unwrap();
        let (second, second_writer) = std::io::pipe().unwrap();
        let first = register(first.into(), Kind::PipeSource);
        let file = register(regular_file(), Kind::Other);
        let second = register(second.into(), Kind::PipeSource);
        (&first_writer).write_all(b"x").unwrap();
        (&second_writer).write_all(b"x").unwrap();

        for _ in 0..2 {
            let mut seen = Vec::new();
            let outcome = poller.wait(None, |token, _, _| seen.push(token));
            assert!(seen.contains(&first) && seen.contains(&second));
            if backend != Backend::Epoll {
                assert!(outcome.is_ok() && seen.contains(&file));
                continue;
            }
            let refused = outcome.unwrap_err();
            assert_eq!(refused.kind(), std::io::ErrorKind::PermissionDenied);
            assert!(
                matches!(refused, Error::Refused { token, call, .. }
                    if token == file && call == "epoll_ctl(EPOLL_CTL_ADD)"),
                "{refused}"
            );
            assert_eq!(seen.len(), 2);
        }
        poller.deregister(file).unwrap();
        assert_eq!(
            look(&mut poller),
            [first, second].map(|token| (token, Ops::READ))
        );
    });
}

/// Puts a regular file in the place of a descriptor whose owner does not know.
fn replace_by_a_file(number: RawFd) {
    // SAFETY: the number is open and stays so; nobody is told that it has this owner too.
    let mut victim = ManuallyDrop::new(unsafe { OwnedFd::from_raw_fd(number) });
    rustix::io::dup2(regular_file(), &mut victim).unwrap();
}

fn take_selected(selector: &mut Selector<&'static str>) -> Vec<&'static str> {
    let selected = selector.selected_keys().drain();
    selected.map(|key| *key.attachment()).collect()
}

#[test]
fn a_refused_key_can_be_found_and_cancelled_and_does_not_hinder_the_others() {
    let _alone = alone();
    on_every_backend(|backend| {
        if backend != Backend::Epoll {
            return;
        }
        let mut selector = selector(backend);
        let (ours, _theirs) = unix_pair();
        let pipe = pipe();
        let key = ours.register(&selector, Ops::READ, "refused").unwrap();
        pipe.sink.register(&selector, Ops::WRITE, "fine").unwrap();
        replace_by_a_file(ours.as_raw_fd());
        let refused = selector.select().unwrap_err();
        let Error::Refused { token, fd, .. } = refused else {
            panic!("{refused}");
        };
        assert_eq!((Some(token), fd), (key.token(), ours.as_raw_fd()));
        assert_eq!(selector.key_of(token), Some(&key));
        assert_eq!(take_selected(&mut selector), ["fine"]);
        let again = selector.select_now_with(|mut key| assert_eq!(*key.attachment(), "fine"));
        assert!(matches!(again, Err(Error::Refused { .. })));

        key.cancel();
        assert_eq!(selector.select().unwrap(), 1);
        assert_eq!(take_selected(&mut selector), ["fine"]);
    });
}
