//! Wakeups: sticky, one deep, and used up by one selection.

mod common;

use std::io::Write;
use std::thread;

use common::{LONG, assert_silent, during, on_every_backend, returns_early, selector, unix_pair};
use nioselect::Ops;

#[test]
fn a_wakeup_before_a_selection_ends_it_at_once() {
    on_every_backend(|backend| {
        let mut selector = selector::<()>(backend);
        selector.wakeup();
        assert_eq!(returns_early(&mut selector), 0);
        assert_silent(&mut selector);
    });
}

#[test]
fn a_wakeup_during_a_selection_ends_it() {
    on_every_backend(|backend| {
        let mut selector = selector::<()>(backend);
        let waker = selector.waker();
        assert_eq!(during(|| returns_early(&mut selector), || waker.wake()), 0);
        assert_silent(&mut selector);
    });
}

#[test]
fn a_wakeup_during_a_selection_without_end_ends_it() {
    on_every_backend(|backend| {
        let mut selector = selector::<()>(backend);
        let handle = selector.handle();
        assert_eq!(during(|| selector.select(), || handle.wakeup()).unwrap(), 0);
    });
}

#[test]
fn two_wakeups_end_one_selection() {
    on_every_backend(|backend| {
        let mut selector = selector::<()>(backend);
        selector.wakeup();
        selector.waker().wake();
        assert_eq!(returns_early(&mut selector), 0);
        assert_silent(&mut selector);
    });
}

#[test]
fn a_selection_can_be_woken_again_and_again() {
    on_every_backend(|backend| {
        let mut selector = selector::<()>(backend);
        let waker = selector.waker();
        for _ in 0..100 {
            assert_eq!(during(|| returns_early(&mut selector), || waker.wake()), 0);
        }
        assert_silent(&mut selector);
    });
}

#[test]
fn thousands_of_wakeups_by_many_threads_are_one() {
    on_every_backend(|backend| {
        let mut selector = selector::<()>(backend);
        let waker = selector.waker();
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..5000).for_each(|_| waker.wake()));
            }
        });
        assert_eq!(returns_early(&mut selector), 0);
        assert_silent(&mut selector);
    });
}

#[test]
fn wakeups_that_race_with_selections_are_never_lost() {
    on_every_backend(|backend| {
        let mut selector = selector::<()>(backend);
        let waker = selector.waker();
        let (ask, asked) = std::sync::mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(move || asked.iter().for_each(|()| waker.wake()));
            for _ in 0..2000 {
                ask.send(()).unwrap();
                returns_early(&mut selector);
            }
            drop(ask);
        });
        assert_silent(&mut selector);
    });
}

#[test]
fn a_wakeup_is_used_up_by_a_selection_that_does_not_wait() {
    on_every_backend(|backend| {
        let mut selector = selector::<()>(backend);
        selector.wakeup();
        assert_eq!(selector.select_now().unwrap(), 0);
        assert_silent(&mut selector);
    });
}

#[test]
fn a_wakeup_during_a_selection_leaves_nothing_for_the_one_that_does_not_wait() {
    on_every_backend(|backend| {
        let mut selector = selector::<()>(backend);
        let waker = selector.waker();
        assert_eq!(during(|| selector.select(), || waker.wake()).unwrap(), 0);
        assert_eq!(selector.select_now().unwrap(), 0);
        assert_silent(&mut selector);
    });
}

#[test]
fn a_wakeup_selects_no_key() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = unix_pair();
        channel.register(&selector, Ops::READ, ()).unwrap();
        selector.wakeup();
        assert_eq!(returns_early(&mut selector), 0);
        assert!(selector.selected_keys().is_empty());
        selector.wakeup();
        let count = selector.select_timeout_with(LONG, |selected| panic!("{selected:?}"));
        assert_eq!(count.unwrap(), 0);
    });
}

#[test]
fn ready_keys_are_selected_beside_a_wakeup() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, mut peer) = unix_pair();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        peer.write_all(b"x").unwrap();
        selector.wakeup();
        assert_eq!(returns_early(&mut selector), 1);
        assert_eq!(returns_early(&mut selector), 0);
        assert!(selector.selected_keys().remove(&key));
        key.set_interest_ops(Ops::empty()).unwrap();
        assert_silent(&mut selector);
    });
}

#[test]
fn a_wakeup_by_the_callback_ends_the_next_selection() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let waker = selector.waker();
        let (channel, _peer) = unix_pair();
        let key = channel.register(&selector, Ops::WRITE, ()).unwrap();
        let count = selector.select_with(|selected| {
            selected.set_interest_ops(Ops::empty()).unwrap();
            waker.wake();
        });
        assert_eq!(count.unwrap(), 1);
        assert!(key.is_valid());
        assert_eq!(returns_early(&mut selector), 0);
        assert_silent(&mut selector);
    });
}

#[test]
fn a_waker_outlives_its_selector() {
    on_every_backend(|backend| {
        let selector = selector::<()>(backend);
        let waker = selector.waker();
        drop(selector);
        waker.wake();
        waker.clone().wake();
    });
}

#[test]
fn selectors_are_woken_separately() {
    on_every_backend(|backend| {
        let (mut ours, mut theirs) = (selector::<()>(backend), selector::<()>(backend));
        theirs.wakeup();
        assert_silent(&mut ours);
        assert_eq!(returns_early(&mut theirs), 0);
    });
}
