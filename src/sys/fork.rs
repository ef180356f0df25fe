//! Noticing fork(2): kernel objects of a poller are shared with the child, which must not touch
//! the parent's.

use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

static FORKS: AtomicU32 = AtomicU32::new(0);
static INSTALL: Once = Once::new();

extern "C" fn count_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// Starts counting, once per process.
pub(crate) fn watch() {
    INSTALL.call_once(|| {
        // SAFETY: the handler is a plain function that only touches an atomic, which is
        // async-signal-safe, as pthread_atfork(3) asks of a handler in the child. It can only
        // fail for want of memory; then a child is not noticed, as in a process without it.
        unsafe { libc::pthread_atfork(None, None, Some(count_fork)) };
    });
}

/// How many forks lie between the first process that [`watch`]ed and this one.
#[inline]
pub(crate) fn generation() -> u32 {
    FORKS.load(Ordering::Relaxed)
}
