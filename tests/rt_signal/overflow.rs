//! More signals than the queue has room for.

use super::*;

#[test]
fn an_overflow_loses_nothing() {
    if !in_own_process("overflow::an_overflow_loses_nothing") {
        return;
    }
    for limit in [0, 1, 8, 200] {
        limit_pending_signals(limit);
        let mut crowd = Crowd::of(300);
        crowd.must_receive(20_000);
        assert!(is_armed(&crowd.ours[0]));
    }
}

/// More than what is looked at between two drains of the queue.
#[test]
fn an_overflow_is_made_good_for_very_many() {
    if !common::may_have_descriptors(6200)
        || !in_own_process("overflow::an_overflow_is_made_good_for_very_many")
    {
        return;
    }
    common::may_have_descriptors(6200);
    let mut crowd = Crowd::of(3000);
    assert_eq!(crowd.selector.select_now().unwrap(), 0);
    limit_pending_signals(4);
    for mut peer in &crowd.theirs {
        peer.write_all(b"x").unwrap();
    }
    let mut arrived = 0;
    // As many at once as a selection reports.
    for expected in [1024, 1024, 952] {
        assert_eq!(crowd.selector.select_now().unwrap(), expected);
        arrived += crowd.read_selected();
    }
    assert_eq!(arrived, 3000);
    assert_silent(&mut crowd.selector);
}

/// More than what one wait reads, before the one that matters.
#[test]
fn a_flood_of_signals_hides_nothing() {
    let mut selector = selector();
    let (flooded, other) = (pipe(), pipe());
    let _flooded = flooded.source.register(&selector, Ops::READ, ()).unwrap();
    let _other = other.source.register(&selector, Ops::READ, ()).unwrap();
    assert_eq!(selector.select_now().unwrap(), 0);
    for _ in 0..20_000 {
        (&flooded.sink).write_all(b"x").unwrap();
    }
    (&other.sink).write_all(b"x").unwrap();
    assert_eq!(selector.select_now().unwrap(), 2);
    read_all(&flooded.source);
    read_all(&other.source);
    // What is left in the queue may end a wait early, but not more than that.
    selector.selected_keys().clear();
    assert_eq!(selector.select_now().unwrap(), 0);
    assert_silent(&mut selector);
}

/// The default action of SIGIO ends the process. The kernel sends it to the owner of the
/// descriptor, which is a thread that blocks it.
#[test]
fn an_overflow_does_not_reach_threads_that_do_not_select() {
    if !in_own_process("overflow::an_overflow_does_not_reach_threads_that_do_not_select") {
        return;
    }
    limit_pending_signals(0);
    let (quit, waits) = mpsc::channel::<()>();
    let bystander = thread::spawn(move || {
        assert_eq!(signals_of_this_thread("SigBlk") & bit(libc::SIGIO), 0);
        waits.recv().unwrap_err();
        assert_eq!(signals_of_this_thread("ShdPnd") & bit(libc::SIGIO), 0);
    });
    thread::spawn(|| {
        let mut crowd = Crowd::of(10);
        crowd.selector.select_now().unwrap();
        for mut peer in &crowd.theirs {
            peer.write_all(b"x").unwrap();
        }
        assert_ne!(signals_of_this_thread("SigPnd") & bit(libc::SIGIO), 0);
        assert_eq!(signals_of_this_thread("ShdPnd") & bit(libc::SIGIO), 0);
        assert_eq!(crowd.selector.select_now().unwrap(), 10);
    })
    .join()
    .unwrap();
    drop(quit);
    bystander.join().unwrap();
}

/// Whichever reads of the overflow.
#[test]
fn an_overflow_concerns_all_selectors_on_the_thread() {
    if !in_own_process("overflow::an_overflow_concerns_all_selectors_on_the_thread") {
        return;
    }
    let mut crowds = [Crowd::of(20), Crowd::of(20)];
    for crowd in &mut crowds {
        assert_eq!(crowd.selector.select_now().unwrap(), 0);
    }
    limit_pending_signals(3);
    for mut peer in crowds.iter().flat_map(|crowd| &crowd.theirs) {
        peer.write_all(b"x").unwrap();
    }
    for crowd in &mut crowds {
        assert_eq!(crowd.selector.select_now().unwrap(), 20);
    }
}
