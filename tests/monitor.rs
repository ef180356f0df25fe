//! Watchers: who is called when, what they may do, and how a run ends.

mod common;

use std::cell::{Cell, RefCell};
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::time::{Duration, Instant};

use common::{HangGuard, LONG, during, nonblocking, on_every_backend, unix_pair};
use nioselect::doorbell::{Policy, State};
use nioselect::{Backend, Error, Monitor, Ops, SelectableChannel, Selector};

type Channel = SelectableChannel<UnixStream>;

/// Long enough to be told from no time at all.
const SHORT: Duration = Duration::from_millis(20);

fn on_every_monitor(test: impl Fn(Monitor)) {
    on_every_backend(|backend| {
        let _guard = HangGuard::new(format!("a monitor over {backend}"));
        test(open(backend));
    });
}

fn open(backend: Backend) -> Monitor {
    Monitor::open_with(backend).expect("the backend was probed")
}

/// A channel that stays readable, and its peer.
fn readable() -> (Rc<Channel>, UnixStream) {
    let (channel, mut peer) = unix_pair();
    peer.write_all(b"x").unwrap();
    (Rc::new(channel), peer)
}

/// Counts calls.
#[derive(Clone, Default)]
struct Calls(Rc<Cell<usize>>);

impl Calls {
    fn get(&self) -> usize {
        self.0.get()
    }

    fn watcher(&self) -> impl FnMut(&mut Monitor, Ops) + 'static {
        let calls = self.clone();
        move |_, _| calls.add()
    }

    fn add(&self) {
        self.0.set(self.0.get() + 1);
    }
}

/// Whoever is called first does something to the other.
fn pair_of_readable() -> [(Rc<Channel>, UnixStream); 2] {
    [readable(), readable()]
}

/// The selector below is as its builder would make it.
#[test]
fn a_builder_makes_a_monitor() {
    on_every_backend(|backend| {
        let builder = || Selector::builder().backend(backend);
        let mut monitor = Monitor::from_builder(&builder().event_capacity(1)).unwrap();
        let (calls, channels) = (Calls::default(), pair_of_readable());
        for (channel, _) in &channels {
            monitor.set(channel, Ops::READ, calls.watcher()).unwrap();
        }
        assert_eq!(monitor.run_now().unwrap(), 1);
        assert_eq!(monitor.run_now().unwrap(), 1);

        for policy in [Policy::Off, Policy::On] {
            let monitor = Monitor::from_builder(&builder().doorbell(policy)).unwrap();
            let has_none = policy == Policy::Off || backend != Backend::Epoll;
            let expected = if has_none { State::Off } else { State::Idle };
            assert_eq!(monitor.doorbell().state, expected);
        }
    });
}

#[test]
fn a_watcher_is_called_with_what_its_channel_is_ready_for() {
    on_every_monitor(|mut monitor| {
        let (channel, mut peer) = unix_pair();
        let seen = Rc::new(RefCell::new(Vec::new()));
        let log = Rc::clone(&seen);
        monitor
            .set(&channel, Ops::READ | Ops::WRITE, move |_, ready| {
                log.borrow_mut().push(ready);
            })
            .unwrap();
        assert_eq!(monitor.run_once().unwrap(), 1);
        peer.write_all(b"x").unwrap();
        assert_eq!(monitor.run_once().unwrap(), 1);
        assert_eq!(*seen.borrow(), [Ops::WRITE, Ops::READ | Ops::WRITE]);
    });
}

#[test]
fn a_channel_that_stays_ready_is_reported_by_every_run() {
    on_every_monitor(|mut monitor| {
        let (channel, _peer) = readable();
        let calls = Calls::default();
        monitor.set(&channel, Ops::READ, calls.watcher()).unwrap();
        for _ in 0..3 {
            assert_eq!(monitor.run_once().unwrap(), 1);
        }
        channel.as_ref().read_exact(&mut [0]).unwrap();
        assert_eq!(monitor.run_now().unwrap(), 0);
        assert_eq!(calls.get(), 3);
    });
}

