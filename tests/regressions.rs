//! Faults that were found by trying to break the crate, each in the smallest form that showed it.
#![allow(unsafe_code)]

mod common;
mod counting;

use std::cell::Cell;
use std::io::{PipeReader, PipeWriter, Write};
use std::mem::ManuallyDrop;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;

use common::{
    HangGuard, any_port, assert_silent, await_ready, during, nonblocking, on_every_backend, pipe,
    returns_early, sees_end, selector, unix_pair,
};
use nioselect::poller::{Kind, Mode, Poller};
use nioselect::{
    Backend, Error, Monitor, Ops, Pipe, PipeSource, SelectableChannel, SelectionKey, Selector,
};
use rustix::net::{AddressFamily, SocketType, getsockname};

/// A channel whose descriptor has become another open file since it was registered.
struct Replaced {
    channel: SelectableChannel<PipeReader>,
    key: SelectionKey,
    /// Writes to the new open file, which is empty.
    new: PipeWriter,
    /// Keeps the old open file, which is readable, alive.
    _old: (PipeReader, PipeWriter),
}

/// `channel` was selected for reading; then dup2(2) put another pipe in its place.
fn replaced(selector: &mut Selector<()>) -> Replaced {
    let (source, mut sink) = std::io::pipe().unwrap();
    let alias = source.try_clone().unwrap();
    let channel = nonblocking(source);
    let key = channel.register(selector, Ops::READ, ()).unwrap();
    sink.write_all(b"old").unwrap();
    assert_eq!(returns_early(selector), 1);
    selector.selected_keys().clear();

    let (another, new) = std::io::pipe().unwrap();
    put_in_place_of(&channel, &another);
    channel.configure_blocking(false).unwrap();
    Replaced {
        channel,
        key,
        new,
        _old: (alias, sink),
    }
}

fn put_in_place_of(channel: &impl AsRawFd, another: &impl AsFd) {
    // SAFETY: the channel keeps the number open; this second owner of it ends unseen.
    let mut place = ManuallyDrop::new(unsafe { OwnedFd::from_raw_fd(channel.as_raw_fd()) });
    rustix::io::dup2(another, &mut place).unwrap();
}

/// On epoll the old open file is in the set for ever, and nobody can take it out.
#[test]
fn an_open_file_that_was_replaced_is_silent_when_its_key_was_cancelled() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let mut replaced = replaced(&mut selector);
        replaced.key.cancel();
        assert_silent(&mut selector);

        let again = replaced.channel.register(&selector, Ops::READ, ()).unwrap();
        assert_silent(&mut selector);
        replaced.new.write_all(b"new").unwrap();
        await_ready(&mut selector, &again, Ops::READ);
    });
}

#[test]
fn an_open_file_that_was_replaced_is_silent_when_its_channel_was_dropped() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let Replaced { channel, _old, .. } = replaced(&mut selector);
        drop(channel);
        assert_silent(&mut selector);
        assert_eq!(selector.keys().count(), 0);
    });
}

#[test]
fn an_open_file_that_was_replaced_is_silent_when_its_key_has_no_interest() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let mut replaced = replaced(&mut selector);
        replaced.key.set_interest_ops(Ops::empty()).unwrap();
        assert_silent(&mut selector);

        replaced.key.set_interest_ops(Ops::READ).unwrap();
        replaced.new.write_all(b"new").unwrap();
        await_ready(&mut selector, &replaced.key, Ops::READ);
    });
}

#[test]
fn a_channel_that_is_dropped_before_it_is_registered_is_closed_at_once() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (ours, theirs) = unix_pair();
        let outcome = selector.register_into(ours, Ops::READ, drop);
        assert!(matches!(outcome, Err(Error::ClosedChannel)), "{outcome:?}");
        assert!(sees_end(&theirs));
        assert_eq!(selector.keys().count(), 0);
        assert_silent(&mut selector);
    });
}

/// A TCP socket of which only its descriptor is known, so that this crate cannot connect it.
fn plain_socket() -> SelectableChannel<OwnedFd> {
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
    nonblocking(socket)
}

/// The peer has accepted, so that the connection stands, though connect did not wait for it.
fn connect_behind_its_back(channel: &SelectableChannel<OwnedFd>) -> TcpStream {
    let listener = TcpListener::bind(any_port()).unwrap();
    let address = listener.local_addr().unwrap();
    match rustix::net::connect(channel.get_ref(), &address) {
        Ok(()) | Err(rustix::io::Errno::INPROGRESS) => {}
        Err(error) => panic!("{error}"),
    }
    listener.accept().unwrap().0
}

