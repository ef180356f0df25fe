//! Children: forked ones, and processes that run one test.
#![allow(unsafe_code)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;

use rustix::process::{Pid, WaitOptions, waitpid};

/// Runs `act` in a child, which must come to its end without a panic.
pub fn in_child(act: impl FnOnce()) {
    // SAFETY: the child only runs `act` and ends; what `act` uses of the C library (memory and
    // system calls) works after a fork with threads.
    go_on(unsafe { libc::fork() }, act);
}

/// As [`in_child`], without the handlers of pthread_atfork(3): as clone(2) forks.
#[cfg(target_os = "linux")]
pub fn in_child_that_is_not_noticed(act: impl FnOnce()) {
    const AS_FORK: libc::c_long = libc::SIGCHLD as libc::c_long;
    // SAFETY: as above, if no other thread holds a lock that `act` takes.
    let child = unsafe { libc::syscall(libc::SYS_clone, AS_FORK, 0, 0, 0, 0) };
    go_on(child.try_into().unwrap(), act);
}

/// In both processes, `act` in the child alone.
fn go_on(child: libc::pid_t, act: impl FnOnce()) {
    if child == 0 {
        let outcome = catch_unwind(AssertUnwindSafe(act));
        // SAFETY: ends the process, without what the parent has asked to run at exit.
        unsafe { libc::_exit(i32::from(outcome.is_err())) }
    }
    let child = Pid::from_raw(child).expect("there are processes left");
    let (_, status) = waitpid(Some(child), WaitOptions::empty()).unwrap().unwrap();
    assert_eq!(status.exit_status(), Some(0), "the child has failed");
}

/// Whether this is the process of its own that a test asked for. If not, it is run, and must
/// succeed.
pub fn in_own_process(test: &str) -> bool {
    const VARIABLE: &str = "NIOSELECT_TEST_OF_ITS_OWN";
    if std::env::var_os(VARIABLE).is_some() {
        return true;
    }
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(VARIABLE, "1")
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && printed.contains("1 passed"),
        "{}\n{printed}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    false
}
