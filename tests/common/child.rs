//! Forked children.
#![allow(unsafe_code)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use rustix::process::{Pid, WaitOptions, waitpid};

/// Runs `act` in a child, which must come to its end without a panic.
pub fn in_child(act: impl FnOnce()) {
    // SAFETY: the child only runs `act` and ends; what `act` uses of the C library (memory and
    // system calls) works after a fork with threads.
    match unsafe { libc::fork() } {
        0 => {
            let outcome = catch_unwind(AssertUnwindSafe(act));
            // SAFETY: ends the process, without what the parent has asked to run at exit.
            unsafe { libc::_exit(i32::from(outcome.is_err())) }
        }
        child => {
            let child = Pid::from_raw(child).expect("there are processes left");
            let (_, status) = waitpid(Some(child), WaitOptions::empty()).unwrap().unwrap();
            assert_eq!(status.exit_status(), Some(0), "the child has failed");
        }
    }
}
