//! Choosing what a poller is made of.

use std::os::fd::AsFd;
use std::time::Duration;

use super::Poller;
use crate::backend::Backend;
use crate::doorbell::Policy;
use crate::error::Result;

/// Opens a [`Poller`] that differs from the default.
///
/// ```
/// use std::os::fd::OwnedFd;
/// use std::time::Duration;
///
/// use nioselect::Backend;
/// use nioselect::poller::{Options, Poller};
///
/// let poller: Poller<OwnedFd> = Options::new()
///     .capacity(64)
///     .spin(Duration::from_micros(20))
///     .open(Backend::preferred()?)?;
/// # Ok::<(), nioselect::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    pub(super) capacity: usize,
    pub(super) doorbell: Option<Policy>,
    pub(super) spin: Duration,
}

impl Options {
    /// How many events a wait reports at most, if it is not told otherwise.
    pub const DEFAULT_CAPACITY: usize = 1024;

    /// The most that can be asked of one wait: more would only take memory.
    const LARGEST_CAPACITY: usize = 65_536;

    /// The default.
    pub fn new() -> Self {
        Self {
            capacity: Self::DEFAULT_CAPACITY,
            doorbell: None,
            spin: Duration::ZERO,
        }
    }

    /// How many events a wait reports at most: 1024 by default. A value outside 1 to 65536 is
    /// brought into that range.
    #[must_use]
    pub fn capacity(mut self, capacity: usize) -> Self {
        self.capacity = capacity.clamp(1, Self::LARGEST_CAPACITY);
        self
    }

    /// When it is to have a [doorbell](crate::doorbell), whatever `NIOSELECT_DOORBELL` says.
    #[must_use]
    pub fn doorbell(mut self, policy: Policy) -> Self {
        self.doorbell = Some(policy);
        self
    }

    /// For how long a wait looks again and again before it blocks: not at all by default.
    ///
    /// What comes in that time is taken without the thread being switched, which takes a processor
    /// of its own meanwhile. With a [doorbell](crate::doorbell) it looks at memory; without one it
    /// asks the kernel. After some waits that were longer a poller blocks at once, until one was
    /// short again.
    #[must_use]
    pub fn spin(mut self, limit: Duration) -> Self {
        self.spin = limit;
        self
    }

    /// Opens the poller.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`](crate::Error::Unsupported) if the backend cannot run here, or
    /// `NIOSELECT_DOORBELL` is asked and names no policy;
    /// [`Error::System`](crate::Error::System) if there is no descriptor left.
    pub fn open<S: AsFd>(&self, backend: Backend) -> Result<Poller<S>> {
        self.open_with(backend, self.policy()?)
    }

    pub(crate) fn policy(&self) -> Result<Policy> {
        self.doorbell.map_or_else(Policy::preferred, Ok)
    }

    pub(crate) fn open_with<S: AsFd>(&self, backend: Backend, policy: Policy) -> Result<Poller<S>> {
        Poller::open_with(backend, self, policy)
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}
