//! A selector that looks again and again before it blocks misses nothing, and is never short.

mod common;

use std::fs::File;
use std::hint;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use common::handover::{Line, await_number};
use common::{LONG, assert_silent, on_every_backend, read_all, unix_pair, waits_out};
use nioselect::doorbell::Policy;
use nioselect::poller::{Kind, Mode, Options};
use nioselect::{Backend, Error, Ops, Selector};

/// Runs a test on every backend, and where there may be a doorbell also without one. One test at a
/// time: they keep the processors busy.
fn on_every_engine(test: impl Fn(Backend, Policy)) {
    static TURN: Mutex<()> = Mutex::new(());
    let _alone = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    on_every_backend(|backend| {
        test(backend, Policy::Off);
        if backend == Backend::Epoll {
            test(backend, Policy::Auto);
            test(backend, Policy::Eager);
        }
    });
}

/// The time is over at any moment of a look, and what comes in that moment is found by the next.
#[test]
fn what_comes_when_the_time_is_over_is_found_afterwards() {
    const NUMBERS: u32 = 1_000;
    on_every_engine(|backend, policy| {
        let line = Line::of_every_kind().remove(0);
        let mut reader = File::from(line.reading.try_clone().unwrap());
        let mut writer = File::from(line.writing);
        let options = Options::new().doorbell(policy).spin(LONG);
        let mut poller = options.open(backend).unwrap();
        let registered = poller.register(line.reading, Kind::Other, Ops::READ, Mode::Level);
        registered.unwrap();
        let mut finds = |timeout| {
            let waited = poller.wait(Some(timeout), |_, _, _| {}).unwrap();
            waited.reported == 1
        };
        let (wanted, written) = (AtomicU32::new(0), AtomicU32::new(0));
        thread::scope(|scope| {
            scope.spawn(|| {
                for number in 1..=NUMBERS {
                    await_number(&wanted, number);
                    // A prime, so that it comes at any moment.
                    (0..number * 7919 % 500).for_each(|_| hint::spin_loop());
                    writer.write_all(b"x").unwrap();
                    written.store(number, Ordering::Release);
                }
            });
            for number in 1..=NUMBERS {
                (0..3).for_each(|_| assert!(!finds(Duration::ZERO), "there is nothing"));
                wanted.store(number, Ordering::Release);
                for look in 1.. {
                    let is_there = written.load(Ordering::Acquire) == number;
                    if finds(Duration::from_nanos(u64::from(number % 1000))) {
                        break;
                    }
                    assert!(!is_there, "number {number}");
                    // There may be fewer processors than threads.
                    if look % 16 == 0 {
                        thread::yield_now();
                    }
                }
                await_number(&written, number);
                reader.read_exact(&mut [0]).unwrap();
            }
        });
    });
}

fn selector<A>(backend: Backend, policy: Policy, spin: Duration) -> Selector<A> {
    let builder = Selector::builder().backend(backend).doorbell(policy);
    builder.spin(spin).open().unwrap()
}

/// With spins that end before what is awaited comes, and such as do not.
fn on_every_spin(test: impl Fn(&dyn Fn() -> Selector<()>)) {
    on_every_engine(|backend, policy| {
        for spin in [
            Duration::from_nanos(1),
            Duration::from_micros(100),
            Duration::MAX,
        ] {
            println!("doorbell {policy}, spin {spin:?}");
            test(&|| selector(backend, policy, spin));
        }
    });
}

/// What `select` answers while another thread acts, a moment later.
fn meanwhile<R>(select: impl FnOnce() -> R, act: impl FnOnce() + Send) -> R {
    thread::scope(|scope| {
        scope.spawn(|| {
            (0..10).for_each(|_| thread::yield_now());
            act();
        });
        select()
    })
}

const ROUNDS: u32 = 20;

#[test]
fn what_comes_ends_the_wait() {
    on_every_spin(|open| {
        let mut selector = open();
        let (ours, mut theirs) = unix_pair();
        ours.register(&selector, Ops::READ, ()).unwrap();
        for round in 0..ROUNDS {
            let write = || theirs.write_all(b"x").unwrap();
            let count = if round % 2 == 0 {
                meanwhile(|| selector.select(), write)
            } else {
                meanwhile(|| selector.select_timeout(LONG), write)
            };
            assert_eq!(count.unwrap(), 1);
            selector.selected_keys().clear();
            assert_eq!(read_all(&ours), b"x");
        }
        meanwhile(
            || assert_eq!(selector.select_with(|_| {}).unwrap(), 1),
            || drop(theirs),
        );
    });
}

