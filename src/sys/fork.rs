//! Noticing fork(2): kernel objects of a poller are shared with the child, which must not touch
//! the parent's.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

static FORKS: AtomicU32 = AtomicU32::new(0);
static WATCHING: AtomicBool = AtomicBool::new(false);

extern "C" fn count_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
    #[cfg(has_epoll)]
    super::thread::ThreadNumber::forget();
}

/// Starts counting.
///
/// Not by a `Once`: a child forked while another thread is at it would wait for that thread for
/// ever. Two handlers count every fork twice, which does no harm.
pub(crate) fn watch() {
    if !WATCHING.load(Ordering::Acquire) {
        // SAFETY: the handler is a plain function that only touches an atomic and a variable of
        // its thread that needs no set-up, which is async-signal-safe, as pthread_atfork(3) asks
        // of a handler in the child. It can only fail for want of memory; then a child is not
        // noticed, as in a process without it.
        unsafe { libc::pthread_atfork(None, None, Some(count_fork)) };
        WATCHING.store(true, Ordering::Release);
    }
}

/// Differs in a child from what it is in its parent, once somebody has begun to [`watch`].
#[inline]
pub(crate) fn generation() -> u32 {
    FORKS.load(Ordering::Relaxed)
}
