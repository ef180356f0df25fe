//! More channels are ready than one selection takes: each of them gets its turn.

mod common;

use std::collections::BTreeSet;
use std::io::Write;
use std::thread;

use common::{on_every_backend, pipe};
use nioselect::{Backend, Mode, Ops, Pipe, Selector};

fn bounded<A>(backend: Backend, capacity: usize) -> Selector<A> {
    Selector::builder()
        .backend(backend)
        .event_capacity(capacity)
        .open()
        .unwrap()
}

/// Pipes whose sources are registered and readable, and stay so.
fn ready_pipes(selector: &Selector<usize>, number: usize, mode: Mode) -> Vec<Pipe> {
    let ready = |index| {
        let pipe = pipe();
        pipe.source
            .register_with_mode(selector, Ops::READ, mode, index)
            .unwrap();
        (&pipe.sink).write_all(b"x").unwrap();
        pipe
    };
    (0..number).map(ready).collect()
}

fn drain(selector: &mut Selector<usize>) -> Vec<usize> {
    selector
        .selected_keys()
        .drain()
        .map(|key| *key.attachment())
        .collect()
}

#[test]
fn all_are_reported_before_any_is_reported_again() {
    const READY: usize = 33;
    on_every_backend(|backend| {
        for capacity in [1, 2, 7, 32, READY] {
            let mut selector = bounded(backend, capacity);
            let _pipes = ready_pipes(&selector, READY, Mode::Level);
            for _ in 0..3 {
                let mut seen = BTreeSet::new();
                for _ in 0..READY.div_ceil(capacity) {
                    let count = selector.select_now().unwrap();
                    assert!(count <= capacity, "{count} of at most {capacity}");
                    seen.extend(drain(&mut selector));
                }
                assert_eq!(seen.len(), READY, "capacity {capacity}");
            }
        }
    });
}

#[test]
fn one_shots_that_are_armed_again_starve_nobody() {
    const READY: usize = 9;
    on_every_backend(|backend| {
        for capacity in [1, 4] {
            let mut selector = bounded(backend, capacity);
            let _pipes = ready_pipes(&selector, READY, Mode::OneShot);
            let mut reports = [0; READY];
            for _ in 0..20 * READY {
                selector.select_now().unwrap();
                for key in selector.selected_keys().drain() {
                    reports[*key.attachment()] += 1;
                    key.set_interest_ops(Ops::READ).unwrap();
                }
            }
            assert!(reports.iter().all(|&reported| reported > 5), "{reports:?}");
        }
    });
}

#[test]
fn a_hang_up_waits_its_turn_among_those_that_are_always_ready() {
    on_every_backend(|backend| {
        let mut selector = bounded(backend, 2);
        let _pipes = ready_pipes(&selector, 8, Mode::Level);
        let quiet = pipe();
        quiet.source.register(&selector, Ops::READ, 8).unwrap();
        selector.select_now().unwrap();
        drop(quiet.sink);
        let mut seen = BTreeSet::new();
        for _ in 0..10 {
            selector.select_now().unwrap();
            seen.extend(drain(&mut selector));
        }
        assert!(seen.contains(&8), "{seen:?}");
    });
}

/// A wakeup takes nobody's place: no selection is empty-handed but the one that it ends.
#[test]
fn wakeups_take_no_room() {
    on_every_backend(|backend| {
        for _ in 0..100 {
            let mut selector = bounded(backend, 1);
            let pipe = pipe();
            pipe.source.register(&selector, Ops::READ, 0).unwrap();
            let waker = selector.waker();
            thread::scope(|scope| {
                scope.spawn(|| {
                    (&pipe.sink).write_all(b"x").unwrap();
                    waker.wake();
                });
                selector.select().unwrap();
            });
            for _ in 0..3 {
                selector.selected_keys().clear();
                assert_eq!(selector.select_now().unwrap(), 1);
            }
        }
    });
}

#[test]
fn a_capacity_without_bounds_is_no_burden() {
    on_every_backend(|backend| {
        let mut selector = bounded(backend, usize::MAX);
        let _pipes = ready_pipes(&selector, 3, Mode::Level);
        assert_eq!(selector.select_now().unwrap(), 3);
        let mut selector = bounded(backend, 0);
        let _pipes = ready_pipes(&selector, 3, Mode::Level);
        assert_eq!(selector.select_now().unwrap(), 1, "at least one");
    });
}
