//! Once warm, a selector allocates nothing.
#![allow(unsafe_code)]

mod common;
mod counting;

use std::hint::black_box;
use std::io::{Read, Write};
use std::time::Duration;

use common::{may_have_descriptors, on_every_backend, pipe, selector};
use nioselect::doorbell::{Policy, State};
use nioselect::{Backend, Mode, Ops, Pipe, SelectionKey, Selector};

/// As many rounds as warm up whatever grows, and then as many that must not allocate.
fn assert_allocates_nothing(what: &str, mut round: impl FnMut()) {
    const ROUNDS: u32 = 20;
    for _ in 0..ROUNDS {
        round();
    }
    let before = counting::so_far().allocations;
    for _ in 0..ROUNDS {
        round();
    }
    let allocations = counting::so_far().allocations - before;
    assert_eq!(allocations, 0, "{what}: allocations in {ROUNDS} rounds");
}

/// Registered pipes, the first of which are ready.
struct Scene {
    selector: Selector<usize>,
    keys: Vec<SelectionKey>,
    _pipes: Vec<Pipe>,
}

impl Scene {
    fn new(backend: Backend, ready: usize, mode: Mode) -> Self {
        assert!(may_have_descriptors(1000), "for all tests together");
        let selector = selector(backend);
        let pipes: Vec<_> = (0..ready + 100).map(|_| pipe()).collect();
        let register = |(index, pipe): (usize, &Pipe)| {
            pipe.source
                .register_with_mode(&selector, Ops::READ, mode, index)
                .unwrap()
        };
        let keys = pipes.iter().enumerate().map(register).collect();
        for pipe in &pipes[..ready] {
            (&pipe.sink).write_all(b"x").unwrap();
        }
        Self {
            selector,
            keys,
            _pipes: pipes,
        }
    }
}

#[test]
fn counts_what_is_allocated() {
    let before = counting::so_far();
    let vector = black_box(vec![0_u8; 1000]);
    let after = counting::so_far();
    assert_eq!(
        (
            after.allocations - before.allocations,
            after.bytes - before.bytes
        ),
        (1, 1000)
    );
    drop(vector);
    assert_eq!(counting::so_far().bytes, before.bytes);
}

#[test]
fn selecting_allocates_nothing() {
    on_every_backend(|backend| {
        for ready in [0, 1, 100] {
            let Scene {
                mut selector,
                keys,
                _pipes,
            } = Scene::new(backend, ready, Mode::Level);
            assert_allocates_nothing("select_now, clear", || {
                assert_eq!(selector.select_now().unwrap(), ready);
                selector.selected_keys().clear();
            });
            assert_allocates_nothing("select, drain", || {
                if ready == 0 {
                    selector.wakeup();
                }
                assert_eq!(selector.select().unwrap(), ready);
                let sum: usize = selector
                    .selected_keys()
                    .drain()
                    .map(|key| *key.attachment())
                    .sum();
                black_box(sum);
            });
            assert_allocates_nothing("select, pop", || {
                selector.wakeup();
                assert_eq!(selector.select().unwrap(), ready);
                let mut selected = selector.selected_keys();
                while let Some(mut key) = selected.pop() {
                    black_box(key.attachment());
                }
            });
            assert_allocates_nothing("select, remove", || {
                assert_eq!(selector.select_now().unwrap(), ready);
                let mut selected = selector.selected_keys();
                for key in &keys {
                    black_box(selected.remove(key));
                }
            });
            assert_allocates_nothing("select_with", || {
                selector.wakeup();
                let count = selector
                    .select_with(|mut key| *key.attachment() += 1)
                    .unwrap();
                assert_eq!(count, ready);
            });
        }
    });
}

#[test]
fn changing_interest_allocates_nothing() {
    on_every_backend(|backend| {
        let Scene {
            mut selector,
            keys,
            _pipes,
        } = Scene::new(backend, 100, Mode::Level);
        assert_allocates_nothing("interest", || {
            for interest in [Ops::empty(), Ops::READ] {
                for key in &keys {
                    key.set_interest_ops(interest).unwrap();
                }
                let expected = if interest.is_empty() { 0 } else { 100 };
                assert_eq!(selector.select_now().unwrap(), expected);
                selector.selected_keys().clear();
            }
        });
    });
}

#[test]
fn arming_one_shots_allocates_nothing() {
    on_every_backend(|backend| {
        let Scene {
            mut selector,
            _pipes,
            ..
        } = Scene::new(backend, 100, Mode::OneShot);
        assert_allocates_nothing("one-shot", || {
            assert_eq!(selector.select().unwrap(), 100);
            for key in selector.selected_keys().drain() {
                key.set_interest_ops(Ops::READ).unwrap();
            }
        });
        assert_allocates_nothing("one-shot, in the action", || {
            let count = selector.select_with(|key| key.set_interest_ops(Ops::READ).unwrap());
            assert_eq!(count.unwrap(), 100);
        });
    });
}

/// It has been set up, with all that this takes, and then rings and is settled.
#[test]
fn a_doorbell_allocates_nothing() {
    on_every_backend(|backend| {
        let builder = Selector::builder().backend(backend);
        let builder = builder
            .doorbell(Policy::Eager)
            .spin(Duration::from_micros(1));
        let mut selector = builder.open().unwrap();
        let pipe = pipe();
        pipe.source.register(&selector, Ops::READ, ()).unwrap();
        assert_allocates_nothing("ring and settle", || {
            for _ in 0..4 {
                assert_eq!(selector.select_now().unwrap(), 0);
            }
            (&pipe.sink).write_all(b"x").unwrap();
            assert_eq!(selector.select_now().unwrap(), 1);
            selector.selected_keys().clear();
            (&pipe.source).read_exact(&mut [0]).unwrap();
        });
        assert_allocates_nothing("spin", || {
            let count = selector.select_timeout(Duration::from_micros(10));
            assert_eq!(count.unwrap(), 0);
            selector.wakeup();
            assert_eq!(selector.select().unwrap(), 0);
        });
        let doorbell = selector.doorbell();
        assert_eq!(doorbell.answered > 0, doorbell.state == State::Armed);
    });
}
