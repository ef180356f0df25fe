//! What the tests need of threads.

use std::fs;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};

/// Starts a thread that waits in a system call, and returns when it does.
pub(super) fn waits<T: Send + 'static>(wait: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || {
        // SAFETY: no memory is passed.
        sender.send(unsafe { libc::gettid() }).unwrap();
        wait()
    });
    let status = format!("/proc/self/task/{}/syscall", receiver.recv().unwrap());
    let ppoll = libc::SYS_ppoll.to_string();
    // A thread that is already over has no file.
    while fs::read_to_string(&status).is_ok_and(|call| call.split(' ').next() != Some(&ppoll)) {
        thread::yield_now();
    }
    thread
}
