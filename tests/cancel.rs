//! Cancelling keys and dropping channels.

mod common;

use std::io::Write;
use std::sync::Arc;

use common::{
    LONG, assert_silent, await_end, during, on_every_backend, sees_end, selector, unix_pair, until,
};
use nioselect::{Error, Ops};

#[test]
fn a_cancelled_key_is_invalid_at_once() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = unix_pair();
        let key = channel.register(&selector, Ops::WRITE, ()).unwrap();
        assert_eq!(selector.select_now().unwrap(), 1);
        key.cancel();
        assert!(!key.is_valid());
        assert!(key.interest_ops().is_empty() && key.ready_ops().is_empty());
        assert!(!key.is_readable() && !key.is_writable());
        assert!(!key.is_connectable() && !key.is_acceptable());
        assert!(matches!(
            key.set_interest_ops(Ops::READ),
            Err(Error::CancelledKey)
        ));
        assert!(matches!(
            key.interest_ops_or(Ops::READ),
            Err(Error::CancelledKey)
        ));
        assert!(matches!(
            key.interest_ops_and(Ops::READ),
            Err(Error::CancelledKey)
        ));
    });
}

#[test]
fn a_clone_is_the_same_key() {
    on_every_backend(|backend| {
        let selector = selector(backend);
        let (channel, _peer) = unix_pair();
        let key = channel.register(&selector, Ops::WRITE, ()).unwrap();
        key.clone().cancel();
        assert!(!key.is_valid());
    });
}

#[test]
fn a_cancelled_key_leaves_all_sets_in_the_next_selection() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = unix_pair();
        let key = channel.register(&selector, Ops::WRITE, ()).unwrap();
        assert_eq!(selector.select_now().unwrap(), 1);
        key.cancel();
        assert!(channel.is_registered());
        assert_eq!(channel.key_for(&selector), Some(key.clone()));

        assert_eq!(selector.select_now().unwrap(), 0);
        assert!(selector.selected_keys().is_empty());
        assert_eq!(selector.keys().count(), 0);
        assert!(!channel.is_registered());
        assert_eq!(channel.key_for(&selector), None);
        assert_eq!(selector.attachment(&key), None);
    });
}

#[test]
fn a_cancelled_key_leaves_the_others_selected() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let channels: Vec<_> = (0..3).map(|_| unix_pair()).collect();
        let mut keys: Vec<_> = channels
            .iter()
            .map(|(channel, _)| channel.register(&selector, Ops::WRITE, ()).unwrap())
            .collect();
        assert_eq!(selector.select_now().unwrap(), 3);
        keys.remove(0).cancel();
        assert_eq!(selector.select_now().unwrap(), 0);
        assert_eq!(selector.selected_keys().len(), 2);
        assert!(
            keys.iter()
                .all(|key| selector.selected_keys().contains(key))
        );
        assert!(keys.iter().all(|key| selector.selected_keys().remove(key)));
    });
}

#[test]
fn cancelling_twice_does_nothing() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = unix_pair();
        let key = channel.register(&selector, Ops::WRITE, ()).unwrap();
        key.cancel();
        key.cancel();
        assert_eq!(selector.select_now().unwrap(), 0);
        let anew = channel.register(&selector, Ops::WRITE, ()).unwrap();
        key.cancel();
        assert!(anew.is_valid());
        assert_eq!(selector.select_now().unwrap(), 1);
    });
}

#[test]
fn a_key_cancelled_before_the_first_selection_is_never_selected() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = unix_pair();
        let attachment = Arc::new(());
        let key = channel
            .register(&selector, Ops::WRITE, Arc::clone(&attachment))
            .unwrap();
        key.cancel();
        assert_silent(&mut selector);
        assert!(!channel.is_registered());
        assert_eq!(selector.keys().count(), 0);
        assert_eq!(Arc::strong_count(&attachment), 1);
    });
}

#[test]
fn registering_again_before_the_selector_has_let_go_fails_and_then_gives_a_new_key() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = unix_pair();
        let key = channel.register(&selector, Ops::WRITE, 1).unwrap();
        selector.select_now().unwrap();
        key.cancel();
        let answer = channel.register(&selector, Ops::WRITE, 2);
        assert!(matches!(answer, Err(Error::CancelledKey)));

        selector.select_now().unwrap();
        let anew = channel.register(&selector, Ops::WRITE, 3).unwrap();
        assert_ne!(anew, key);
        assert!(anew.is_valid() && !key.is_valid());
        assert_eq!(selector.select_now().unwrap(), 1);
        assert_eq!(selector.attachment(&anew), Some(&mut 3));
        assert_eq!(selector.attachment(&key), None);
    });
}

