//! Signals that reach a thread which does not block them.
//!
//! It is one that did when it selected, and has been given back another mask since: a virtual
//! machine of Java does that at the end of each thread. The default action would end the process.

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::both;

static STRAYS: AtomicU64 = AtomicU64::new(0);
static INSTALLED: AtomicBool = AtomicBool::new(false);

extern "C" fn count_stray(_signal: libc::c_int) {
    STRAYS.fetch_add(1, Ordering::Relaxed);
}

/// Has such signals counted, from now on. If the program has a handler of its own, or ignores
/// them, it stays so.
///
/// A handler, for signals that are ignored would be so in programs that this one executes.
pub(crate) fn catch_strays() {
    // Not a `Once`: a child forked while another thread is at it would wait for that thread for
    // ever. To do it twice does no harm.
    if !INSTALLED.load(Ordering::Acquire) {
        both().into_iter().for_each(replace_default_action);
        INSTALLED.store(true, Ordering::Release);
    }
}

fn replace_default_action(signal: libc::c_int) {
    // SAFETY: zeroes are a valid `sigaction`: the default action, no flags, an empty mask.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: `action` lives through the call, which fills it in.
    let answer = unsafe { libc::sigaction(signal, ptr::null(), &raw mut action) };
    if answer != 0 || action.sa_sigaction != libc::SIG_DFL {
        return;
    }
    action.sa_sigaction = count_stray as *const () as libc::sighandler_t;
    // Some runtimes have threads whose own stacks are too small for a handler.
    action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK;
    // SAFETY: the handler only touches an atomic, which is async-signal-safe; it fails for no
    // signal that can be caught.
    unsafe { libc::sigaction(signal, &raw const action, ptr::null_mut()) };
}

/// How many there have been. Each was a hint that nobody has read.
#[inline]
pub(crate) fn strays() -> u64 {
    STRAYS.load(Ordering::Relaxed)
}
