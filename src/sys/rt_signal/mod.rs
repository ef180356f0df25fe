//! Real-time signals as news of readiness: signal(7), `O_ASYNC` in fcntl(2), signalfd(2).

mod async_io;
mod queue;
mod stray;

pub(crate) use async_io::{
    announce, announces_everything, is_sent_to, is_unclaimed, send_to, set_async, status, unclaim,
};
pub(crate) use queue::{Signal, SignalQueue};
pub(crate) use stray::{catch_strays, strays};

use std::mem::MaybeUninit;

use crate::error::{Error, Result};

/// Names a thread to the kernel, as gettid(2) does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThreadId(libc::pid_t);

impl ThreadId {
    pub(crate) fn current() -> Self {
        // SAFETY: no memory is passed.
        let number = unsafe { libc::syscall(libc::SYS_gettid) };
        // A thread's number is a pid_t; syscall(2) widens what it answers.
        Self(number as libc::pid_t)
    }
}

/// The signal that is taken, one for all selectors of the process.
///
/// Far from the ends of the range: C libraries keep the first ones for themselves (`SIGRTMIN`
/// lies above those, and differs between them), and virtual machines of Java take some of the
/// last ones. It is the one that servers which used this mechanism in its time began with.
fn signal_number() -> libc::c_int {
    libc::SIGRTMIN() + 10
}

/// The signal, and SIGIO, which comes instead when the queue is full.
fn both() -> [libc::c_int; 2] {
    [signal_number(), libc::SIGIO]
}

fn signals() -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: sigemptyset(3) initializes the set, and has succeeded: its only argument is valid.
    let mut set = unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        set.assume_init()
    };
    for signal in both() {
        // SAFETY: `set` is initialized, and lives through the call.
        unsafe { libc::sigaddset(&raw mut set, signal) };
    }
    set
}

/// Blocks the signals in the calling thread, so that they wait to be read.
pub(crate) fn block_in_this_thread() -> Result<()> {
    let set = signals();
    // SAFETY: `set` lives through the call; the old mask is not asked for.
    let answer =
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) };
    match answer {
        0 => Ok(()),
        error => Err(Error::system(
            "pthread_sigmask",
            std::io::Error::from_raw_os_error(error),
        )),
    }
}