#[test]
fn one_run_calls_all_that_are_ready_and_nobody_else() {
    on_every_monitor(|mut monitor| {
        let calls = Calls::default();
        let ready: Vec<_> = (0..10).map(|_| readable()).collect();
        let idle: Vec<_> = (0..10).map(|_| unix_pair()).collect();
        for (channel, _) in &ready {
            monitor.set(channel, Ops::READ, calls.watcher()).unwrap();
        }
        for (channel, _) in &idle {
            monitor
                .set(channel, Ops::READ, |_, _| panic!("it is not ready"))
                .unwrap();
        }
        assert_eq!(monitor.run_once().unwrap(), 10);
        assert_eq!(calls.get(), 10);
    });
}

#[test]
fn a_run_that_does_not_wait_finds_nothing() {
    on_every_monitor(|mut monitor| {
        let (channel, _peer) = unix_pair();
        assert_eq!(monitor.run_now().unwrap(), 0);
        monitor.set(&channel, Ops::READ, |_, _| {}).unwrap();
        assert_eq!(monitor.run_now().unwrap(), 0);
    });
}

#[test]
fn a_run_with_a_timeout_lasts_as_long_as_nothing_is_ready() {
    on_every_monitor(|mut monitor| {
        let (channel, mut peer) = unix_pair();
        monitor.set(&channel, Ops::READ, |_, _| {}).unwrap();
        let started = Instant::now();
        assert_eq!(monitor.run_once_timeout(SHORT).unwrap(), 0);
        assert!(started.elapsed() >= SHORT);
        let count = during(
            || monitor.run_once_timeout(LONG),
            move || peer.write_all(b"x").unwrap(),
        );
        assert_eq!(count.unwrap(), 1);
    });
}

#[test]
fn setting_again_replaces_the_watcher_and_the_interest() {
    on_every_monitor(|mut monitor| {
        let (channel, _peer) = readable();
        let (first, second) = (Calls::default(), Calls::default());
        monitor.set(&channel, Ops::READ, first.watcher()).unwrap();
        monitor.set(&channel, Ops::READ, second.watcher()).unwrap();
        assert_eq!(monitor.len(), 1);
        assert_eq!(monitor.run_once().unwrap(), 1);
        assert_eq!((first.get(), second.get()), (0, 1));

        let (seen, log) = seen();
        monitor.set(&channel, Ops::WRITE, log).unwrap();
        assert_eq!(monitor.run_once().unwrap(), 1);
        assert_eq!(seen.get(), Ops::WRITE);
    });
}

/// What a watcher was called with last.
fn seen() -> (Rc<Cell<Ops>>, impl FnMut(&mut Monitor, Ops)) {
    let seen = Rc::new(Cell::new(Ops::empty()));
    let log = Rc::clone(&seen);
    (seen, move |_: &mut Monitor, ready| log.set(ready))
}

#[test]
fn a_removed_watcher_is_not_called() {
    on_every_monitor(|mut monitor| {
        let (channel, _peer) = readable();
        let calls = Calls::default();
        assert!(!monitor.remove(&channel));
        monitor.set(&channel, Ops::READ, calls.watcher()).unwrap();
        assert!(monitor.remove(&channel));
        assert!(!monitor.remove(&channel));
        assert_eq!(monitor.run_now().unwrap(), 0);
        assert!(!monitor.remove(&channel));
        assert_eq!(calls.get(), 0);

        monitor.set(&channel, Ops::READ, calls.watcher()).unwrap();
        assert_eq!(monitor.run_once().unwrap(), 1);
    });
}

