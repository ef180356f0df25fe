//! What unit tests must know of each other: they run at the same time in one process, and share
//! its descriptors.

use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::sync::{Once, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use rustix::process::{Resource, getrlimit, setrlimit};

/// Numbers from here on go only to those that ask for them.
pub(crate) const FIRST_RESERVED: RawFd = 2000;

/// Lets the process have as many descriptors as all tests together take, once and for all.
pub(crate) fn allow_many_descriptors() {
    const MANY: u64 = 4096;
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let mut limit = getrlimit(Resource::Nofile);
        if limit.current.is_some_and(|current| current < MANY) {
            limit.current = Some(limit.maximum.map_or(MANY, |maximum| maximum.min(MANY)));
            setrlimit(Resource::Nofile, limit).unwrap();
        }
    });
}

/// A duplicate whose number is this or a larger one. No other test gets it when it is closed.
pub(crate) fn from_number_on(fd: &impl AsFd, number: RawFd) -> OwnedFd {
    assert!(number >= FIRST_RESERVED);
    allow_many_descriptors();
    rustix::io::fcntl_dupfd_cloexec(fd, number).unwrap()
}

/// As [`from_number_on`], but with this very number.
pub(crate) fn at_number(fd: &impl AsFd, number: RawFd) -> OwnedFd {
    let moved = from_number_on(fd, number);
    assert_eq!(moved.as_raw_fd(), number, "it is free");
    moved
}

static FORKING: RwLock<()> = RwLock::new(());

/// As long as this is kept, closing the last descriptor of a file closes the file: no test has a
/// child, which would have copies of all of them.
pub(crate) fn nobody_forks() -> RwLockReadGuard<'static, ()> {
    FORKING.read().unwrap_or_else(PoisonError::into_inner)
}

/// To be kept by a test that forks.
pub(crate) fn forks() -> RwLockWriteGuard<'static, ()> {
    FORKING.write().unwrap_or_else(PoisonError::into_inner)
}
