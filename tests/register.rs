//! Registering channels, and what a selector and a channel know of each other.

mod common;

use std::collections::HashSet;
use std::io::Write;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::thread;

use common::{
    LONG, assert_silent, during, nonblocking, on_every_backend, pipe, selector, unix_pair,
};
use nioselect::{Error, Ops, SelectableChannel};

const BOTH: Ops = Ops::READ.union(Ops::WRITE);

#[test]
fn a_channel_and_its_selector_know_their_key() {
    on_every_backend(|backend| {
        let mut ours = selector(backend);
        let theirs = selector::<()>(backend);
        let (channel, _peer) = unix_pair();
        assert!(!channel.is_registered());
        assert_eq!(channel.key_for(&ours), None);

        let key = channel.register(&ours, Ops::READ, "attached").unwrap();
        assert!(key.is_valid());
        assert_eq!(key.interest_ops(), Ops::READ);
        assert!(key.ready_ops().is_empty());
        assert_eq!(key.valid_ops(), channel.valid_ops());
        assert!(channel.is_registered());
        assert_eq!(channel.key_for(&ours), Some(key.clone()));
        assert_eq!(channel.key_for(&ours.handle()), Some(key.clone()));
        assert_eq!(channel.key_for(&theirs), None);
        assert_eq!(ours.keys().collect::<Vec<_>>(), [&key]);
        assert_eq!(ours.attachment(&key), Some(&mut "attached"));
    });
}

#[test]
fn registering_again_changes_the_key() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = unix_pair();
        let key = channel.register(&selector, Ops::READ, 1).unwrap();
        assert_eq!(selector.select_now().unwrap(), 0);

        let again = channel.register(&selector, Ops::WRITE, 2).unwrap();
        assert_eq!(again, key);
        assert_eq!(key.interest_ops(), Ops::WRITE);
        assert_eq!(selector.select_now().unwrap(), 1);
        assert_eq!(selector.attachment(&key), Some(&mut 2));
        assert_eq!(selector.keys().count(), 1);
    });
}

#[test]
fn registering_again_before_any_selection_changes_the_key() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = unix_pair();
        let key = channel.register(&selector, Ops::READ, 1).unwrap();
        assert_eq!(channel.register(&selector, Ops::WRITE, 2).unwrap(), key);
        assert_eq!(selector.select_now().unwrap(), 1);
        assert_eq!(key.ready_ops(), Ops::WRITE);
        assert_eq!(selector.attachment(&key), Some(&mut 2));
    });
}

#[test]
fn a_replaced_attachment_is_dropped() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = unix_pair();
        let first = Arc::new(());
        channel
            .register(&selector, Ops::READ, Arc::clone(&first))
            .unwrap();
        channel
            .register(&selector, Ops::READ, Arc::new(()))
            .unwrap();
        selector.select_now().unwrap();
        assert_eq!(Arc::strong_count(&first), 1);
    });
}

#[test]
fn another_selector_has_a_key_of_its_own() {
    on_every_backend(|backend| {
        let (mut ours, mut theirs) = (selector(backend), selector(backend));
        let (channel, mut peer) = unix_pair();
        peer.write_all(b"x").unwrap();
        let our_key = channel.register(&ours, Ops::READ, ()).unwrap();
        let their_key = channel.register(&theirs, BOTH, ()).unwrap();
        assert_ne!(our_key, their_key);
        assert_eq!(ours.select_now().unwrap(), 1);
        assert_eq!(our_key.ready_ops(), Ops::READ);
        assert!(their_key.ready_ops().is_empty());
        assert_eq!(theirs.select_now().unwrap(), 1);
        assert_eq!(their_key.ready_ops(), BOTH);

        our_key.cancel();
        assert!(their_key.is_valid());
    });
}