fn listen_behind_its_back(channel: &SelectableChannel<OwnedFd>) -> SocketAddr {
    let socket = channel.get_ref();
    rustix::net::bind(socket, &any_port()).unwrap();
    rustix::net::listen(socket, 1).unwrap();
    getsockname(socket).unwrap().try_into().unwrap()
}

#[test]
fn a_socket_that_others_have_connected_is_silent_until_it_is_refreshed() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let channel = plain_socket();
        let interest = Ops::READ | Ops::WRITE | Ops::CONNECT;
        let key = channel.register(&selector, interest, ()).unwrap();
        assert_silent(&mut selector);
        let mut peer = connect_behind_its_back(&channel);
        assert_silent(&mut selector);
        assert_eq!(channel.kind(), Kind::Unconnected);

        channel.refresh().unwrap();
        assert_eq!(channel.kind(), Kind::Connected);
        assert_eq!(returns_early(&mut selector), 1);
        assert_eq!(key.ready_ops(), Ops::WRITE);
        peer.write_all(b"hello").unwrap();
        await_ready(&mut selector, &key, Ops::READ);
    });
}

#[test]
fn a_socket_that_others_have_made_listen_accepts_when_it_is_refreshed() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let channel = plain_socket();
        let address = listen_behind_its_back(&channel);
        let early = channel.register(&selector, Ops::ACCEPT, ());
        assert!(matches!(early, Err(Error::InvalidOps { .. })), "{early:?}");

        channel.refresh().unwrap();
        assert_eq!(channel.kind(), Kind::Listener);
        let key = channel.register(&selector, Ops::ACCEPT, ()).unwrap();
        assert_silent(&mut selector);
        let _peer = TcpStream::connect(address).unwrap();
        await_ready(&mut selector, &key, Ops::ACCEPT);
        rustix::net::accept(&channel).unwrap();
        assert_silent(&mut selector);
    });
}

/// The key allows what a socket that is not connected allows, which a listener does not.
#[test]
fn a_key_follows_its_socket_that_others_have_made_listen() {
    on_every_backend(|backend| {
        for taken_in_before in [true, false] {
            let mut selector = selector(backend);
            let channel = plain_socket();
            let key = channel.register(&selector, Ops::READ, ()).unwrap();
            if taken_in_before {
                assert_silent(&mut selector);
            }
            let address = listen_behind_its_back(&channel);
            channel.refresh().unwrap();
            assert_eq!(selector.select_now().unwrap(), 0);
            let _peer = TcpStream::connect(address).unwrap();
            await_ready(&mut selector, &key, Ops::READ);
        }
    });
}

/// What a watcher has captured, and panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        resume_unwind(Box::new("the watcher's own"));
    }
}

fn watcher_with(bomb: Bomb) -> impl FnMut(&mut Monitor, Ops) + 'static {
    move |_, _| {
        let _captured = &bomb;
    }
}

fn panics(action: impl FnOnce()) {
    let outcome = catch_unwind(AssertUnwindSafe(action));
    assert!(outcome.is_err(), "nothing has panicked");
}

/// The monitor has no watcher, sleeps though `source` is readable, and can watch it again.
fn assert_goes_on(mut monitor: Monitor, source: &PipeSource) {
    assert!(monitor.is_empty());
    let (before, stopper) = (monitor.statistics().waits, monitor.stopper());
    let called = during(|| monitor.run_once().unwrap(), || stopper.stop());
    assert_eq!(called, 0);
    let waits = monitor.statistics().waits - before;
    assert!(waits <= 3, "it spins: {waits} waits for one silence");

    let calls = Rc::new(Cell::new(0));
    let count = Rc::clone(&calls);
    let watcher = move |_: &mut Monitor, _| count.set(count.get() + 1);
    monitor.set(source, Ops::READ, watcher).unwrap();
    assert_eq!(monitor.run_now().unwrap(), 1);
    assert_eq!(calls.get(), 1);
    assert!(monitor.remove(source));
}

fn on_every_monitor(test: impl Fn(Monitor, Rc<PipeSource>)) {
    on_every_backend(|backend| {
        let _guard = HangGuard::new(format!("a monitor over {backend}"));
        let Pipe { source, mut sink } = pipe();
        sink.write_all(b"x").unwrap();
        test(Monitor::open_with(backend).unwrap(), Rc::new(source));
    });
}

