//! The interest set: what a channel is watched for, from one moment to the next.

mod common;

use std::io::Write;
use std::thread;

use common::{LONG, assert_silent, during, on_every_backend, pipe, selector, tcp_pair, unix_pair};
use nioselect::{Error, Ops};

const BOTH: Ops = Ops::READ.union(Ops::WRITE);
const INTERESTS: [Ops; 4] = [Ops::empty(), Ops::READ, Ops::WRITE, BOTH];

#[test]
fn no_interest_is_silence_even_when_the_peer_hangs_up() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, peer) = unix_pair();
        let key = channel.register(&selector, Ops::empty(), ()).unwrap();
        drop(peer);
        assert_silent(&mut selector);
        assert!(key.ready_ops().is_empty());
    });
}

#[test]
fn interest_taken_away_is_silence_even_when_the_peer_hangs_up() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, peer) = unix_pair();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        assert_eq!(selector.select_now().unwrap(), 0);
        key.set_interest_ops(Ops::empty()).unwrap();
        drop(peer);
        assert_silent(&mut selector);
    });
}

#[test]
fn interest_restored_reports_a_condition_that_is_still_true() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, peer) = unix_pair();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        drop(peer);
        assert_eq!(selector.select_now().unwrap(), 1);
        selector.selected_keys().clear();
        key.set_interest_ops(Ops::empty()).unwrap();
        assert_silent(&mut selector);
        key.set_interest_ops(Ops::READ).unwrap();
        assert_eq!(selector.select_timeout(LONG).unwrap(), 1);
        assert_eq!(key.ready_ops(), Ops::READ);
    });
}

#[test]
fn every_transition_reports_what_is_ready_of_the_new_interest() {
    on_every_backend(|backend| {
        for readable in [false, true] {
            let mut selector = selector(backend);
            let (channel, mut peer) = unix_pair();
            if readable {
                peer.write_all(b"x").unwrap();
            }
            let ready = if readable { BOTH } else { Ops::WRITE };
            let key = channel.register(&selector, Ops::empty(), ()).unwrap();
            for (before, after) in INTERESTS.iter().flat_map(|b| INTERESTS.map(|a| (*b, a))) {
                for interest in [before, after] {
                    key.set_interest_ops(interest).unwrap();
                    assert_eq!(key.interest_ops(), interest);
                    let expected = interest & ready;
                    let count = selector.select_now().unwrap();
                    assert_eq!(
                        count,
                        usize::from(!expected.is_empty()),
                        "{before} -> {after}"
                    );
                    if count == 1 {
                        assert_eq!(key.ready_ops(), expected, "{before} -> {after}");
                    }
                    selector.selected_keys().clear();
                }
            }
        }
    });
}

#[test]
fn changes_that_cancel_out_cost_no_system_call() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = unix_pair();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        selector.select_now().unwrap();
        let before = selector.statistics().changes;
        key.set_interest_ops(BOTH).unwrap();
        key.set_interest_ops(Ops::READ).unwrap();
        selector.select_now().unwrap();
        assert_eq!(selector.statistics().changes, before);
    });
}

#[test]
fn operations_that_the_channel_does_not_have_are_refused_by_name() {
    on_every_backend(|backend| {
        let selector = selector(backend);
        let pipe = pipe();
        let key = pipe.source.register(&selector, Ops::READ, ()).unwrap();
        for answer in [
            key.set_interest_ops(BOTH),
            key.interest_ops_or(BOTH).map(drop),
        ] {
            let error = answer.unwrap_err();
            assert!(
                matches!(
                    error,
                    Error::InvalidOps {
                        requested: BOTH,
                        valid: Ops::READ
                    }
                ),
                "{error:?}"
            );
            let text = error.to_string();
            assert!(text.contains("READ | WRITE is not valid"), "{text}");
            assert!(text.contains("allows READ"), "{text}");
        }
        assert_eq!(key.interest_ops(), Ops::READ);
    });
}

#[test]
fn bits_that_are_no_operation_are_refused() {
    on_every_backend(|backend| {
        let selector = selector(backend);
        let (channel, _peer) = unix_pair();
        let unknown = Ops::READ | Ops::from_bits_retain(2);
        let error = channel.register(&selector, unknown, ()).unwrap_err();
        assert!(matches!(error, Error::InvalidOps { .. }), "{error:?}");
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        let error = key.set_interest_ops(unknown).unwrap_err();
        assert!(matches!(error, Error::InvalidOps { .. }), "{error:?}");
        assert_eq!(key.interest_ops(), Ops::READ);
    });
}