#[test]
fn what_is_there_is_not_waited_for() {
    on_every_spin(|open| {
        let mut selector = open();
        let (ours, mut theirs) = unix_pair();
        ours.register(&selector, Ops::READ, ()).unwrap();
        theirs.write_all(b"x").unwrap();
        for _ in 0..ROUNDS {
            selector.selected_keys().clear();
            assert_eq!(selector.select().unwrap(), 1);
        }
    });
}

#[test]
fn a_wakeup_ends_the_wait_once() {
    on_every_spin(|open| {
        let mut selector = open();
        let waker = selector.waker();
        for _ in 0..ROUNDS {
            let count = meanwhile(|| selector.select(), || waker.wake());
            assert_eq!(count.unwrap(), 0);
            assert_eq!(selector.select_now().unwrap(), 0);
            waits_out(&mut selector, Duration::from_micros(50));
        }
    });
}

#[test]
fn a_change_of_another_thread_is_taken_in() {
    on_every_spin(|open| {
        let mut selector = open();
        let (ours, _theirs) = unix_pair();
        let key = ours.register(&selector, Ops::READ, ()).unwrap();
        for _ in 0..ROUNDS {
            let change = || key.set_interest_ops(Ops::WRITE).unwrap();
            assert_eq!(meanwhile(|| selector.select(), change).unwrap(), 1);
            selector.selected_keys().clear();
            key.set_interest_ops(Ops::READ).unwrap();
        }
        let (handle, more) = (selector.handle(), unix_pair().0);
        let register = || drop(handle.register(&more, Ops::WRITE, ()).unwrap());
        assert_eq!(meanwhile(|| selector.select(), register).unwrap(), 1);
    });
}

#[test]
fn the_end_of_the_selector_ends_the_wait() {
    on_every_spin(|open| {
        let mut selector = open();
        let handle = selector.handle();
        let ended = meanwhile(|| selector.select(), || handle.close());
        // Closed before the wait has begun, or in it.
        assert!(matches!(ended, Ok(0) | Err(Error::ClosedSelector)));
        let refused = selector.select_now();
        assert!(matches!(refused, Err(Error::ClosedSelector)));
    });
}

#[test]
fn a_timeout_is_never_short() {
    on_every_spin(|open| {
        let mut selector = open();
        let (ours, _theirs) = unix_pair();
        ours.register(&selector, Ops::READ, ()).unwrap();
        for microseconds in [1, 50, 99, 100, 101, 150, 1000, 2500] {
            for _ in 0..ROUNDS {
                waits_out(&mut selector, Duration::from_micros(microseconds));
            }
        }
        waits_out(&mut selector, Duration::from_nanos(1));
    });
}

/// After some waits in which nothing came it blocks at once.
#[test]
fn a_spin_that_is_of_no_use_is_not_tried_for_ever() {
    const SPIN: Duration = Duration::from_micros(200);
    on_every_engine(|backend, policy| {
        let mut selector = selector::<()>(backend, policy, SPIN);
        for _ in 0..10 {
            waits_out(&mut selector, 10 * SPIN);
        }
        for _ in 0..10 {
            let before = selector.statistics().waits;
            waits_out(&mut selector, 10 * SPIN);
            let waits = selector.statistics().waits - before;
            assert!(waits <= 5, "{waits} looks and waits");
        }
        assert_silent(&mut selector);
    });
}

/// Nor if the time is over before the spin is.
#[test]
fn spins_that_are_cut_short_are_not_tried_for_ever() {
    const TIMEOUT: Duration = Duration::from_micros(100);
    on_every_engine(|backend, policy| {
        let mut selector = selector::<()>(backend, policy, 100 * TIMEOUT);
        for _ in 0..50 {
            waits_out(&mut selector, TIMEOUT);
        }
        let spins = (0..50).filter(|_| {
            let before = selector.statistics().waits;
            waits_out(&mut selector, TIMEOUT);
            selector.statistics().waits - before > 5
        });
        let spins = spins.count();
        assert!(spins < 10, "{spins} of 50");
    });
}