#[test]
fn a_monitor_survives_a_watcher_that_panics_when_it_is_removed() {
    on_every_monitor(|mut monitor, source| {
        monitor.set(&source, Ops::READ, watcher_with(Bomb)).unwrap();
        assert_eq!(monitor.run_now().unwrap(), 1);
        panics(|| assert!(monitor.remove(&source)));
        assert_goes_on(monitor, &source);
    });
}

#[test]
fn a_monitor_survives_a_watcher_that_panics_when_it_has_removed_itself() {
    on_every_monitor(|mut monitor, source| {
        let (bomb, watched) = (Bomb, Rc::clone(&source));
        let watcher = move |monitor: &mut Monitor, _| {
            let _captured = &bomb;
            assert!(monitor.remove(&watched));
        };
        monitor.set(&source, Ops::READ, watcher).unwrap();
        panics(|| drop(monitor.run_now()));
        assert_goes_on(monitor, &source);
    });
}

#[test]
fn a_monitor_survives_a_watcher_that_panics_when_it_is_replaced() {
    on_every_monitor(|mut monitor, source| {
        monitor.set(&source, Ops::READ, watcher_with(Bomb)).unwrap();
        panics(|| monitor.set(&source, Ops::READ, |_, _| {}).unwrap());
        assert_eq!(monitor.run_now().unwrap(), 1, "the new one is not called");
        assert!(monitor.remove(&source));
        assert_goes_on(monitor, &source);
    });
}

/// Does something again and again, and asserts that no memory is taken for good.
fn takes_no_memory(mut once: impl FnMut()) {
    let mut repeat = |times| {
        for _ in 0..times {
            once();
        }
        counting::so_far().bytes
    };
    let before = repeat(100);
    assert_eq!(repeat(100_000) - before, 0);
}

#[test]
fn registrations_that_come_and_go_without_a_wait_take_no_memory() {
    on_every_backend(|backend| {
        let mut poller = Poller::open(backend).unwrap();
        let (source, _sink) = std::io::pipe().unwrap();
        let mut unregistered = Some(source);
        takes_no_memory(|| {
            let source = unregistered.take().unwrap();
            let token = poller
                .register(source, Kind::PipeSource, Ops::READ, Mode::Level)
                .unwrap();
            unregistered = Some(poller.deregister(token).unwrap());
        });
    });
}

#[test]
fn keys_that_come_and_go_without_a_selection_take_no_memory() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let pipe = pipe();
        takes_no_memory(|| {
            let key = pipe.source.register(&selector, Ops::READ, ()).unwrap();
            selector.deregister(&key).unwrap().unwrap();
        });
    });
}

/// A key that has ended in the way given, whose place has another key now; and that one's channel.
fn succeeded(
    backend: Backend,
    end: fn(&mut Selector<u8>, &SelectionKey),
) -> (Selector<u8>, SelectionKey, SelectionKey, Pipe) {
    let mut selector = selector(backend);
    let pipe = pipe();
    let old = pipe.source.register(&selector, Ops::READ, 1).unwrap();
    selector.select_now().unwrap();
    end(&mut selector, &old);
    selector.select_now().unwrap();
    let new = pipe.source.register(&selector, Ops::READ, 2).unwrap();
    selector.select_now().unwrap();
    (selector, old, new, pipe)
}

#[test]
fn a_key_that_has_ended_does_not_reach_its_successor() {
    let ends: [fn(&mut Selector<u8>, &SelectionKey); 2] = [
        |_, key| key.cancel(),
        |selector, key| assert_eq!(selector.deregister(key).unwrap(), Some(1)),
    ];
    on_every_backend(|backend| {
        for end in ends {
            let (mut selector, old, new, mut pipe) = succeeded(backend, end);
            let [old_token, new_token] = [&old, &new].map(|key| key.token().unwrap());
            let place = |bits: u64| bits & u64::from(u32::MAX);
            assert_eq!(place(old_token.to_bits()), place(new_token.to_bits()));

            assert_eq!(selector.attachment(&old), None);
            assert_eq!(selector.deregister(&old).unwrap(), None);
            old.cancel();
            assert_eq!(selector.attachment(&new), Some(&mut 2));
            pipe.sink.write_all(b"x").unwrap();
            await_ready(&mut selector, &new, Ops::READ);
            assert!(!selector.selected_keys().contains(&old));
            assert_eq!(selector.deregister(&new).unwrap(), Some(2));
        }
    });
}
