//! What the tests need of threads.

use std::fs;
use std::os::unix::thread::JoinHandleExt;
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

/// Sends the thread a signal that does nothing but end its system call.
pub(super) fn interrupt<T>(thread: &JoinHandle<T>) {
    extern "C" fn nothing(_: libc::c_int) {}
    let signal = libc::SIGURG;
    // SAFETY: all bytes zero are an action without flags, which is not to restart calls.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = nothing as extern "C" fn(libc::c_int) as libc::sighandler_t;
    // SAFETY: the action lives through the call, and its handler does nothing.
    let answer = unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
    assert_eq!(answer, 0);
    // SAFETY: the thread has not been joined.
    let answer = unsafe { libc::pthread_kill(thread.as_pthread_t(), signal) };
    assert_eq!(answer, 0);
}