#[test]
fn a_removed_watcher_is_dropped_at_once() {
    on_every_monitor(|mut monitor| {
        let (channel, _peer) = readable();
        let owned = Rc::new(());
        let held = Rc::clone(&owned);
        monitor
            .set(&channel, Ops::READ, move |_, _| drop(Rc::clone(&held)))
            .unwrap();
        monitor.run_once().unwrap();
        assert_eq!(Rc::strong_count(&owned), 2);
        monitor.remove(&channel);
        assert_eq!(Rc::strong_count(&owned), 1);
    });
}

#[test]
fn the_monitor_tells_how_many_channels_are_watched() {
    on_every_monitor(|mut monitor| {
        let (first, _peer) = unix_pair();
        let (second, _other_peer) = unix_pair();
        assert!(monitor.is_empty());
        monitor.set(&first, Ops::READ, |_, _| {}).unwrap();
        monitor.set(&second, Ops::READ, |_, _| {}).unwrap();
        monitor.set(&second, Ops::READ, |_, _| {}).unwrap();
        assert_eq!(monitor.len(), 2);
        assert!(!monitor.is_empty());
        monitor.remove(&first);
        assert_eq!(monitor.len(), 1);
        drop(second);
        monitor.run_now().unwrap();
        assert!(monitor.is_empty());
    });
}

#[test]
fn a_watcher_may_remove_itself() {
    on_every_monitor(|mut monitor| {
        let (channel, _peer) = readable();
        let own = Rc::clone(&channel);
        monitor
            .set(&channel, Ops::READ, move |monitor, _| {
                assert!(monitor.remove(&own));
                assert!(!monitor.remove(&own));
            })
            .unwrap();
        assert_eq!(monitor.run_once().unwrap(), 1);
        assert!(monitor.is_empty());
        assert_eq!(monitor.run_now().unwrap(), 0);
        assert_eq!(Rc::strong_count(&channel), 1, "the watcher is dropped");
    });
}

#[test]
fn a_watcher_that_is_removed_in_the_run_that_would_call_it_is_not_called() {
    on_every_monitor(|mut monitor| {
        let pair = pair_of_readable();
        let calls = Calls::default();
        for (own, other) in [(0, 1), (1, 0)] {
            let (calls, other) = (calls.clone(), Rc::clone(&pair[other].0));
            monitor
                .set(&pair[own].0, Ops::READ, move |monitor, _| {
                    calls.add();
                    monitor.remove(&other);
                })
                .unwrap();
        }
        assert_eq!(monitor.run_once().unwrap(), 1);
        assert_eq!((calls.get(), monitor.len()), (1, 1));
    });
}

#[test]
fn a_watcher_that_is_replaced_in_the_run_that_would_call_it_is_not_called() {
    on_every_monitor(|mut monitor| {
        let pair = pair_of_readable();
        let (old, new) = (Calls::default(), Calls::default());
        for (own, other) in [(0, 1), (1, 0)] {
            let (old, new) = (old.clone(), new.clone());
            let other = Rc::clone(&pair[other].0);
            monitor
                .set(&pair[own].0, Ops::READ, move |monitor, _| {
                    old.add();
                    monitor.set(&other, Ops::READ, new.watcher()).unwrap();
                })
                .unwrap();
        }
        assert_eq!(monitor.run_once().unwrap(), 2);
        assert_eq!((old.get(), new.get()), (1, 1));
    });
}

#[test]
fn a_watcher_that_is_set_for_something_else_in_the_run_is_called_only_for_that() {
    on_every_monitor(|mut monitor| {
        let pair = pair_of_readable();
        let calls = Calls::default();
        for (own, other) in [(0, 1), (1, 0)] {
            let (calls, other) = (calls.clone(), Rc::clone(&pair[other].0));
            monitor
                .set(&pair[own].0, Ops::READ, move |monitor, _| {
                    let calls = calls.clone();
                    let watcher = move |_: &mut Monitor, ready| {
                        assert_eq!(ready, Ops::WRITE);
                        calls.add();
                    };
                    monitor.set(&other, Ops::WRITE, watcher).unwrap();
                })
                .unwrap();
        }
        assert_eq!(monitor.run_once().unwrap(), 1);
        assert_eq!(calls.get(), 0);
        assert_eq!(monitor.run_once().unwrap(), 2);
        assert_eq!(calls.get(), 1);
    });
}