#[test]
fn a_blocking_channel_is_refused() {
    on_every_backend(|backend| {
        let selector = selector(backend);
        let (ours, _theirs) = UnixStream::pair().unwrap();
        let channel = SelectableChannel::new(ours).unwrap();
        let answer = channel.register(&selector, Ops::READ, ());
        assert!(matches!(answer, Err(Error::IllegalBlockingMode)));
        assert!(!channel.is_registered());

        channel.configure_blocking(false).unwrap();
        channel.register(&selector, Ops::READ, ()).unwrap();
    });
}

#[test]
fn wrong_operations_are_refused() {
    on_every_backend(|backend| {
        let selector = selector(backend);
        let pipe = pipe();
        let answer = pipe.sink.register(&selector, BOTH, ());
        assert!(matches!(
            answer,
            Err(Error::InvalidOps {
                requested: BOTH,
                valid: Ops::WRITE
            })
        ));
        assert!(!pipe.sink.is_registered());
    });
}

#[test]
fn a_closed_selector_takes_no_channel() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        selector.close();
        let (channel, _peer) = unix_pair();
        let answer = channel.register(&selector, Ops::READ, ());
        assert!(matches!(answer, Err(Error::ClosedSelector)));
        assert!(!channel.is_registered());
    });
}

#[test]
fn wrong_operations_are_told_before_blocking_mode_and_that_before_a_closed_selector() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        selector.close();
        let (ours, _theirs) = UnixStream::pair().unwrap();
        let channel = SelectableChannel::new(ours).unwrap();
        let answer = channel.register(&selector, Ops::ACCEPT, ());
        assert!(matches!(answer, Err(Error::InvalidOps { .. })));
        let answer = channel.register(&selector, Ops::READ, ());
        assert!(matches!(answer, Err(Error::IllegalBlockingMode)));
    });
}

#[test]
fn two_channels_with_one_descriptor_cannot_both_be_registered() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (ours, _theirs) = UnixStream::pair().unwrap();
        let shared = Arc::new(ours);
        let first = nonblocking(Arc::clone(&shared));
        let second = nonblocking(Arc::clone(&shared));
        let key = first.register(&selector, Ops::WRITE, ()).unwrap();
        let answer = second.register(&selector, Ops::WRITE, ());
        assert!(
            matches!(answer, Err(Error::AlreadyRegistered { .. })),
            "{answer:?}"
        );
        assert!(!second.is_registered());

        key.cancel();
        selector.select_now().unwrap();
        second.register(&selector, Ops::WRITE, ()).unwrap();
        assert_eq!(selector.select_now().unwrap(), 1);
    });
}

#[test]
fn duplicates_of_a_descriptor_are_separate_channels() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (ours, _theirs) = UnixStream::pair().unwrap();
        let first = nonblocking(ours.try_clone().unwrap());
        let second = nonblocking(ours);
        first.register(&selector, Ops::WRITE, ()).unwrap();
        let second = second.register(&selector, Ops::WRITE, ()).unwrap();
        assert_eq!(selector.select_now().unwrap(), 2);

        selector.selected_keys().clear();
        drop(first);
        assert_eq!(selector.select_now().unwrap(), 1);
        assert!(selector.selected_keys().contains(&second));
        second.set_interest_ops(Ops::READ).unwrap();
        assert_silent(&mut selector);
    });
}

#[test]
fn a_channel_registered_by_another_thread_takes_part_in_a_running_selection() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let handle = selector.handle();
        let (channel, _peer) = unix_pair();
        let count = during(
            || selector.select_timeout(LONG),
            || drop(channel.register(&handle, Ops::WRITE, "late").unwrap()),
        );
        assert_eq!(count.unwrap(), 1);
        let attached: Vec<_> = selector
            .selected_keys()
            .drain()
            .map(|selected| *selected.attachment())
            .collect();
        assert_eq!(attached, ["late"]);
    });
}

#[test]
fn a_registration_alone_does_not_end_a_selection() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let handle = selector.handle();
        let (channel, mut peer) = unix_pair();
        let count = during(
            || selector.select_timeout(LONG),
            || {
                let key = channel.register(&handle, Ops::READ, ()).unwrap();
                common::until(|| key.token().is_some());
                peer.write_all(b"x").unwrap();
            },
        );
        assert_eq!(count.unwrap(), 1);
    });
}

