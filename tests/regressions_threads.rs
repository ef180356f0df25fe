//! Faults that only threads can show, against a selector that is running.

mod common;

use std::hint;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use common::{HangGuard, nonblocking, on_every_backend, pipe, selector, unix_pair, until};
use nioselect::{Backend, Error, Mode, Ops, SelectionKey, Selector, SelectorHandle};

const WORKERS: usize = 4;

/// How long the threads of one test do what they do, for each backend.
const STRESS: Duration = Duration::from_millis(500);

/// How often a key was reported.
type Reports = Arc<AtomicU64>;

/// Runs `work` in several threads, which get their numbers, while another selects.
fn against_a_running_selector(
    backend: Backend,
    work: impl Fn(usize, &SelectorHandle<Reports>) + Sync,
) {
    let _guard = HangGuard::new(format!("a running selector on {backend}"));
    let selector = selector(backend);
    let handle = selector.handle();
    thread::scope(|scope| {
        let selecting = scope.spawn(move || serve(selector));
        let (work, handle) = (&work, &handle);
        let workers: Vec<_> = (0..WORKERS)
            .map(|number| scope.spawn(move || work(number, handle)))
            .collect();
        let outcomes: Vec<_> = workers
            .into_iter()
            .map(thread::ScopedJoinHandle::join)
            .collect();
        handle.close();
        assert!(selecting.join().is_ok(), "the selecting thread has failed");
        assert!(outcomes.iter().all(Result::is_ok), "a worker has failed");
    });
}

/// The selecting thread, until the selector is closed.
fn serve(mut selector: Selector<Reports>) {
    let count = |reports: &Reports| {
        reports.fetch_add(1, Ordering::Relaxed);
    };
    while selector
        .select_with(|mut key| count(key.attachment()))
        .is_ok()
    {}
}

/// Calls `round` with its number until the time is over.
fn again_and_again(mut round: impl FnMut(usize)) {
    let end = Instant::now() + STRESS;
    let mut number = 0;
    while Instant::now() < end {
        round(number);
        number += 1;
    }
}

#[test]
fn a_channel_never_stands_in_its_own_way() {
    on_every_backend(|backend| {
        let source = pipe().source;
        against_a_running_selector(backend, |_, handle| {
            again_and_again(
                |_| match source.register(handle, Ops::READ, Reports::default()) {
                    Ok(key) => key.cancel(),
                    Err(Error::CancelledKey) => thread::yield_now(),
                    Err(error) => panic!("{error}"),
                },
            );
        });
        assert!(!source.is_registered());
    });
}

/// Two channel objects with the same descriptor, of which at most one is registered: letting go
/// of one must not be taken for letting go of the other.
#[test]
fn channels_that_share_a_descriptor_keep_each_other_out() {
    on_every_backend(|backend| {
        let descriptor = Arc::new(OwnedFd::from(io::pipe().unwrap().0));
        let siblings = [(); 2].map(|()| nonblocking(Arc::clone(&descriptor)));
        against_a_running_selector(backend, |worker, handle| {
            let own = &siblings[worker % 2];
            let register = || match own.register(handle, Ops::READ, Reports::default()) {
                Ok(key) => Some(key),
                Err(Error::AlreadyRegistered { .. } | Error::CancelledKey) => None,
                Err(error) => panic!("{error}"),
            };
            again_and_again(|_| {
                if let Some(key) = register() {
                    register();
                    key.cancel();
                }
            });
            // Nothing is left of the others: sooner or later its turn comes.
            until(|| register().inspect(SelectionKey::cancel).is_some());
        });
        assert!(siblings.iter().all(|sibling| !sibling.is_registered()));
    });
}

/// Each worker has a pipe that stays readable, and makes its key a one-shot with the interest
/// `before`, then registers it again as level. The one-shot may fire at any time; it must not
/// disarm what has come after it.
fn level_after_one_shot(before: Ops) {
    on_every_backend(|backend| {
        against_a_running_selector(backend, |_, handle| {
            let mut pipe = pipe();
            pipe.sink.write_all(b"x").unwrap();
            let reports = Reports::default();
            let register = |interest, mode| {
                let reports = Arc::clone(&reports);
                let source = &pipe.source;
                handle.register_with_mode(source, interest, mode, reports)
            };
            again_and_again(|round| {
                let key = register(before, Mode::OneShot).unwrap();
                // Anywhere in the course of a selection.
                for _ in 0..round % 400 {
                    hint::spin_loop();
                }
                register(Ops::READ, Mode::Level).unwrap();
                assert_eq!((key.mode(), key.interest_ops()), (Mode::Level, Ops::READ));
            });
            // One report may still be of what was registered before.
            let known = reports.load(Ordering::Relaxed);
            until(|| reports.load(Ordering::Relaxed) > known + 1);
        });
    });
}

#[test]
fn a_one_shot_that_is_registered_again_as_level_keeps_its_interest() {
    level_after_one_shot(Ops::READ);
}

#[test]
fn a_disarmed_one_shot_that_is_registered_again_as_level_gets_its_interest() {
    level_after_one_shot(Ops::empty());
}

/// What the kernel found is reported as it was asked for, although another thread has changed
/// its mind meanwhile: nothing is told to the kernel but the changes themselves.
#[test]
fn interest_that_changes_during_a_look_costs_no_more_than_the_change() {
    const CHANGES: u64 = 250;
    // To tell the kernel everything anew would cost more than all changes.
    const IDLE: usize = 400;
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let idle: Vec<_> = (0..IDLE).map(|_| unix_pair()).collect();
        for (channel, _peer) in &idle {
            channel.register(&selector, Ops::READ, ()).unwrap();
        }
        let (busy, _peer) = unix_pair();
        let key = busy.register(&selector, Ops::WRITE, ()).unwrap();
        selector.select_now().unwrap();
        for _ in 0..5 {
            let before = selector.statistics().changes;
            thread::scope(|scope| {
                let toggling = scope.spawn(|| toggle(&key, CHANGES));
                while !toggling.is_finished() {
                    selector.selected_keys().clear();
                    selector.select_now().unwrap();
                }
            });
            let changes = selector.statistics().changes - before;
            assert!(changes <= CHANGES + 1, "{changes} for {CHANGES} changes");
        }
    });
}

fn toggle(key: &SelectionKey, times: u64) {
    for time in 0..times {
        let interest = if time % 2 == 0 {
            Ops::empty()
        } else {
            Ops::WRITE
        };
        key.set_interest_ops(interest).unwrap();
        thread::yield_now();
    }
}
