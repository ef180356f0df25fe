//! The ready set of a key and the selected-key set: what fills them, and who empties them.

mod common;

use std::io::Write;
use std::mem::ManuallyDrop;
use std::os::unix::net::UnixStream;

use common::{LONG, fill, on_every_backend, pipe, read_all, returns_early, selector, unix_pair};
use nioselect::{Backend, Ops, Pipe, SelectableChannel, SelectionKey, Selector};

const BOTH: Ops = Ops::READ.union(Ops::WRITE);

/// A channel that is registered for `interest`, can be written to and has something to read.
struct Busy {
    selector: Selector<()>,
    channel: SelectableChannel<UnixStream>,
    peer: UnixStream,
    key: SelectionKey,
}

fn busy(backend: Backend, interest: Ops) -> Busy {
    let selector = selector(backend);
    let (channel, mut peer) = unix_pair();
    peer.write_all(b"something").unwrap();
    let key = channel.register(&selector, interest, ()).unwrap();
    Busy {
        selector,
        channel,
        peer,
        key,
    }
}

/// Pipes whose sources are all selected, with their numbers attached.
fn all_selected(backend: Backend, count: usize) -> (Selector<usize>, Vec<Pipe>) {
    let mut selector = selector(backend);
    let pipes: Vec<_> = (0..count).map(|_| pipe()).collect();
    for (number, pipe) in pipes.iter().enumerate() {
        pipe.source.register(&selector, Ops::READ, number).unwrap();
        (&pipe.sink).write_all(b"x").unwrap();
        assert_eq!(selector.select_now().unwrap(), 1);
    }
    (selector, pipes)
}

/// What is attached to the keys that are selected, sorted: they have no order.
fn numbers(selector: &mut Selector<usize>) -> Vec<usize> {
    let keys = selector.selected_keys();
    let mut numbers: Vec<_> = keys.iter().map(|selected| *selected.attachment()).collect();
    numbers.sort_unstable();
    numbers
}

#[test]
fn a_key_not_selected_gets_exactly_what_is_ready_now() {
    on_every_backend(|backend| {
        let Busy {
            mut selector,
            channel,
            key,
            peer: _peer,
        } = busy(backend, BOTH);
        assert_eq!(selector.select_now().unwrap(), 1);
        assert_eq!(key.ready_ops(), BOTH);

        selector.selected_keys().clear();
        read_all(&channel);
        assert_eq!(selector.select_now().unwrap(), 1);
        assert_eq!(key.ready_ops(), Ops::WRITE);
    });
}

#[test]
fn a_key_still_selected_collects_new_operations() {
    on_every_backend(|backend| {
        let Busy {
            mut selector,
            key,
            channel: _channel,
            peer: _peer,
        } = busy(backend, Ops::WRITE);
        assert_eq!(selector.select_timeout(LONG).unwrap(), 1);
        assert_eq!(key.ready_ops(), Ops::WRITE);

        key.set_interest_ops(Ops::READ).unwrap();
        assert_eq!(selector.select_timeout(LONG).unwrap(), 1);
        assert_eq!(key.ready_ops(), BOTH);
        assert_eq!(selector.selected_keys().len(), 1);
    });
}

#[test]
fn a_key_selected_for_the_same_is_not_counted_again() {
    on_every_backend(|backend| {
        let Busy {
            mut selector,
            channel: _channel,
            peer: _peer,
            key: _key,
        } = busy(backend, Ops::READ);
        assert_eq!(selector.select_now().unwrap(), 1);
        assert_eq!(selector.select_now().unwrap(), 0);
        assert_eq!(selector.selected_keys().len(), 1);
    });
}

#[test]
fn select_returns_at_once_for_a_ready_key_that_it_does_not_count() {
    on_every_backend(|backend| {
        let Busy {
            mut selector,
            channel: _channel,
            peer: _peer,
            key: _key,
        } = busy(backend, Ops::READ);
        assert_eq!(selector.select().unwrap(), 1);
        assert_eq!(returns_early(&mut selector), 0);
    });
}

#[test]
fn only_updated_keys_are_counted() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (old, new) = (pipe(), pipe());
        for pipe in [&old, &new] {
            pipe.source.register(&selector, Ops::READ, ()).unwrap();
        }
        (&old.sink).write_all(b"x").unwrap();
        assert_eq!(selector.select_now().unwrap(), 1);
        (&new.sink).write_all(b"x").unwrap();
        assert_eq!(selector.select_now().unwrap(), 1);
        assert_eq!(selector.selected_keys().len(), 2);
    });
}