#[test]
fn many_threads_register_at_once() {
    const THREADS: usize = 4;
    const EACH: usize = 50;
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let handle = selector.handle();
        let pipes = thread::scope(|scope| {
            let registrars: Vec<_> = (0..THREADS)
                .map(|thread| {
                    let handle = handle.clone();
                    scope.spawn(move || {
                        (0..EACH)
                            .map(|number| {
                                let pipe = pipe();
                                let attachment = thread * EACH + number;
                                pipe.sink.register(&handle, Ops::WRITE, attachment).unwrap();
                                pipe
                            })
                            .collect::<Vec<_>>()
                    })
                })
                .collect();
            let mut seen = HashSet::new();
            while seen.len() < THREADS * EACH {
                assert_ne!(selector.select_timeout(LONG).unwrap(), 0);
                seen.extend(
                    selector
                        .selected_keys()
                        .drain()
                        .map(|key| *key.attachment()),
                );
            }
            registrars
                .into_iter()
                .flat_map(|registrar| registrar.join().unwrap())
                .collect::<Vec<_>>()
        });
        assert!(pipes.iter().all(|pipe| pipe.sink.is_registered()));
        assert_eq!(selector.keys().count(), THREADS * EACH);
    });
}

#[test]
fn entries_lend_every_key_with_its_attachment() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let pipes = [pipe(), pipe(), pipe()];
        let keys = pipes
            .each_ref()
            .map(|pipe| pipe.sink.register(&selector, Ops::WRITE, 0).unwrap());
        for (number, key) in keys.iter().enumerate() {
            *selector.attachment(key).unwrap() = number;
        }
        for mut entry in selector.entries() {
            *entry.attachment() *= 10;
        }
        assert_eq!(
            keys.each_ref()
                .map(|key| *selector.attachment(key).unwrap()),
            [0, 10, 20]
        );
        assert_eq!(
            selector.keys().collect::<HashSet<_>>(),
            keys.iter().collect()
        );
    });
}

#[test]
fn a_key_of_another_selector_has_no_attachment_here() {
    on_every_backend(|backend| {
        let mut ours = selector(backend);
        let theirs = selector(backend);
        let (channel, _peer) = unix_pair();
        channel.register(&ours, Ops::READ, 1).unwrap();
        let their_key = channel.register(&theirs, Ops::READ, 2).unwrap();
        assert_eq!(ours.attachment(&their_key), None);
    });
}

#[test]
fn a_registered_channel_is_not_taken_apart() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, mut peer) = unix_pair();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        let channel = channel.into_inner().expect_err("the selector holds it");
        assert!(key.is_valid());
        peer.write_all(b"x").unwrap();
        assert_eq!(selector.select_now().unwrap(), 1);

        key.cancel();
        let channel = channel
            .into_inner()
            .expect_err("the selector has not let go");
        selector.select_now().unwrap();
        let _stream: UnixStream = channel.into_inner().expect("nobody else holds it");
    });
}

#[test]
fn a_selector_without_channels_selects_nothing() {
    on_every_backend(|backend| {
        let mut selector = selector::<()>(backend);
        assert_eq!(selector.select_now().unwrap(), 0);
        assert_eq!(selector.keys().count(), 0);
        assert_silent(&mut selector);
    });
}

#[test]
fn a_key_does_not_keep_its_selector_or_channel() {
    on_every_backend(|backend| {
        let selector = selector(backend);
        let (channel, peer) = unix_pair();
        let attachment = Arc::new(());
        let key = channel
            .register(&selector, Ops::READ, Arc::clone(&attachment))
            .unwrap();
        drop(selector);
        assert!(!key.is_valid());
        assert_eq!(Arc::strong_count(&attachment), 1);
        drop(channel);
        assert!(common::read_all(&peer).is_empty());
    });
}
