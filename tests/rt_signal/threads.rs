//! Which thread the signals go to.

use super::*;

#[test]
fn selectors_on_one_thread_leave_each_other_their_signals() {
    let mut crowds = [Crowd::of(50), Crowd::of(50), Crowd::of(50)];
    for crowd in &mut crowds {
        assert_eq!(crowd.selector.select_now().unwrap(), 0);
    }
    for round in 0..30 {
        let (written, reader) = (round % 3, (round + 1 + round / 3) % 3);
        for mut peer in &crowds[written].theirs {
            peer.write_all(b"x").unwrap();
        }
        let arrived = if written == reader { 50 } else { 0 };
        let count = crowds[reader].selector.select_now().unwrap();
        assert_eq!(count, arrived);
        assert_eq!(crowds[reader].read_selected(), arrived);
        if written != reader {
            returns_early(&mut crowds[written].selector);
            assert_eq!(crowds[written].read_selected(), 50);
        }
    }
    for crowd in &mut crowds {
        assert_silent(&mut crowd.selector);
    }
}

#[test]
fn the_selecting_thread_may_change_from_call_to_call() {
    let mut crowd = Crowd::of(20);
    for round in 0..20 {
        // Sometimes before the signals go to the new thread, sometimes after.
        if round % 2 == 0 {
            (&crowd.theirs[round]).write_all(b"x").unwrap();
        }
        crowd = thread::spawn(move || {
            if round % 4 == 3 {
                assert_eq!(crowd.selector.select_now().unwrap(), 0);
            }
            if round % 2 == 1 {
                (&crowd.theirs[round]).write_all(b"x").unwrap();
            }
            assert_eq!(crowd.selector.select_now().unwrap(), 1);
            assert_eq!(crowd.read_selected(), 1);
            crowd
        })
        .join()
        .unwrap();
    }
    crowd.must_receive(1000);
}

/// As HotSpot does at the end of each thread, with signals that are pending or still to come.
fn unblock_all_signals() {
    // SAFETY: the set is initialized before it is used, and lives through both calls.
    unsafe {
        let mut none = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
}

#[test]
fn a_thread_that_unblocks_the_signals_does_not_end_the_process() {
    if !in_own_process("threads::a_thread_that_unblocks_the_signals_does_not_end_the_process") {
        return;
    }
    for limit in [100, 0] {
        limit_pending_signals(limit);
        let mut crowd = thread::spawn(|| {
            let mut crowd = Crowd::of(10);
            crowd.selector.select_now().unwrap();
            (&crowd.theirs[0]).write_all(b"x").unwrap();
            unblock_all_signals();
            (&crowd.theirs[1]).write_all(b"x").unwrap();
            assert_eq!(
                crowd.selector.select_now().unwrap(),
                2,
                "nothing is lost by it"
            );
            crowd.read_selected();
            assert_eq!(crowd.selector.select_now().unwrap(), 0);
            (&crowd.theirs[2]).write_all(b"x").unwrap();
            unblock_all_signals();
            (&crowd.theirs[3]).write_all(b"x").unwrap();
            crowd
        })
        .join()
        .unwrap();
        assert_eq!(crowd.selector.select_now().unwrap(), 2);
        assert_eq!(crowd.read_selected(), 2);
        assert_silent(&mut crowd.selector);
    }
}

#[test]
fn two_threads_take_turns_to_select() {
    let mut crowd = Crowd::of(10);
    let (to_other, from_here) = mpsc::channel::<Crowd>();
    let (to_here, from_other) = mpsc::channel::<Crowd>();
    let other = thread::spawn(move || {
        for mut crowd in from_here {
            crowd.must_receive(100);
            to_here.send(crowd).unwrap();
        }
    });
    for _ in 0..10 {
        crowd.must_receive(100);
        to_other.send(crowd).unwrap();
        crowd = from_other.recv().unwrap();
    }
    drop(to_other);
    other.join().unwrap();
}
