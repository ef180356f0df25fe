//! Choosing what a selector is made of.

use std::marker::PhantomData;
use std::time::Duration;

use super::Selector;
use crate::backend::Backend;
use crate::doorbell::Policy;
use crate::error::{Error, Result};
use crate::poller::Options;

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
    options: Options,
    attachment: PhantomData<fn() -> A>,
}

impl<A> SelectorBuilder<A> {
    pub(super) fn new() -> Self {
        Self {
            backend: None,
            options: Options::new(),
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
        self.options = self.options.capacity(capacity);
        self
    }

    /// When the selector is to have a [doorbell](crate::doorbell), whatever `NIOSELECT_DOORBELL`
    /// says.
    #[must_use]
    pub fn doorbell(mut self, policy: Policy) -> Self {
        self.options = self.options.doorbell(policy);
        self
    }

    /// For how long a selection looks again and again before it blocks: not at all by default.
    ///
    /// This is for a peer that answers at once, where a processor can be spared: see
    /// [`Options::spin`].
    #[must_use]
    pub fn spin(mut self, limit: Duration) -> Self {
        self.options = self.options.spin(limit);
        self
    }

    /// The same for a selector to whose keys something else is attached.
    pub(crate) fn with_attachments<B>(&self) -> SelectorBuilder<B> {
        SelectorBuilder {
            backend: self.backend,
            options: self.options.clone(),
            attachment: PhantomData,
        }
    }

    /// Opens the selector.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the backend cannot run here, or if none was chosen and
    /// `NIOSELECT_BACKEND` names none, and likewise for `NIOSELECT_DOORBELL`; [`Error::System`] if
    /// there is no descriptor left.
    pub fn open(&self) -> Result<Selector<A>> {
        let backend = self.backend.map_or_else(Backend::preferred, Ok)?;
        let policy = self.options.policy()?;
        let poller = self.options.open_with(backend, policy);
        Ok(Selector::over(poller.map_err(|error| match error {
            // Only the environment names a default that cannot run.
            Error::Unsupported(why) if self.backend.is_none() => {
                Error::Unsupported(format!("{}: {why}", Backend::VARIABLE))
            }
            other => other,
        })?))
    }
}