#[test]
fn a_watcher_may_set_others() {
    on_every_monitor(|mut monitor| {
        let pair = pair_of_readable();
        let calls = Calls::default();
        let (later, other) = (calls.clone(), Rc::clone(&pair[1].0));
        monitor
            .set(&pair[0].0, Ops::READ, move |monitor, _| {
                monitor.set(&other, Ops::READ, later.watcher()).unwrap();
            })
            .unwrap();
        assert_eq!(monitor.run_once().unwrap(), 1);
        assert_eq!((calls.get(), monitor.len()), (0, 2));
        assert_eq!(monitor.run_once().unwrap(), 2);
        assert_eq!(calls.get(), 1);
    });
}

#[test]
fn a_watcher_may_replace_itself() {
    on_every_monitor(|mut monitor| {
        let (channel, _peer) = readable();
        let calls = Calls::default();
        let (own, next) = (Rc::clone(&channel), calls.clone());
        monitor
            .set(&channel, Ops::READ, move |monitor, _| {
                monitor.set(&own, Ops::READ, next.watcher()).unwrap();
            })
            .unwrap();
        for expected in [0, 0, 1] {
            assert_eq!(calls.get(), expected);
            assert_eq!(monitor.run_once().unwrap(), 1);
        }
        assert_eq!(monitor.len(), 1);
        assert_eq!(
            Rc::strong_count(&channel),
            1,
            "the first watcher is dropped"
        );
    });
}

#[test]
fn a_watcher_may_remove_and_set_itself() {
    on_every_monitor(|mut monitor| {
        let (channel, _peer) = readable();
        let calls = Calls::default();
        let (own, next) = (Rc::clone(&channel), calls.clone());
        monitor
            .set(&channel, Ops::READ, move |monitor, _| {
                assert!(monitor.remove(&own));
                monitor.set(&own, Ops::READ, next.watcher()).unwrap();
            })
            .unwrap();
        assert_eq!(monitor.run_once().unwrap(), 1);
        assert_eq!(monitor.run_once().unwrap(), 1);
        assert_eq!((calls.get(), monitor.len()), (1, 1));
    });
}

#[test]
fn a_watcher_may_drop_its_channel() {
    on_every_monitor(|mut monitor| {
        let (channel, mut peer) = unix_pair();
        peer.write_all(b"x").unwrap();
        let owner = Rc::new(RefCell::new(None));
        let own = Rc::clone(&owner);
        let watcher = move |_: &mut Monitor, _| drop(own.borrow_mut().take());
        monitor.set(&channel, Ops::READ, watcher).unwrap();
        owner.replace(Some(channel));
        assert_eq!(monitor.run_once().unwrap(), 1);
        assert_eq!(monitor.run_now().unwrap(), 0);
        assert!(monitor.is_empty());
        assert_eq!(
            peer.write(b"x").unwrap_err().kind(),
            std::io::ErrorKind::BrokenPipe
        );
    });
}

#[test]
fn a_watcher_that_owns_its_channel_closes_it_by_removing_itself() {
    on_every_monitor(|mut monitor| {
        let (channel, mut peer) = readable();
        let own = Rc::clone(&channel);
        monitor
            .set(&channel, Ops::READ, move |monitor, _| {
                assert!(monitor.remove(&own));
            })
            .unwrap();
        drop(channel);
        monitor.run().unwrap();
        assert_eq!(
            peer.write(b"x").unwrap_err().kind(),
            std::io::ErrorKind::BrokenPipe
        );
    });
}

