//! What any thread leaves for the selecting one: the bottom of the layer that selectors, keys and
//! channels make up together.

use std::mem;
use std::os::fd::RawFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::backend::Backend;
use crate::error::{Error, Result};
use crate::key::SelectionKey;
use crate::poller::{Mode, Signals};
use crate::sys::descriptor_set::DescriptorSet;

/// The part of a selector that its keys know, whatever its attachments are.
///
/// The lock is held for a few instructions, never during a wait and never while foreign code
/// runs.
#[derive(Debug)]
pub(crate) struct Notices {
    signals: Arc<Signals>,
    backend: Backend,
    has_edge_mode: bool,
    pending: Mutex<Pending>,
}

#[derive(Debug, Default)]
struct Pending {
    /// Keys whose interest, validity or channel has changed.
    changed: Vec<SelectionKey>,
    /// Descriptors of all channels that are registered.
    registered: DescriptorSet,
}

impl Notices {
    pub(crate) fn new(signals: Arc<Signals>, backend: Backend, has_edge_mode: bool) -> Self {
        Self {
            signals,
            backend,
            has_edge_mode,
            pending: Mutex::default(),
        }
    }

    pub(crate) fn backend(&self) -> Backend {
        self.backend
    }

    /// A mechanism without one-shots gets them from the poller.
    pub(crate) fn check_mode(&self, mode: Mode) -> Result<()> {
        if mode == Mode::Edge && !self.has_edge_mode {
            return Err(mode.unsupported_by(self.backend));
        }
        Ok(())
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(&self, key: SelectionKey) {
        let mut pending = self.pending();
        // Asked under the lock: what came after the selector had emptied the list would stay in
        // it, and keep the list itself alive.
        if self.is_closed() {
            return;
        }
        pending.changed.push(key);
        drop(pending);
        self.signals.announce_changes();
    }

    /// Moves the changed keys into `changed`, which is empty, and takes its storage instead.
    pub(crate) fn take_changed(&self, changed: &mut Vec<SelectionKey>) {
        mem::swap(&mut self.pending().changed, changed);
    }

    #[inline]
    pub(crate) fn signals(&self) -> &Signals {
        &self.signals
    }

    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        self.signals.look().closed()
    }

    /// Keeps a second channel object off a descriptor that is registered.
    pub(crate) fn reserve(&self, fd: RawFd) -> Result<()> {
        if self.pending().registered.insert(fd) {
            Ok(())
        } else {
            Err(Error::AlreadyRegistered { fd })
        }
    }

    pub(crate) fn release(&self, fd: RawFd) {
        self.pending().registered.remove(fd);
    }
}