#[test]
fn a_cancelled_key_does_not_hinder_another_selector() {
    on_every_backend(|backend| {
        let (ours, mut theirs) = (selector(backend), selector(backend));
        let (channel, _peer) = unix_pair();
        channel.register(&ours, Ops::WRITE, ()).unwrap().cancel();
        let key = channel.register(&theirs, Ops::WRITE, ()).unwrap();
        assert_eq!(theirs.select_now().unwrap(), 1);
        assert!(key.is_valid());
    });
}

#[test]
fn the_attachment_of_a_cancelled_key_is_dropped_in_the_next_selection() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = unix_pair();
        let attachment = Arc::new(());
        let key = channel
            .register(&selector, Ops::WRITE, Arc::clone(&attachment))
            .unwrap();
        selector.select_now().unwrap();
        key.cancel();
        selector.select_now().unwrap();
        assert_eq!(Arc::strong_count(&attachment), 1);
    });
}

#[test]
fn a_key_cancelled_during_a_selection_is_let_go_of_at_once_and_the_selection_goes_on() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (cancelled, mut cancelled_peer) = unix_pair();
        let (other, mut other_peer) = unix_pair();
        let attachment = Arc::new(());
        let key = cancelled
            .register(&selector, Ops::READ, Arc::clone(&attachment))
            .unwrap();
        let other = other.register(&selector, Ops::READ, Arc::new(())).unwrap();
        let count = during(
            || selector.select_timeout(LONG),
            || {
                key.cancel();
                until(|| Arc::strong_count(&attachment) == 1);
                cancelled_peer.write_all(b"x").unwrap();
                other_peer.write_all(b"x").unwrap();
            },
        );
        assert_eq!(count.unwrap(), 1);
        assert!(selector.selected_keys().contains(&other));
        assert_eq!(selector.keys().count(), 1);
    });
}

#[test]
fn a_cancelled_key_is_no_obstacle_to_blocking_mode() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = unix_pair();
        let key = channel.register(&selector, Ops::WRITE, ()).unwrap();
        selector.select_now().unwrap();
        assert!(matches!(
            channel.configure_blocking(true),
            Err(Error::IllegalBlockingMode)
        ));
        key.cancel();
        channel.configure_blocking(true).unwrap();
        assert!(channel.is_blocking().unwrap());
        assert_eq!(selector.select_now().unwrap(), 0);
        assert!(!channel.is_registered());
    });
}

#[test]
fn dropping_a_channel_cancels_its_keys() {
    on_every_backend(|backend| {
        let mut selectors = [selector(backend), selector(backend)];
        let (channel, peer) = unix_pair();
        let keys = selectors
            .each_ref()
            .map(|s| channel.register(s, Ops::WRITE, ()).unwrap());
        selectors
            .iter_mut()
            .for_each(|s| assert_eq!(s.select_now().unwrap(), 1));
        drop(channel);
        assert!(keys.iter().all(|key| !key.is_valid()));
        for selector in &mut selectors {
            assert_eq!(selector.select_now().unwrap(), 0);
            assert!(selector.selected_keys().is_empty());
            assert_eq!(selector.keys().count(), 0);
        }
        assert!(sees_end(&peer));
    });
}

#[test]
fn a_dropped_channel_is_closed_by_the_last_selector_that_lets_go() {
    on_every_backend(|backend| {
        let mut selectors = [selector(backend), selector(backend)];
        let (channel, peer) = unix_pair();
        for selector in &mut selectors {
            channel.register(selector, Ops::WRITE, ()).unwrap();
            selector.select_now().unwrap();
        }
        drop(channel);
        selectors[0].select_now().unwrap();
        assert!(!sees_end(&peer));
        selectors[1].select_now().unwrap();
        assert!(sees_end(&peer));
    });
}

#[test]
fn a_dropped_channel_without_keys_is_closed_at_once() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, peer) = unix_pair();
        channel
            .register(&selector, Ops::WRITE, ())
            .unwrap()
            .cancel();
        selector.select_now().unwrap();
        drop(channel);
        assert!(sees_end(&peer));
    });
}

#[test]
fn a_channel_dropped_during_a_selection_is_closed_at_once_and_the_selection_goes_on() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (dropped, dropped_peer) = unix_pair();
        let (other, mut other_peer) = unix_pair();
        dropped.register(&selector, Ops::READ, ()).unwrap();
        let other = other.register(&selector, Ops::READ, ()).unwrap();
        let count = during(
            || selector.select_timeout(LONG),
            || {
                drop(dropped);
                await_end(&dropped_peer);
                other_peer.write_all(b"x").unwrap();
            },
        );
        assert_eq!(count.unwrap(), 1);
        assert!(selector.selected_keys().contains(&other));
    });
}
