//! Selecting with a callback: what it gets, and what it may do.

mod common;

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use common::{
    LONG, assert_silent, on_every_backend, pipe, read_all, sees_end, selector, unix_pair,
};
use nioselect::{Mode, Ops, SelectionKey};

const BOTH: Ops = Ops::READ.union(Ops::WRITE);

#[test]
fn it_gets_each_ready_key_with_exactly_what_is_ready() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, mut peer) = unix_pair();
        peer.write_all(b"x").unwrap();
        let key = channel.register(&selector, BOTH, ()).unwrap();
        assert_eq!(selector.select_now().unwrap(), 1);
        assert_eq!(key.ready_ops(), BOTH);
        read_all(&channel);

        let mut seen = Vec::new();
        let count = selector
            .select_now_with(|selected| seen.push((selected.key().clone(), selected.ready_ops())));
        assert_eq!(count.unwrap(), 1);
        assert_eq!(seen, [(key.clone(), Ops::WRITE)]);
        assert_eq!(key.ready_ops(), Ops::WRITE);
    });
}

#[test]
fn it_leaves_the_selected_set_alone() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let pipes = [pipe(), pipe()];
        let keys = pipes
            .each_ref()
            .map(|pipe| pipe.sink.register(&selector, Ops::WRITE, ()).unwrap());
        assert_eq!(selector.select_now().unwrap(), 2);
        assert!(selector.selected_keys().remove(&keys[0]));

        let mut seen = 0;
        assert_eq!(
            selector.select_timeout_with(LONG, |_| seen += 1).unwrap(),
            2
        );
        assert_eq!(seen, 2);
        assert!(!selector.selected_keys().contains(&keys[0]));
        assert!(selector.selected_keys().contains(&keys[1]));
    });
}

#[test]
fn it_is_called_in_every_selection_and_can_change_the_attachment() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let pipe = pipe();
        let key = pipe.sink.register(&selector, Ops::WRITE, 0).unwrap();
        for _ in 0..3 {
            let count = selector.select_with(|mut selected| *selected.attachment() += 1);
            assert_eq!(count.unwrap(), 1);
        }
        assert_eq!(selector.attachment(&key), Some(&mut 3));
    });
}

#[test]
fn it_is_not_called_when_nothing_is_ready() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let pipe = pipe();
        pipe.source.register(&selector, Ops::READ, ()).unwrap();
        let count = selector.select_now_with(|selected| panic!("{selected:?}"));
        assert_eq!(count.unwrap(), 0);
    });
}

#[test]
fn what_it_registers_is_selected_next() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let handle = selector.handle();
        let (first, second) = (pipe(), pipe());
        let first_key = first.sink.register(&selector, Ops::WRITE, ()).unwrap();
        let count = selector.select_with(|selected| {
            selected.set_interest_ops(Ops::empty()).unwrap();
            second.sink.register(&handle, Ops::WRITE, ()).unwrap();
        });
        assert_eq!(count.unwrap(), 1);
        assert_eq!(selector.select_timeout(LONG).unwrap(), 1);
        assert!(!selector.selected_keys().contains(&first_key));
    });
}

#[test]
fn it_may_cancel_its_key() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = unix_pair();
        let key = channel.register(&selector, Ops::WRITE, ()).unwrap();
        assert_eq!(
            selector.select_with(|selected| selected.cancel()).unwrap(),
            1
        );
        assert!(!key.is_valid());
        assert_eq!(selector.keys().count(), 0);
        assert!(!channel.is_registered());
    });
}

#[test]
fn a_key_that_it_cancels_while_it_has_another_is_not_reported() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let pipes = [pipe(), pipe()];
        let keys = pipes
            .each_ref()
            .map(|pipe| pipe.sink.register(&selector, Ops::WRITE, ()).unwrap());
        let count = selector.select_with(|_| keys.iter().for_each(SelectionKey::cancel));
        assert_eq!(count.unwrap(), 1);
        assert_eq!(selector.keys().count(), 0);
    });
}

#[test]
fn it_may_drop_its_channel() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, peer) = unix_pair();
        channel.register(&selector, Ops::WRITE, ()).unwrap();
        let mut channel = Some(channel);
        assert_eq!(selector.select_with(|_| channel = None).unwrap(), 1);
        assert_eq!(selector.keys().count(), 0);
        assert!(sees_end(&peer));
    });
}

#[test]
fn what_a_panic_kept_from_it_comes_in_the_next_selection() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let pipes = [pipe(), pipe(), pipe()];
        for (number, pipe) in pipes.iter().enumerate() {
            let mode = Mode::OneShot;
            pipe.sink
                .register_with_mode(&selector, Ops::WRITE, mode, number)
                .unwrap();
        }
        let mut seen = Vec::new();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            selector.select_with(|mut selected| {
                seen.push(*selected.attachment());
                resume_unwind(Box::new("the callback's own"));
            })
        }));
        assert!(outcome.is_err());
        while seen.len() < pipes.len() {
            let count = selector.select_timeout_with(LONG, |mut key| seen.push(*key.attachment()));
            assert_ne!(count.unwrap(), 0);
        }
        seen.sort_unstable();
        assert_eq!(seen, [0, 1, 2]);
        assert_silent(&mut selector);
    });
}
