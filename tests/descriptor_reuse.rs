//! Descriptor numbers are used again: what is left of an ended registration must not reach its
//! successor, nor keep a selector busy.

mod common;

use std::io::Write;
use std::mem;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};

use common::{assert_silent, nonblocking, on_every_backend, unix_pair};
use nioselect::poller::{Kind, Poller};
use nioselect::{Backend, Mode, Ops, SelectableChannel, Selector};

/// One test at a time: a number that one has closed must not go to another.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A selector that has all descriptors that it may ever need: what becomes free is free for the
/// test.
fn selector<A>(backend: Backend) -> Selector<A> {
    let mut selector = common::selector(backend);
    for _ in 0..100 {
        assert_eq!(selector.select_now().unwrap(), 0);
    }
    selector
}

/// A stream under a number that is free, and its peer.
fn stream_at(number: RawFd) -> (SelectableChannel<OwnedFd>, UnixStream) {
    let (mut ours, mut theirs) = UnixStream::pair().unwrap();
    if theirs.as_raw_fd() == number {
        mem::swap(&mut ours, &mut theirs);
    }
    let ours = if ours.as_raw_fd() == number {
        ours.into()
    } else {
        rustix::io::fcntl_dupfd_cloexec(&ours, number).unwrap()
    };
    assert_eq!(ours.as_raw_fd(), number, "it was free");
    (nonblocking(ours), theirs)
}

#[test]
fn a_number_is_not_free_before_the_registration_has_ended() {
    let _alone = alone();
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (ours, _theirs) = unix_pair();
        let number = ours.as_raw_fd();
        ours.register(&selector, Ops::READ, ()).unwrap();
        selector.select_now().unwrap();
        drop(ours);
        let (other, _peer) = unix_pair();
        assert_ne!(other.as_raw_fd(), number);
        selector.select_now().unwrap();
        let (successor, _peer) = stream_at(number);
        successor.register(&selector, Ops::READ, ()).unwrap();
    });
}

#[test]
fn a_successor_gets_no_event_of_its_predecessor() {
    let _alone = alone();
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (old, mut old_peer) = unix_pair();
        let number = old.as_raw_fd();
        let old_key = old.register(&selector, Ops::READ, "old").unwrap();
        old_peer.write_all(b"x").unwrap();
        assert_eq!(selector.select_now().unwrap(), 1);
        drop(old);
        assert_eq!(selector.select_now().unwrap(), 0);

        let (new, mut new_peer) = stream_at(number);
        let new_key = new.register(&selector, Ops::READ, "new").unwrap();
        assert_eq!(selector.select_now().unwrap(), 0);
        assert!(selector.selected_keys().is_empty());
        assert!(new_key != old_key && new_key.token() != old_key.token());
        assert!(!old_key.is_valid() && old_key.ready_ops().is_empty());

        new_peer.write_all(b"x").unwrap();
        assert_eq!(selector.select().unwrap(), 1);
        let selected: Vec<_> = selector
            .selected_keys()
            .drain()
            .map(|key| *key.attachment())
            .collect();
        assert_eq!(selected, ["new"]);
    });
}

/// Both events are in the batch when the handler of the first drops the channel of the second.
#[test]
fn an_event_in_hand_dies_with_its_channel() {
    let _alone = alone();
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let handle = selector.handle();
        let mut channels = Vec::new();
        for index in 0..2 {
            let (ours, mut theirs) = unix_pair();
            ours.register(&selector, Ops::READ, index).unwrap();
            theirs.write_all(b"x").unwrap();
            channels.push((Some(ours), theirs));
        }
        let (successor, mut peer) = unix_pair();
        peer.write_all(b"x").unwrap();
        let mut seen = Vec::new();
        let count = selector
            .select_with(|mut key| {
                let index = *key.attachment();
                seen.push(index);
                channels[1 - index].0 = None;
                handle.register(&successor, Ops::READ, 2).unwrap();
            })
            .unwrap();
        assert_eq!((count, seen.len()), (1, 1), "{seen:?}");
        let survivor = seen[0];
        selector
            .select_now_with(|mut key| seen.push(*key.attachment()))
            .unwrap();
        seen[1..].sort_unstable();
        assert_eq!(seen, [survivor, survivor, 2]);
    });
}

/// epoll(7) goes on reporting an open file that has a duplicate, under the number and the data of
/// a registration whose descriptor was closed.
#[test]
fn a_duplicate_of_a_dropped_channel_does_not_haunt() {
    let _alone = alone();
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (ours, mut theirs) = unix_pair();
        let number = ours.as_raw_fd();
        let _ghost = ours.get_ref().try_clone().unwrap();
        ours.register(&selector, Ops::READ, "old").unwrap();
        theirs.write_all(b"x").unwrap();
        assert_eq!(selector.select_now().unwrap(), 1);
        drop(ours);
        assert_silent(&mut selector);

        let (successor, mut peer) = stream_at(number);
        let key = successor.register(&selector, Ops::READ, "new").unwrap();
        assert_silent(&mut selector);
        peer.write_all(b"x").unwrap();
        assert_eq!(selector.select().unwrap(), 1);
        assert!(key.is_readable());
    });
}

#[test]
fn a_duplicate_does_not_haunt_a_cancelled_or_disinterested_key() {
    let _alone = alone();
    on_every_backend(|backend| {
        for cancel in [false, true] {
            let mut selector = selector(backend);
            let (ours, mut theirs) = unix_pair();
            let _ghost = ours.get_ref().try_clone().unwrap();
            let key = ours.register(&selector, Ops::READ, ()).unwrap();
            theirs.write_all(b"x").unwrap();
            assert_eq!(selector.select_now().unwrap(), 1);
            if cancel {
                key.cancel();
            } else {
                key.set_interest_ops(Ops::empty()).unwrap();
            }
            assert_silent(&mut selector);
        }
    });
}

#[test]
fn a_number_can_be_used_again_many_times() {
    let _alone = alone();
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (first, _peer) = unix_pair();
        let number = first.as_raw_fd();
        drop(first);
        let mut ghosts = Vec::new();
        for generation in 0..200 {
            let (ours, mut theirs) = stream_at(number);
            let key = ours.register(&selector, Ops::READ, generation).unwrap();
            assert_eq!(selector.select_now().unwrap(), 0);
            theirs.write_all(b"x").unwrap();
            ghosts.push(ours.get_ref().try_clone().unwrap());
            assert_eq!(selector.select().unwrap(), 1);
            assert_eq!(selector.attachment(&key), Some(&mut { generation }));
            drop(ours);
            assert_eq!(selector.select_now().unwrap(), 0);
        }
        assert_silent(&mut selector);
    });
}

#[test]
fn a_slot_that_is_used_again_gets_another_generation() {
    let _alone = alone();
    on_every_backend(|backend| {
        let mut poller = Poller::open(backend).unwrap();
        let (mut source, _theirs) = UnixStream::pair().unwrap();
        let mut tokens = Vec::new();
        for _ in 0..100 {
            let token = poller
                .register(source, Kind::Connected, Ops::READ, Mode::Level)
                .unwrap();
            assert!(!tokens.contains(&token));
            tokens.push(token);
            source = poller.deregister(token).unwrap();
        }
        let token = poller
            .register(source, Kind::Connected, Ops::READ, Mode::Level)
            .unwrap();
        for old in tokens {
            assert!(poller.source(old).is_none());
        }
        assert!(poller.source(token).is_some());
    });
}