#[test]
fn a_watcher_may_run_the_monitor() {
    on_every_monitor(|mut monitor| {
        let pair = pair_of_readable();
        let calls = Calls::default();
        let mut nested = 0;
        monitor
            .set(&pair[0].0, Ops::READ, move |monitor, _| {
                assert_eq!(nested, 0, "it is called while it runs");
                nested += 1;
                monitor.run_now().unwrap();
                monitor.run_once().unwrap();
                nested -= 1;
            })
            .unwrap();
        monitor.set(&pair[1].0, Ops::READ, calls.watcher()).unwrap();
        monitor.run_once().unwrap();
        assert!(calls.get() >= 2);
        let before = calls.get();
        monitor.run_once().unwrap();
        assert!(calls.get() >= before + 2);
        assert_eq!(monitor.len(), 2);
    });
}

#[test]
fn a_watcher_may_be_removed_in_a_run_that_it_has_begun() {
    on_every_monitor(|mut monitor| {
        let pair = pair_of_readable();
        let outer = Rc::clone(&pair[0].0);
        monitor
            .set(&pair[0].0, Ops::READ, |monitor, _| {
                monitor.run_once().unwrap();
                monitor.run_now().unwrap();
            })
            .unwrap();
        monitor
            .set(&pair[1].0, Ops::READ, move |monitor, _| {
                monitor.remove(&outer);
            })
            .unwrap();
        monitor.run_once().unwrap();
        assert!(!monitor.remove(&pair[0].0));
        assert_eq!(monitor.len(), 1);
        assert_eq!(monitor.run_once().unwrap(), 1);
    });
}

#[test]
fn a_run_within_a_watcher_waits_though_the_watcher_itself_is_ready() {
    on_every_monitor(|mut monitor| {
        let (channel, _peer) = readable();
        monitor
            .set(&channel, Ops::READ, |monitor, _| {
                let (started, before) = (Instant::now(), monitor.statistics().waits);
                assert_eq!(monitor.run_once_timeout(SHORT).unwrap(), 0);
                assert!(started.elapsed() >= SHORT, "it returned early");
                let waits = monitor.statistics().waits - before;
                assert!(waits <= 5, "{waits} waits for one silence");
            })
            .unwrap();
        assert_eq!(monitor.run_once().unwrap(), 1);
        assert_eq!(monitor.run_once().unwrap(), 1, "it is watched again");
    });
}

#[test]
fn a_watcher_that_panics_is_removed_and_the_others_go_on() {
    on_every_monitor(|mut monitor| {
        let pair = pair_of_readable();
        let calls = Calls::default();
        monitor
            .set(&pair[0].0, Ops::READ, |_, _| {
                std::panic::resume_unwind(Box::new("mine"))
            })
            .unwrap();
        monitor.set(&pair[1].0, Ops::READ, calls.watcher()).unwrap();
        let panic = catch_unwind(AssertUnwindSafe(|| monitor.run_once())).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"mine"));
        assert_eq!(monitor.len(), 1);
        assert!(!monitor.remove(&pair[0].0));
        let before = calls.get();
        assert_eq!(monitor.run_once().unwrap(), 1);
        assert_eq!(calls.get(), before + 1);

        monitor.set(&pair[0].0, Ops::READ, calls.watcher()).unwrap();
        assert_eq!(monitor.run_once().unwrap(), 2);
    });
}

#[test]
fn what_a_watcher_has_set_in_its_place_survives_its_panic() {
    on_every_monitor(|mut monitor| {
        let (channel, _peer) = readable();
        let calls = Calls::default();
        let (own, next) = (Rc::clone(&channel), calls.clone());
        monitor
            .set(&channel, Ops::READ, move |monitor, _| {
                monitor.set(&own, Ops::READ, next.watcher()).unwrap();
                std::panic::resume_unwind(Box::new("mine"));
            })
            .unwrap();
        catch_unwind(AssertUnwindSafe(|| monitor.run_once())).unwrap_err();
        assert_eq!(monitor.len(), 1);
        assert_eq!(monitor.run_now().unwrap(), 1);
        assert_eq!(calls.get(), 1);
    });
}