#[test]
fn adding_and_removing_return_what_the_interest_was() {
    on_every_backend(|backend| {
        let selector = selector(backend);
        let (channel, _peer) = unix_pair();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        assert_eq!(key.interest_ops_or(Ops::WRITE).unwrap(), Ops::READ);
        assert_eq!(key.interest_ops_or(Ops::empty()).unwrap(), BOTH);
        assert_eq!(key.interest_ops_and(!Ops::READ).unwrap(), BOTH);
        assert_eq!(key.interest_ops_and(Ops::empty()).unwrap(), Ops::WRITE);
        assert!(key.interest_ops().is_empty());
    });
}

#[test]
fn keeping_operations_that_the_channel_does_not_have_does_no_harm() {
    on_every_backend(|backend| {
        let selector = selector(backend);
        let pipe = pipe();
        let key = pipe.source.register(&selector, Ops::READ, ()).unwrap();
        assert_eq!(
            key.interest_ops_and(Ops::READ | Ops::ACCEPT).unwrap(),
            Ops::READ
        );
        assert_eq!(key.interest_ops(), Ops::READ);
    });
}

#[test]
fn adding_and_removing_are_atomic_among_threads() {
    const ROUNDS: usize = 5000;
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = tcp_pair();
        let key = channel.register(&selector, Ops::empty(), ()).unwrap();
        thread::scope(|scope| {
            let togglers = [Ops::READ, Ops::WRITE, Ops::CONNECT].map(|own| {
                let key = &key;
                scope.spawn(move || {
                    for _ in 0..ROUNDS {
                        assert!(!key.interest_ops_or(own).unwrap().contains(own));
                        assert!(key.interest_ops_and(!own).unwrap().contains(own));
                    }
                })
            });
            while !togglers.iter().all(thread::ScopedJoinHandle::is_finished) {
                selector.select_now().unwrap();
                selector.selected_keys().clear();
            }
        });
        assert!(key.interest_ops().is_empty());
        assert_silent(&mut selector);
    });
}

#[test]
fn interest_given_by_another_thread_takes_effect_in_a_running_selection() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = unix_pair();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        let count = during(
            || selector.select_timeout(LONG),
            || key.set_interest_ops(Ops::WRITE).unwrap(),
        );
        assert_eq!(count.unwrap(), 1);
        assert_eq!(key.ready_ops(), Ops::WRITE);
    });
}

#[test]
fn interest_added_by_another_thread_takes_effect_in_a_running_selection() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = unix_pair();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        let count = during(
            || selector.select_timeout(LONG),
            || assert_eq!(key.interest_ops_or(Ops::WRITE).unwrap(), Ops::READ),
        );
        assert_eq!(count.unwrap(), 1);
        assert_eq!(key.ready_ops(), Ops::WRITE);
    });
}

#[test]
fn interest_taken_away_by_another_thread_takes_effect_in_a_running_selection() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let waker = selector.waker();
        let (channel, mut peer) = unix_pair();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        let count = during(
            || selector.select_timeout(LONG),
            || {
                key.set_interest_ops(Ops::empty()).unwrap();
                peer.write_all(b"x").unwrap();
                waker.wake();
            },
        );
        assert_eq!(count.unwrap(), 0);
        assert!(selector.selected_keys().is_empty());
        assert!(key.ready_ops().is_empty());
    });
}

#[test]
fn a_change_alone_does_not_end_a_selection() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (idle, _peer) = unix_pair();
        let (channel, mut other_peer) = unix_pair();
        let idle = idle.register(&selector, Ops::empty(), ()).unwrap();
        let key = channel.register(&selector, Ops::empty(), ()).unwrap();
        let count = during(
            || selector.select_timeout(LONG),
            || {
                idle.set_interest_ops(Ops::READ).unwrap();
                other_peer.write_all(b"x").unwrap();
                key.set_interest_ops(Ops::READ).unwrap();
            },
        );
        assert_eq!(count.unwrap(), 1);
        assert!(selector.selected_keys().contains(&key));
    });
}

#[test]
fn only_operations_of_the_interest_set_are_reported() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, mut peer) = unix_pair();
        peer.write_all(b"x").unwrap();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        assert_eq!(selector.select_now().unwrap(), 1);
        assert_eq!(key.ready_ops(), Ops::READ);
        drop(peer);
        assert_eq!(selector.select_now().unwrap(), 0);
        assert_eq!(key.ready_ops(), Ops::READ);
    });
}
