//! Ending a registration at once, and getting back what was attached to its key.

mod common;

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use common::{assert_silent, on_every_backend, returns_early, sees_end, selector, unix_pair};
use nioselect::{Backend, Error, Ops, SelectableChannel, SelectionKey, Selector};

type Stream = SelectableChannel<UnixStream>;

/// A selector that owns a channel which is selected for reading, and the channel's peer.
fn owning(backend: Backend) -> (Selector<Stream>, SelectionKey, UnixStream) {
    let mut selector = selector(backend);
    let (ours, mut theirs) = unix_pair();
    let key = selector
        .register_into(ours, Ops::READ, |channel| channel)
        .unwrap();
    theirs.write_all(b"hello").unwrap();
    assert_eq!(returns_early(&mut selector), 1);
    (selector, key, theirs)
}

#[test]
fn the_attachment_comes_back_and_nothing_is_left() {
    on_every_backend(|backend| {
        let (mut selector, key, _peer) = owning(backend);
        let channel = selector.deregister(&key).unwrap().unwrap();
        assert!(!key.is_valid() && key.ready_ops().is_empty());
        assert!(!channel.is_registered());
        assert_eq!(channel.key_for(&selector), None);
        assert!(!selector.selected_keys().contains(&key));
        assert!(selector.selected_keys().is_empty());
        assert_eq!(selector.keys().count(), 0);
        assert!(selector.attachment(&key).is_none());
        assert_silent(&mut selector);
    });
}

#[test]
fn the_channel_is_free_at_once() {
    on_every_backend(|backend| {
        let (mut selector, key, peer) = owning(backend);
        let channel = selector.deregister(&key).unwrap().unwrap();
        channel.configure_blocking(true).unwrap();
        let mut stream = channel.into_inner().expect("no selector holds it");
        let mut received = [0; 5];
        stream.read_exact(&mut received).unwrap();
        assert_eq!(&received, b"hello");
        drop(stream);
        assert!(sees_end(&peer));
    });
}

#[test]
fn the_channel_can_be_registered_again_here_and_elsewhere() {
    on_every_backend(|backend| {
        let (mut ours, old, _peer) = owning(backend);
        let mut theirs = selector(backend);
        let channel = ours.deregister(&old).unwrap().unwrap();
        let theirs_key = channel.register(&theirs, Ops::READ, ()).unwrap();
        let ours_key = ours
            .register_into(channel, Ops::READ, |channel| channel)
            .unwrap();
        assert_ne!(ours_key, old);
        assert_eq!(returns_early(&mut ours), 1);
        assert_eq!(returns_early(&mut theirs), 1);
        assert!(ours_key.is_readable() && theirs_key.is_readable());

        drop(ours.deregister(&ours_key).unwrap());
        assert!(!theirs_key.is_valid(), "its channel was dropped");
    });
}

#[test]
fn a_registration_with_another_selector_goes_on() {
    on_every_backend(|backend| {
        let (mut ours, mut theirs) = (selector(backend), selector(backend));
        let (channel, _peer) = unix_pair();
        let our_key = channel.register(&ours, Ops::WRITE, ()).unwrap();
        let their_key = channel.register(&theirs, Ops::WRITE, ()).unwrap();
        assert!(ours.deregister(&our_key).unwrap().is_some());
        assert_eq!(returns_early(&mut theirs), 1);
        assert!(their_key.is_valid() && channel.is_registered());
        assert!(matches!(
            channel.configure_blocking(true),
            Err(Error::IllegalBlockingMode)
        ));
    });
}

#[test]
fn a_registration_that_no_selection_has_taken_in_ends_too() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = unix_pair();
        let key = channel.register(&selector, Ops::WRITE, 1).unwrap();
        channel.register(&selector, Ops::WRITE, 2).unwrap();
        assert_eq!(selector.deregister(&key).unwrap(), Some(2));
        assert!(!key.is_valid() && !channel.is_registered());
        assert_silent(&mut selector);
        channel.register(&selector, Ops::WRITE, 3).unwrap();
        assert_eq!(returns_early(&mut selector), 1);
    });
}

#[test]
fn a_change_that_was_pending_is_forgotten() {
    on_every_backend(|backend| {
        let (mut selector, key, _peer) = owning(backend);
        key.set_interest_ops(Ops::READ | Ops::WRITE).unwrap();
        let channel = selector.deregister(&key).unwrap().unwrap();
        assert!(matches!(
            key.set_interest_ops(Ops::READ),
            Err(Error::CancelledKey)
        ));
        key.cancel();
        assert_silent(&mut selector);
        let key = selector
            .register_into(channel, Ops::WRITE, |channel| channel)
            .unwrap();
        assert_eq!(returns_early(&mut selector), 1);
        assert_eq!(key.ready_ops(), Ops::WRITE);
    });
}

#[test]
fn the_other_keys_stay_selected() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let channels = [unix_pair(), unix_pair(), unix_pair()];
        let keys = channels
            .each_ref()
            .map(|(channel, _)| channel.register(&selector, Ops::WRITE, ()).unwrap());
        assert_eq!(returns_early(&mut selector), 3);
        selector.deregister(&keys[0]).unwrap();
        let mut selected = selector.selected_keys();
        assert_eq!(selected.len(), 2);
        for key in &keys[1..] {
            assert!(selected.contains(key) && selected.remove(key));
        }
        assert_eq!(returns_early(&mut selector), 2);
    });
}

#[test]
fn a_key_of_another_selector_is_left_alone() {
    on_every_backend(|backend| {
        let mut ours = selector::<Stream>(backend);
        let (mut theirs, key, _peer) = owning(backend);
        assert!(ours.deregister(&key).unwrap().is_none());
        assert!(key.is_valid() && theirs.selected_keys().contains(&key));
    });
}

#[test]
fn a_key_that_has_ended_gives_nothing() {
    on_every_backend(|backend| {
        let (mut selector, deregistered, _peer) = owning(backend);
        drop(selector.deregister(&deregistered).unwrap());
        assert!(selector.deregister(&deregistered).unwrap().is_none());

        let (mut selector, cancelled, peer) = owning(backend);
        cancelled.cancel();
        assert!(selector.deregister(&cancelled).unwrap().is_none());
        assert!(sees_end(&peer), "it was dropped, as cancelling says");

        let (mut selector, closed, peer) = owning(backend);
        selector.close();
        assert!(selector.deregister(&closed).unwrap().is_none());
        assert!(sees_end(&peer));
    });
}