#[test]
fn a_run_ends_when_the_last_watcher_is_removed() {
    on_every_monitor(|mut monitor| {
        monitor.run().unwrap();
        let (channel, _peer) = readable();
        let (own, mut left) = (Rc::clone(&channel), 3);
        monitor
            .set(&channel, Ops::READ, move |monitor, _| {
                left -= 1;
                if left == 0 {
                    monitor.remove(&own);
                }
            })
            .unwrap();
        monitor.run().unwrap();
        assert!(monitor.is_empty());
        monitor.run().unwrap();
    });
}

#[test]
fn a_run_ends_when_the_last_channel_is_dropped() {
    on_every_monitor(|mut monitor| {
        let (channel, _peer) = readable();
        let idle = RefCell::new(Some(unix_pair().0));
        monitor
            .set(idle.borrow().as_ref().unwrap(), Ops::empty(), |_, _| {})
            .unwrap();
        let own = Rc::clone(&channel);
        monitor
            .set(&channel, Ops::READ, move |monitor, _| {
                drop(idle.borrow_mut().take());
                monitor.remove(&own);
            })
            .unwrap();
        monitor.run().unwrap();
        assert!(monitor.is_empty());
    });
}

#[test]
fn a_run_ends_when_another_thread_drops_the_last_channel() {
    on_every_monitor(|mut monitor| {
        let (channel, _peer) = unix_pair();
        monitor.set(&channel, Ops::READ, |_, _| {}).unwrap();
        during(|| monitor.run(), move || drop(channel)).unwrap();
        assert!(monitor.is_empty());
    });
}

#[test]
fn a_watcher_stops_the_run() {
    on_every_monitor(|mut monitor| {
        let (channel, _peer) = readable();
        let (stopper, calls) = (monitor.stopper(), Calls::default());
        let count = calls.clone();
        monitor
            .set(&channel, Ops::READ, move |_, _| {
                count.add();
                if count.get() % 3 == 0 {
                    stopper.stop();
                }
            })
            .unwrap();
        monitor.run().unwrap();
        assert_eq!(calls.get(), 3);
        monitor.run().unwrap();
        assert_eq!(calls.get(), 6);
    });
}

#[test]
fn another_thread_stops_the_run() {
    on_every_monitor(|mut monitor| {
        let (channel, _peer) = unix_pair();
        monitor.set(&channel, Ops::READ, |_, _| {}).unwrap();
        for _ in 0..20 {
            let stopper = monitor.stopper();
            during(|| monitor.run(), move || stopper.stop()).unwrap();
        }
        assert_eq!(monitor.len(), 1);
    });
}

#[test]
fn a_stop_before_a_run_ends_it_before_anything_is_called() {
    on_every_monitor(|mut monitor| {
        let (channel, _peer) = readable();
        let calls = Calls::default();
        let (stopper, count) = (monitor.stopper(), calls.clone());
        let again = stopper.clone();
        monitor
            .set(&channel, Ops::READ, move |_, _| {
                count.add();
                again.stop();
            })
            .unwrap();
        stopper.stop();
        stopper.stop();
        monitor.run().unwrap();
        assert_eq!(calls.get(), 0);
        monitor.run().unwrap();
        assert_eq!(calls.get(), 1);
    });
}

#[test]
fn a_stop_ends_a_single_run_that_waits() {
    on_every_monitor(|mut monitor| {
        let (channel, _peer) = unix_pair();
        monitor.set(&channel, Ops::READ, |_, _| {}).unwrap();
        let stopper = monitor.stopper();
        assert_eq!(during(|| monitor.run_once(), || stopper.stop()).unwrap(), 0);
    });
}

