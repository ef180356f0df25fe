//! Which number is which kqueue, in this process.

use std::cell::Cell;
use std::collections::HashMap;
use std::mem;
use std::os::fd::{IntoRawFd, RawFd};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, Once, PoisonError};

use super::flavour::Flavour;
use super::linux::{self, Errno};
use super::queue::Queue;

type Registry = HashMap<RawFd, Arc<Queue>>;

static REGISTRY: LazyLock<Mutex<Registry>> = LazyLock::new(Mutex::default);

thread_local! {
    /// Held by the thread that forks, so that the child finds the registry whole and unlocked.
    static FORKING: Cell<Option<MutexGuard<'static, Registry>>> = const { Cell::new(None) };
}

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn open() -> Result<RawFd, Errno> {
    close_in_children();
    let queue = Queue::open(Flavour::current())?;
    let mut registry = registry();
    let number = linux::dup(queue.as_fd())?.into_raw_fd();
    // Whoever had the number has closed it behind our back.
    registry.insert(number, Arc::new(queue));
    Ok(number)
}

pub(super) fn find(number: RawFd) -> Option<Arc<Queue>> {
    registry().get(&number).cloned()
}

/// Closes what has this number, as close(2) does, be it a kqueue or not.
pub(super) fn close(number: RawFd) -> Result<(), Errno> {
    let mut registry = registry();
    let queue = registry.remove(&number);
    linux::close(number)?;
    drop(registry);
    if let Some(queue) = queue {
        queue.close();
    }
    Ok(())
}

/// A kqueue is not inherited by fork(2): its number is free in the child.
fn close_in_children() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the handlers are plain functions without arguments. It can only fail for want
        // of memory.
        let answer =
            unsafe { libc::pthread_atfork(Some(before_fork), Some(in_parent), Some(in_child)) };
        assert_eq!(answer, 0, "pthread_atfork");
    });
}

extern "C" fn before_fork() {
    FORKING.set(Some(registry()));
}

extern "C" fn in_parent() {
    FORKING.take();
}

extern "C" fn in_child() {
    let Some(mut registry) = FORKING.take() else {
        return;
    };
    for (number, queue) in mem::take(&mut *registry) {
        let _ = linux::close(number);
        for private in queue.raw_descriptors() {
            let _ = linux::close(private);
        }
        // Another thread may have been changing it, which is not in this process.
        mem::forget(queue);
    }
}