#[test]
fn both_directions_are_one_key_counted_once() {
    on_every_backend(|backend| {
        let Busy {
            mut selector,
            key,
            channel: _channel,
            peer: _peer,
        } = busy(backend, BOTH);
        assert_eq!(selector.select_now().unwrap(), 1);
        assert_eq!(key.ready_ops(), BOTH);
        assert!(key.is_readable() && key.is_writable());
        assert!(!key.is_connectable() && !key.is_acceptable());
    });
}

#[test]
fn a_selection_never_removes_a_key_that_is_no_longer_ready() {
    on_every_backend(|backend| {
        let Busy {
            mut selector,
            channel,
            key,
            peer: _peer,
        } = busy(backend, Ops::READ);
        assert_eq!(selector.select_now().unwrap(), 1);
        read_all(&channel);
        assert_eq!(selector.select_now().unwrap(), 0);
        assert!(selector.selected_keys().contains(&key));
        assert_eq!(key.ready_ops(), Ops::READ);
    });
}

#[test]
fn a_removed_key_is_selected_again_if_it_is_still_ready() {
    on_every_backend(|backend| {
        let Busy {
            mut selector,
            key,
            channel: _channel,
            peer: _peer,
        } = busy(backend, Ops::READ);
        assert_eq!(selector.select_now().unwrap(), 1);
        assert!(selector.selected_keys().remove(&key));
        assert!(!selector.selected_keys().remove(&key));
        assert!(!selector.selected_keys().contains(&key));
        assert_eq!(selector.select_now().unwrap(), 1);
        assert!(selector.selected_keys().contains(&key));
    });
}

#[test]
fn clear_removes_every_key() {
    on_every_backend(|backend| {
        let (mut selector, _pipes) = all_selected(backend, 3);
        selector.selected_keys().clear();
        assert!(selector.selected_keys().is_empty());
        assert_eq!(selector.select_now().unwrap(), 3);
    });
}

#[test]
fn iterating_leaves_the_keys_selected() {
    on_every_backend(|backend| {
        let (mut selector, _pipes) = all_selected(backend, 3);
        assert_eq!(numbers(&mut selector), [0, 1, 2]);
        assert_eq!(numbers(&mut selector), [0, 1, 2]);
    });
}

#[test]
fn drain_yields_every_key_and_removes_it() {
    on_every_backend(|backend| {
        let (mut selector, _pipes) = all_selected(backend, 3);
        let drain = selector.selected_keys().drain();
        assert_eq!(drain.len(), 3);
        let mut drained: Vec<_> = drain.map(|selected| *selected.attachment()).collect();
        drained.sort_unstable();
        assert_eq!(drained, [0, 1, 2]);
        assert!(selector.selected_keys().is_empty());
        assert_eq!(selector.select_now().unwrap(), 3);
    });
}

#[test]
fn a_drain_left_early_keeps_the_rest_selected() {
    on_every_backend(|backend| {
        let (mut selector, pipes) = all_selected(backend, 4);
        let drained = selector
            .selected_keys()
            .drain()
            .next()
            .map(|s| *s.attachment())
            .unwrap();
        let mut left: Vec<_> = (0..4).filter(|number| *number != drained).collect();
        assert_eq!(numbers(&mut selector), left);

        let key = pipes[left.remove(0)].source.key_for(&selector).unwrap();
        assert!(selector.selected_keys().contains(&key));
        assert!(selector.selected_keys().remove(&key));
        assert_eq!(numbers(&mut selector), left);
        assert_eq!(selector.select_now().unwrap(), 2);
    });
}

