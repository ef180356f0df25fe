//! What stays ready is told again and again, an edge once.

use super::*;

use std::time::Instant;

fn reported(selector: &mut Selector<()>) -> usize {
    selector.selected_keys().clear();
    selector.select_now().unwrap()
}

#[test]
fn what_stays_ready_is_reported_by_every_look() {
    if !can_be_had() {
        return;
    }
    let mut selector = armed();
    let (ours, mut theirs) = unix_pair();
    ours.register(&selector, Ops::READ, ()).unwrap();
    for _ in 0..3 {
        arm(&mut selector);
        theirs.write_all(b"xx").unwrap();
        for _ in 0..50 {
            assert_eq!(reported(&mut selector), 1);
        }
        assert_eq!(ours.get_ref().read(&mut [0]).unwrap(), 1);
        for _ in 0..50 {
            assert_eq!(reported(&mut selector), 1, "a byte is left");
        }
        assert_eq!(read_all(&ours), b"x");
    }
}

/// More is ready than one selection takes: its turn comes, though nothing rings for it again.
#[test]
fn what_did_not_fit_is_reported_by_the_next_look() {
    if !can_be_had() {
        return;
    }
    let builder = Selector::<usize>::builder().backend(Backend::Epoll);
    let builder = builder.doorbell(Policy::Eager).event_capacity(2);
    let mut selector = builder.open().unwrap();
    let pipes: Vec<_> = (0..7).map(|_| pipe()).collect();
    for (index, pipe) in pipes.iter().enumerate() {
        pipe.source.register(&selector, Ops::READ, index).unwrap();
    }
    for _ in 0..3 {
        arm(&mut selector);
        for pipe in &pipes {
            (&pipe.sink).write_all(b"x").unwrap();
        }
        let mut taken = 0;
        while taken < pipes.len() {
            assert_ne!(selector.select_now().unwrap(), 0, "{taken} have been");
            for key in selector.selected_keys().drain() {
                assert_eq!(read_all(&pipes[*key.attachment()].source), b"x");
                taken += 1;
            }
        }
    }
}

#[test]
fn an_edge_is_reported_once() {
    if !can_be_had() {
        return;
    }
    let mut selector = armed();
    let (ours, mut theirs) = unix_pair();
    ours.register_with_mode(&selector, Ops::READ, Mode::Edge, ())
        .unwrap();
    for _ in 0..20 {
        arm(&mut selector);
        theirs.write_all(b"x").unwrap();
        assert_eq!(reported(&mut selector), 1);
        selector.selected_keys().clear();
        arm(&mut selector);
    }
    assert_eq!(read_all(&ours).len(), 20);
}

#[test]
fn a_one_shot_is_reported_once_and_again_when_it_is_armed_again() {
    if !can_be_had() {
        return;
    }
    let mut selector = armed();
    let (ours, mut theirs) = unix_pair();
    let key = ours
        .register_with_mode(&selector, Ops::READ, Mode::OneShot, ())
        .unwrap();
    arm(&mut selector);
    theirs.write_all(b"x").unwrap();
    for _ in 0..20 {
        assert_eq!(reported(&mut selector), 1);
        selector.selected_keys().clear();
        arm(&mut selector);
        theirs.write_all(b"x").unwrap();
        assert_eq!(reported(&mut selector), 0);
        key.set_interest_ops(Ops::READ).unwrap();
    }
}

/// An alarm that no thread brings about.
#[test]
fn a_timer_rings() {
    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
        timerfd_settime,
    };

    if !can_be_had() {
        return;
    }
    let mut selector = armed();
    let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC).unwrap();
    let timer = nonblocking(timer);
    timer.register(&selector, Ops::READ, ()).unwrap();
    arm(&mut selector);
    let zero = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let soon = Itimerspec {
        it_interval: zero,
        it_value: Timespec {
            tv_sec: 0,
            tv_nsec: 20_000_000,
        },
    };
    timerfd_settime(timer.get_ref(), TimerfdTimerFlags::empty(), &soon).unwrap();
    let end = Instant::now() + common::LONG;
    while selector.select_now().unwrap() == 0 {
        assert!(Instant::now() < end, "it does not ring");
    }
    assert!(selector.doorbell().rung > 0);
}