#[test]
fn a_stop_that_has_ended_a_run_does_not_end_another_wait() {
    on_every_monitor(|mut monitor| {
        let (channel, _peer) = unix_pair();
        monitor.set(&channel, Ops::READ, |_, _| {}).unwrap();
        monitor.stopper().stop();
        monitor.run().unwrap();
        let started = Instant::now();
        assert_eq!(monitor.run_once_timeout(SHORT).unwrap(), 0);
        assert!(started.elapsed() >= SHORT, "it returned early");
    });
}

#[test]
fn a_stop_ends_one_wait_only() {
    on_every_monitor(|mut monitor| {
        let (channel, _peer) = unix_pair();
        monitor.set(&channel, Ops::READ, |_, _| {}).unwrap();
        monitor.stopper().stop();
        assert_eq!(monitor.run_once().unwrap(), 0);

        // The end of a channel wakes the monitor too, but is no stop.
        drop(channel);
        let started = Instant::now();
        assert_eq!(monitor.run_once_timeout(SHORT).unwrap(), 0);
        assert!(started.elapsed() >= SHORT, "it returned early");
    });
}

#[test]
fn a_watcher_that_puts_another_monitor_in_the_place_of_its_own_is_not_set_there() {
    on_every_backend(|backend| {
        let (first, second) = (readable(), readable());
        let (firsts, seconds) = (Calls::default(), Calls::default());
        let mut other = open(backend);
        other.set(&second.0, Ops::READ, seconds.watcher()).unwrap();
        other.run_now().unwrap();
        let mut other = Some(other);

        let mut monitor = open(backend);
        let calls = firsts.clone();
        monitor
            .set(&first.0, Ops::READ, move |monitor, _| {
                calls.add();
                if let Some(other) = other.take() {
                    *monitor = other;
                }
            })
            .unwrap();
        for _ in 0..3 {
            monitor.run_now().unwrap();
        }
        assert_eq!((firsts.get(), seconds.get()), (1, 3));
    });
}

#[test]
fn a_stopper_outlives_its_monitor() {
    on_every_monitor(|monitor| {
        let stopper = monitor.stopper();
        drop(monitor);
        stopper.stop();
    });
}

#[test]
fn a_blocking_channel_is_not_watched() {
    on_every_monitor(|mut monitor| {
        let (ours, _theirs) = UnixStream::pair().unwrap();
        let channel = SelectableChannel::new(ours).unwrap();
        let error = monitor.set(&channel, Ops::READ, |_, _| {}).unwrap_err();
        assert!(matches!(error, Error::IllegalBlockingMode), "{error}");
        assert!(monitor.is_empty());
        monitor.run().unwrap();

        channel.configure_blocking(false).unwrap();
        monitor.set(&channel, Ops::WRITE, |_, _| {}).unwrap();
        assert_eq!(monitor.run_once().unwrap(), 1);
    });
}

#[test]
fn a_channel_in_blocking_mode_can_be_had_when_the_watcher_was_removed_a_run_ago() {
    on_every_monitor(|mut monitor| {
        let (channel, _peer) = unix_pair();
        monitor.set(&channel, Ops::READ, |_, _| {}).unwrap();
        let error = channel.configure_blocking(true).unwrap_err();
        assert!(matches!(error, Error::IllegalBlockingMode), "{error}");
        monitor.remove(&channel);
        monitor.run_now().unwrap();
        channel.configure_blocking(true).unwrap();
        assert!(!channel.is_registered());
    });
}

