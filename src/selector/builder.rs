//! Choosing what a selector is made of.

use std::marker::PhantomData;

use super::Selector;
use crate::backend::Backend;
use crate::error::{Error, Result};
use crate::poller::Poller;

/// Opens a [`Selector`] that differs from the default.
///
/// ```
/// use nioselect::{Backend, Selector};
///
/// let selector = Selector::<()>::builder().backend(Backend::Poll).open()?;
/// assert_eq!(selector.backend(), Backend::Poll);
/// # Ok::<(), nioselect::Error>(())
/// ```
#[derive(Debug)]
pub struct SelectorBuilder<A> {
    backend: Option<Backend>,
    capacity: usize,
    attachment: PhantomData<fn() -> A>,
}

impl<A> SelectorBuilder<A> {
    pub(super) fn new() -> Self {
        Self {
            backend: None,
            capacity: DEFAULT_CAPACITY,
            attachment: PhantomData,
        }
    }

    /// The mechanism to use, whatever `NIOSELECT_BACKEND` says.
    #[must_use]
    pub fn backend(mut self, backend: Backend) -> Self {
        self.backend = Some(backend);
        self
    }

    /// How many keys one selection takes from the system at most: 1024 by default, and between 1
    /// and 65536. The others come first in the next selection.
    #[must_use]
    pub fn event_capacity(mut self, capacity: usize) -> Self {
        self.capacity = capacity;
        self
    }

    /// Opens the selector.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the backend cannot run here, or if none was chosen and
    /// `NIOSELECT_BACKEND` names none; [`Error::System`] if there is no descriptor left.
    pub fn open(&self) -> Result<Selector<A>> {
        let backend = self.backend.map_or_else(Backend::preferred, Ok)?;
        let poller = Poller::with_capacity(backend, self.capacity);
        Ok(Selector::over(poller.map_err(|error| match error {
            // Only the environment names a default that cannot run.
            Error::Unsupported(why) if self.backend.is_none() => {
                Error::Unsupported(format!("{}: {why}", Backend::VARIABLE))
            }
            other => other,
        })?))
    }
}

const DEFAULT_CAPACITY: usize = Poller::<std::os::fd::OwnedFd>::DEFAULT_CAPACITY;
