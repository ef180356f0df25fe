//! Timeouts: never short, whatever their length.

mod common;

use std::time::{Duration, Instant};

use common::{during, on_every_backend, returns_early, selector, unix_pair, waits_out};
use nioselect::Ops;

#[test]
fn a_timeout_is_never_short() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = unix_pair();
        channel.register(&selector, Ops::READ, ()).unwrap();
        for microseconds in [1, 10, 999, 1000, 1001, 1999, 2500, 20_000] {
            for _ in 0..5 {
                waits_out(&mut selector, Duration::from_micros(microseconds));
            }
        }
        waits_out(&mut selector, Duration::from_nanos(1));
    });
}

#[test]
fn a_short_timeout_is_waited_for_and_not_polled_for() {
    on_every_backend(|backend| {
        let mut selector = selector::<()>(backend);
        for timeout in [Duration::from_nanos(1), Duration::from_micros(500)] {
            let before = selector.statistics().waits;
            waits_out(&mut selector, timeout);
            assert!(selector.statistics().waits - before <= 5);
        }
    });
}

#[test]
fn a_timeout_with_a_callback_is_never_short() {
    on_every_backend(|backend| {
        let mut selector = selector::<()>(backend);
        let (timeout, started) = (Duration::from_millis(5), Instant::now());
        let count = selector.select_timeout_with(timeout, |selected| panic!("{selected:?}"));
        assert_eq!(count.unwrap(), 0);
        assert!(started.elapsed() >= timeout);
    });
}

#[test]
fn a_change_during_the_wait_does_not_shorten_it() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = unix_pair();
        let key = channel.register(&selector, Ops::empty(), ()).unwrap();
        during(
            || waits_out(&mut selector, Duration::from_millis(50)),
            || key.set_interest_ops(Ops::READ).unwrap(),
        );
    });
}

#[test]
fn no_time_at_all_is_not_waited_for() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = unix_pair();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        let before = selector.statistics().waits;
        assert_eq!(selector.select_timeout(Duration::ZERO).unwrap(), 0);
        assert_eq!(selector.statistics().waits, before + 1);
        key.set_interest_ops(Ops::WRITE).unwrap();
        assert_eq!(selector.select_timeout(Duration::ZERO).unwrap(), 1);
    });
}

#[test]
fn a_timeout_longer_than_any_clock_can_be_woken() {
    on_every_backend(|backend| {
        let mut selector = selector::<()>(backend);
        let waker = selector.waker();
        let days = |days: u64| Duration::from_secs(days * 24 * 60 * 60);
        for timeout in [days(2), days(25), days(50), days(1_000_000), Duration::MAX] {
            let count = during(|| selector.select_timeout(timeout), || waker.wake());
            assert_eq!(count.unwrap(), 0);
        }
    });
}

#[test]
fn a_channel_that_becomes_ready_ends_the_longest_timeout() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, peer) = unix_pair();
        channel.register(&selector, Ops::READ, ()).unwrap();
        let count = during(|| selector.select_timeout(Duration::MAX), || drop(peer));
        assert_eq!(count.unwrap(), 1);
    });
}

#[test]
fn a_ready_channel_does_not_wait_for_the_timeout() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, _peer) = unix_pair();
        channel.register(&selector, Ops::WRITE, ()).unwrap();
        assert_eq!(returns_early(&mut selector), 1);
    });
}
