//! What the process, its signal masks and its children see of it.

use super::*;

#[test]
fn a_selector_that_is_dropped_leaves_no_signal_pending() {
    thread::spawn(|| {
        let mut crowd = Crowd::of(20);
        crowd.selector.select_now().unwrap();
        let blocked = signals_of_this_thread("SigBlk");
        assert_eq!(blocked.count_ones(), 2);
        for mut peer in &crowd.theirs {
            peer.write_all(b"x").unwrap();
        }
        assert_ne!(signals_of_this_thread("SigPnd") & blocked, 0);
        drop(crowd);
        assert_eq!(signals_of_this_thread("SigPnd") & blocked, 0);
    })
    .join()
    .unwrap();
}

#[test]
fn opening_a_selector_or_asking_what_is_available_blocks_no_signal() {
    thread::spawn(|| {
        assert!(Backend::available().contains(&Backend::RtSignal));
        drop(selector::<()>());
        assert_eq!(signals_of_this_thread("SigBlk"), 0);
    })
    .join()
    .unwrap();
}

/// execve(2) keeps the mask, and the standard library does not reset it.
#[test]
fn children_inherit_what_is_blocked_and_nothing_that_is_pending() {
    thread::spawn(|| {
        let mut crowd = Crowd::of(1);
        crowd.selector.select_now().unwrap();
        (&crowd.theirs[0]).write_all(b"x").unwrap();
        let output = Command::new("cat")
            .arg("/proc/self/status")
            .output()
            .unwrap();
        let status = String::from_utf8(output.stdout).unwrap();
        let blocked = signals_of_this_thread("SigBlk");
        assert_ne!(blocked & bit(libc::SIGIO), 0);
        assert_eq!(hexadecimal(&status, "SigBlk"), blocked);
        assert_eq!(hexadecimal(&status, "SigPnd"), 0);
        assert_eq!(crowd.selector.select_now().unwrap(), 1);
    })
    .join()
    .unwrap();
}

/// What is armed belongs to the open file, which parent and child share.
#[test]
fn a_forked_child_does_not_disarm_what_its_parent_has_armed() {
    if !in_own_process("processes::a_forked_child_does_not_disarm_what_its_parent_has_armed") {
        return;
    }
    let mut crowd = Crowd::of(10);
    assert_eq!(crowd.selector.select_now().unwrap(), 0);
    // SAFETY: there is no other thread whose work would be copied in the middle but the one that
    // waits for this test.
    let child = unsafe { libc::fork() };
    if child == 0 {
        crowd.selector.select_now().unwrap();
        (&crowd.theirs[3]).write_all(b"x").unwrap();
        let seen = crowd.selector.select_timeout(LONG).unwrap();
        crowd.selector.selected_keys().clear();
        let key = crowd.ours[4].key_for(&crowd.selector).unwrap();
        key.cancel();
        crowd.selector.select_now().unwrap();
        drop(crowd.selector);
        // SAFETY: ends the process, without what the parent has asked to run at exit.
        unsafe { libc::_exit(i32::from(seen != 1)) }
    }
    let child = rustix::process::Pid::from_raw(child).unwrap();
    let options = rustix::process::WaitOptions::empty();
    let (_, status) = rustix::process::waitpid(Some(child), options)
        .unwrap()
        .unwrap();
    assert_eq!(status.exit_status(), Some(0));
    assert!(crowd.ours.iter().all(is_armed));
    assert_eq!(crowd.selector.select().unwrap(), 1);
    assert_eq!(crowd.read_selected(), 1);
    crowd.must_receive(100);
}
