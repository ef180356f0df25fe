//! What a channel object, its keys and its selectors share.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::{Error, Result};
use crate::key::SelectionKey;
use crate::notices::Notices;
use crate::poller::Kind;
use crate::sys::descriptor;

/// A channel of which nothing is known but what every channel has. Whoever holds it keeps the
/// descriptor open.
pub(crate) type ChannelCore = Core<dyn Send>;

/// The descriptor's owner, and the channel's state and keys.
pub(crate) struct Core<T: ?Sized> {
    fd: RawFd,
    kind: AtomicU8,
    keys: Mutex<KeyList>,
    owner: Shareable<T>,
}

/// A value that threads may share, because only one that could have it alone looks inside.
struct Shareable<T: ?Sized>(T);

#[expect(unsafe_code)]
// SAFETY: the value is reached only by `Core::owner`, which asks for a `T` of known type. Only
// `SelectableChannel<T>` has that, and it can be shared between threads only if `T` can. All
// other holders have a `ChannelCore`: they can do nothing with the value but drop it, in a
// thread to which it can be sent.
unsafe impl<T: ?Sized + Send> Sync for Shareable<T> {}

impl<T: AsFd> Core<T> {
    pub(super) fn new(owner: T, kind: Kind) -> Self {
        Self {
            fd: owner.as_fd().as_raw_fd(),
            kind: AtomicU8::new(kind as u8),
            keys: Mutex::default(),
            owner: Shareable(owner),
        }
    }
}

impl<T> Core<T> {
    pub(super) fn owner(&self) -> &T {
        &self.owner.0
    }

    pub(super) fn into_owner(self) -> T {
        self.owner.0
    }
}

impl<T: ?Sized> Core<T> {
    pub(crate) fn raw_fd(&self) -> RawFd {
        self.fd
    }

    pub(crate) fn kind(&self) -> Kind {
        Kind::from_index(self.kind.load(Ordering::Acquire))
    }

    /// The selectors must ask the kernel for something else now.
    pub(super) fn set_kind(&self, kind: Kind) {
        self.kind.store(kind as u8, Ordering::Release);
        for key in &self.keys().keys {
            key.enqueue();
        }
    }

    pub(crate) fn keys(&self) -> MutexGuard<'_, KeyList> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asked of the kernel: others may hold the same open file.
    pub(crate) fn is_blocking(&self) -> Result<bool> {
        descriptor::is_nonblocking(self.as_fd()).map(|nonblocking| !nonblocking)
    }

    pub(super) fn configure_blocking(&self, blocking: bool) -> Result<()> {
        let keys = self.keys();
        if blocking && keys.keys.iter().any(SelectionKey::is_valid) {
            return Err(Error::IllegalBlockingMode);
        }
        descriptor::set_nonblocking(self.as_fd(), !blocking)
    }

    pub(super) fn close(&self) {
        let mut keys = self.keys();
        keys.closed = true;
        for key in &keys.keys {
            key.cancel();
        }
    }
}

impl<T: ?Sized> AsFd for Core<T> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        #[expect(unsafe_code)]
        // SAFETY: `owner` had this descriptor when it came here, and nobody has had it mutably
        // since, so it has kept it open.
        unsafe {
            BorrowedFd::borrow_raw(self.fd)
        }
    }
}

/// The keys of one channel: at most one for each selector, until that has let go of it.
#[derive(Debug, Default)]
pub(crate) struct KeyList {
    keys: Vec<SelectionKey>,
    /// Whether the channel has been dropped: nothing can be registered any more.
    closed: bool,
}

impl KeyList {
    pub(crate) fn find(&self, selector: &Arc<Notices>) -> Option<&SelectionKey> {
        self.keys.iter().find(|key| key.belongs_to(selector))
    }

    pub(crate) fn add(&mut self, key: SelectionKey) {
        // Most channels have one key for all their life.
        self.keys.reserve_exact(1);
        self.keys.push(key);
    }

    /// Whether it was there.
    pub(crate) fn remove(&mut self, key: &SelectionKey) -> bool {
        let place = self.keys.iter().position(|known| known == key);
        place.map(|place| self.keys.swap_remove(place)).is_some()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }
}