#[test]
fn an_interest_that_the_channel_does_not_have_leaves_the_watcher() {
    on_every_monitor(|mut monitor| {
        let (channel, _peer) = readable();
        let calls = Calls::default();
        let refused = |monitor: &mut Monitor| {
            let watcher = |_: &mut Monitor, _| panic!("it was not set");
            let error = monitor.set(&channel, Ops::ACCEPT, watcher).unwrap_err();
            assert!(matches!(error, Error::InvalidOps { .. }), "{error}");
        };
        refused(&mut monitor);
        assert!(monitor.is_empty());

        monitor.set(&channel, Ops::READ, calls.watcher()).unwrap();
        refused(&mut monitor);
        assert_eq!(monitor.run_once().unwrap(), 1);
        assert_eq!((calls.get(), monitor.len()), (1, 1));

        monitor.remove(&channel);
        refused(&mut monitor);
        assert!(monitor.is_empty());
        assert_eq!(monitor.run_now().unwrap(), 0);
    });
}

#[test]
fn no_interest_is_silence() {
    on_every_monitor(|mut monitor| {
        let (channel, peer) = readable();
        let calls = Calls::default();
        monitor
            .set(&channel, Ops::empty(), calls.watcher())
            .unwrap();
        drop(peer);
        assert_eq!(monitor.run_once_timeout(SHORT).unwrap(), 0);
        monitor.set(&channel, Ops::READ, calls.watcher()).unwrap();
        assert_eq!(monitor.run_once().unwrap(), 1);
    });
}

#[test]
fn removing_and_setting_again_before_a_run_asks_nothing_of_the_kernel() {
    on_every_monitor(|mut monitor| {
        let pairs: Vec<_> = (0..100).map(|_| unix_pair()).collect();
        for (channel, _) in &pairs {
            monitor.set(channel, Ops::READ, |_, _| {}).unwrap();
        }
        monitor.run_now().unwrap();
        let before = monitor.statistics().changes;
        for _ in 0..50 {
            for (channel, _) in &pairs {
                assert!(monitor.remove(channel));
            }
            assert!(monitor.is_empty());
            for (channel, _) in &pairs {
                monitor.set(channel, Ops::READ, |_, _| {}).unwrap();
            }
            assert_eq!(monitor.run_now().unwrap(), 0);
        }
        assert_eq!(monitor.statistics().changes, before);
        assert_eq!(monitor.len(), 100);
    });
}

#[test]
fn a_watcher_that_removes_and_sets_itself_asks_nothing_of_the_kernel() {
    on_every_monitor(|mut monitor| {
        fn watch(monitor: &mut Monitor, channel: &Rc<Channel>) {
            let own = Rc::clone(channel);
            let watcher = move |monitor: &mut Monitor, _| {
                assert!(monitor.remove(&own));
                watch(monitor, &own);
            };
            monitor.set(channel, Ops::READ, watcher).unwrap();
        }
        let pairs: Vec<_> = (0..100).map(|_| readable()).collect();
        for (channel, _) in &pairs {
            watch(&mut monitor, channel);
        }
        assert_eq!(monitor.run_once().unwrap(), 100);
        let before = monitor.statistics().changes;
        for _ in 0..50 {
            assert_eq!(monitor.run_once().unwrap(), 100);
        }
        assert_eq!(monitor.statistics().changes, before);
    });
}

#[test]
fn a_descriptor_can_be_watched_anew_when_its_channel_is_gone() {
    on_every_monitor(|mut monitor| {
        for _ in 0..10 {
            let (channel, _peer) = readable();
            let calls = Calls::default();
            monitor.set(&channel, Ops::READ, calls.watcher()).unwrap();
            assert_eq!(monitor.run_once().unwrap(), 1);
            assert_eq!(calls.get(), 1);
            drop(channel);
            assert_eq!(monitor.run_now().unwrap(), 0);
        }
    });
}

#[test]
fn a_monitor_that_is_dropped_gives_its_channels_back() {
    on_every_backend(|backend| {
        let mut monitor = open(backend);
        let (ours, _theirs) = UnixStream::pair().unwrap();
        let channel = nonblocking(ours);
        monitor.set(&channel, Ops::READ, |_, _| {}).unwrap();
        monitor.run_now().unwrap();
        drop(monitor);
        assert!(!channel.is_registered());
        channel.configure_blocking(true).unwrap();
    });
}
