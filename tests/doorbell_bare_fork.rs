//! A child that has been forked without the handlers of pthread_atfork(3), as clone(2) does it.
//! By itself in its process, whose other threads such a child knows nothing of.
#![cfg(target_os = "linux")]
#![allow(unsafe_code)]

mod common;

use std::io::Write;

use common::{read_all, unix_pair};
use nioselect::doorbell::{Policy, State};
use nioselect::{Backend, Ops, Selector};
use rustix::process::{Pid, WaitOptions, waitpid};

/// More than it takes until a doorbell is there, and silent.
const MANY: u32 = 1000;

/// What clone(2) is told to make a child as fork(2) does.
const AS_FORK: libc::c_long = libc::SIGCHLD as libc::c_long;

fn select_in_vain(selector: &mut Selector<()>) -> bool {
    (0..MANY).all(|_| selector.select_now().unwrap() == 0)
}

#[test]
fn a_child_that_is_not_noticed_leaves_its_parent_the_doorbell() {
    let (ours, mut theirs) = unix_pair();
    let builder = Selector::builder().backend(Backend::Epoll);
    let mut selector = builder.doorbell(Policy::On).open().unwrap();
    ours.register(&selector, Ops::READ, ()).unwrap();
    assert!(select_in_vain(&mut selector));
    let before = selector.doorbell();

    // SAFETY: the child only makes system calls and uses memory, and ends without anything that
    // its parent has asked for.
    match unsafe { libc::syscall(libc::SYS_clone, AS_FORK, 0, 0, 0, 0) } {
        0 => {
            theirs.write_all(b"x").unwrap();
            let reported = selector.select_now().unwrap() == 1;
            selector.selected_keys().clear();
            read_all(&ours);
            let is_right = reported && select_in_vain(&mut selector);
            // SAFETY: ends the process.
            unsafe { libc::_exit(i32::from(!is_right)) }
        }
        child => {
            let child = Pid::from_raw(child.try_into().unwrap()).expect("clone(2) has succeeded");
            let (_, status) = waitpid(Some(child), WaitOptions::empty()).unwrap().unwrap();
            assert_eq!(status.exit_status(), Some(0), "the child has failed");
        }
    }

    assert!(select_in_vain(&mut selector));
    assert_eq!(selector.doorbell().state, before.state);
    if before.state == State::Armed {
        assert!(selector.doorbell().answered > before.answered);
    }
    theirs.write_all(b"x").unwrap();
    assert_eq!(selector.select_now().unwrap(), 1);
}