#[test]
fn a_drain_that_is_forgotten_keeps_the_rest_selected() {
    on_every_backend(|backend| {
        let (mut selector, pipes) = all_selected(backend, 5);
        let mut drain = ManuallyDrop::new(selector.selected_keys().drain());
        let mut gone: Vec<_> = drain.by_ref().take(2).map(|s| *s.attachment()).collect();
        gone.sort_unstable();
        let mut left: Vec<_> = (0..5).filter(|number| !gone.contains(number)).collect();
        assert_eq!(numbers(&mut selector), left);

        for (number, pipe) in pipes.iter().enumerate() {
            let key = pipe.source.key_for(&selector).unwrap();
            let is_left = left.contains(&number);
            assert_eq!(selector.selected_keys().contains(&key), is_left);
        }
        pipes[left.remove(0)]
            .source
            .key_for(&selector)
            .unwrap()
            .cancel();
        assert_eq!(selector.select_now().unwrap(), 2, "those that were drained");
        left.extend(gone);
        left.sort_unstable();
        assert_eq!(numbers(&mut selector), left);

        let popped = selector
            .selected_keys()
            .pop()
            .map(|mut key| *key.attachment());
        left.retain(|&number| Some(number) != popped);
        assert_eq!(left.len(), 3);
        let drain = selector.selected_keys().drain();
        let mut drained: Vec<_> = drain.map(|s| *s.attachment()).collect();
        drained.sort_unstable();
        assert_eq!(drained, left);
        assert_eq!(selector.select_now().unwrap(), 4);
    });
}

#[test]
fn removing_one_key_after_another_leaves_the_rest_selected() {
    on_every_backend(|backend| {
        let (mut selector, pipes) = all_selected(backend, 5);
        let mut left = vec![0, 1, 2, 3, 4];
        for place in [2, 0, 2, 0, 0] {
            let key = pipes[left.remove(place)].source.key_for(&selector).unwrap();
            assert!(selector.selected_keys().remove(&key));
            assert_eq!(numbers(&mut selector), left);
        }
    });
}

#[test]
fn pop_removes_one_key_after_another_and_lends_their_attachments() {
    on_every_backend(|backend| {
        let (mut selector, _pipes) = all_selected(backend, 3);
        let mut selected = selector.selected_keys();
        let mut popped = Vec::new();
        while let Some(mut key) = selected.pop() {
            popped.push(*key.attachment());
            *key.attachment() += 10;
        }
        popped.sort_unstable();
        assert_eq!(popped, [0, 1, 2]);
        assert!(selector.selected_keys().is_empty());
        assert_eq!(selector.select_now().unwrap(), 3);
        assert_eq!(numbers(&mut selector), [10, 11, 12]);
    });
}

#[test]
fn a_key_of_another_selector_is_neither_contained_nor_removed() {
    on_every_backend(|backend| {
        let Busy {
            selector: mut ours,
            key: our_key,
            channel: _channel,
            peer: _peer,
        } = busy(backend, Ops::READ);
        let mut theirs = busy(backend, Ops::READ);
        assert_eq!(ours.select_now().unwrap(), 1);
        assert_eq!(theirs.selector.select_now().unwrap(), 1);

        assert!(!ours.selected_keys().contains(&theirs.key));
        assert!(!ours.selected_keys().remove(&theirs.key));
        assert!(ours.selected_keys().contains(&our_key));
        assert!(theirs.selector.selected_keys().contains(&theirs.key));
    });
}

#[test]
fn reading_is_reported_until_nothing_is_left() {
    on_every_backend(|backend| {
        let Busy {
            mut selector,
            channel,
            mut peer,
            key,
        } = busy(backend, Ops::READ);
        for _ in 0..3 {
            assert_eq!(selector.select_now().unwrap(), 1);
            selector.selected_keys().clear();
        }
        read_all(&channel);
        assert_eq!(selector.select_now().unwrap(), 0);
        peer.write_all(b"more").unwrap();
        assert_eq!(selector.select_timeout(LONG).unwrap(), 1);
        assert_eq!(key.ready_ops(), Ops::READ);
    });
}

#[test]
fn writing_is_reported_while_there_is_room() {
    on_every_backend(|backend| {
        let Busy {
            mut selector,
            channel,
            peer,
            key,
        } = busy(backend, Ops::WRITE);
        for _ in 0..3 {
            assert_eq!(selector.select_now().unwrap(), 1);
            selector.selected_keys().clear();
        }
        fill(&channel);
        assert_eq!(selector.select_now().unwrap(), 0);
        peer.set_nonblocking(true).unwrap();
        read_all(&peer);
        assert_eq!(selector.select_timeout(LONG).unwrap(), 1);
        assert_eq!(key.ready_ops(), Ops::WRITE);
    });
}
