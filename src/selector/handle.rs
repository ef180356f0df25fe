//! The side of a selector that other threads have.

use std::fmt;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::backend::Backend;
use crate::channel::{ChannelCore, SelectableChannel};
use crate::error::{Error, Result};
use crate::key::SelectionKey;
use crate::notices::Notices;
use crate::ops::Ops;
use crate::poller::{Mode, Waker};
use crate::wish::Wish;

/// A handle to a [`Selector`](super::Selector), for registering, waking and closing from any
/// thread, also while the selector selects: nothing here waits for it.
///
/// Clones are handles to the same selector. A handle does not keep the selector open.
pub struct SelectorHandle<A>(Arc<Shared<A>>);

struct Shared<A> {
    notices: Arc<Notices>,
    waker: Waker,
    /// `None` once the selector is closed.
    admissions: Mutex<Option<Vec<Admission<A>>>>,
}

/// A registration that the selecting thread has not taken in yet.
pub(super) struct Admission<A> {
    pub(super) key: SelectionKey,
    pub(super) channel: Arc<ChannelCore>,
    pub(super) attachment: A,
}

impl<A> SelectorHandle<A> {
    pub(super) fn new(notices: Arc<Notices>, waker: Waker) -> Self {
        let admissions = Mutex::new(Some(Vec::new()));
        Self(Arc::new(Shared {
            notices,
            waker,
            admissions,
        }))
    }

    /// Ties `channel` to the selector (`SelectableChannel.register`), with level triggering.
    ///
    /// It takes effect at once, in a selection that is running too. If the channel is registered
    /// with the same selector already, its key is changed: interest, attachment and mode are
    /// replaced (the attachment in the next selection). With another selector it gets a second
    /// key.
    ///
    /// # Errors
    ///
    /// In this order: [`Error::InvalidOps`] if the channel does not have all of `interest`;
    /// [`Error::IllegalBlockingMode`] if it is in blocking mode; [`Error::ClosedSelector`];
    /// [`Error::CancelledKey`] if its key with this selector is cancelled, but no selection has
    /// taken note of that yet; [`Error::AlreadyRegistered`] if another channel object with the
    /// same descriptor is registered. [`Error::System`] if the system does not tell the mode.
    pub fn register<T: Send + 'static>(
        &self,
        channel: &SelectableChannel<T>,
        interest: Ops,
        attachment: A,
    ) -> Result<SelectionKey> {
        self.register_with_mode(channel, interest, Mode::Level, attachment)
    }

    /// As [`register`](Self::register), in the [`Mode`] given.
    ///
    /// # Errors
    ///
    /// As [`register`](Self::register), and first [`Error::Unsupported`] if the backend does not
    /// have the mode.
    pub fn register_with_mode<T: Send + 'static>(
        &self,
        channel: &SelectableChannel<T>,
        interest: Ops,
        mode: Mode,
        attachment: A,
    ) -> Result<SelectionKey> {
        self.register_core(Arc::clone(channel.core()) as _, interest, mode, attachment)
    }

    /// As [`register`](Self::register), but moves the channel into its attachment, so that the
    /// selector owns the connection and all that belongs to it. Cancelling the key closes it then.
    ///
    /// ```
    /// use nioselect::{Ops, Pipe, PipeSource, Selector};
    ///
    /// struct Reader {
    ///     source: PipeSource,
    ///     received: Vec<u8>,
    /// }
    ///
    /// let Pipe { source, sink } = Pipe::open()?;
    /// source.configure_blocking(false)?;
    /// let selector = Selector::open()?;
    /// let key = selector.register_into(source, Ops::READ, |source| Reader {
    ///     source,
    ///     received: Vec::new(),
    /// })?;
    /// # Ok::<(), nioselect::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`register`](Self::register); what `attach` has made is dropped then. And
    /// [`Error::ClosedChannel`] if `attach` has dropped the channel.
    pub fn register_into<T: Send + 'static>(
        &self,
        channel: SelectableChannel<T>,
        interest: Ops,
        attach: impl FnOnce(SelectableChannel<T>) -> A,
    ) -> Result<SelectionKey> {
        let core = Arc::clone(channel.core());
        self.register_core(core as _, interest, Mode::Level, attach(channel))
    }

    fn register_core(
        &self,
        channel: Arc<ChannelCore>,
        interest: Ops,
        mode: Mode,
        attachment: A,
    ) -> Result<SelectionKey> {
        let notices = &self.0.notices;
        notices.check_mode(mode)?;
        let valid = channel.kind().valid_ops();
        interest.check_against(valid)?;
        let mut keys = channel.keys();
        if keys.is_closed() {
            return Err(Error::ClosedChannel);
        }
        if channel.is_blocking()? {
            return Err(Error::IllegalBlockingMode);
        }
        let mut admissions = self.admissions();
        let Some(admissions) = admissions.as_mut().filter(|_| self.is_open()) else {
            return Err(Error::ClosedSelector);
        };
        let key = match keys.find(notices) {
            Some(key) => {
                key.set_wish(Wish { interest, mode })?;
                key.clone()
            }
            None => {
                notices.reserve(channel.raw_fd())?;
                let key = SelectionKey::new(Arc::clone(notices), valid, Wish { interest, mode });
                keys.add(key.clone());
                key
            }
        };
        drop(keys);
        admissions.push(Admission {
            key: key.clone(),
            channel,
            attachment,
        });
        notices.signals().announce_changes();
        Ok(key)
    }

    /// Ends the selection in progress, or else the next one (`Selector.wakeup`).
    ///
    /// Wakeups coalesce: many before a selection end that one only. A wakeup selects no key.
    pub fn wakeup(&self) {
        self.0.waker.wake();
    }

    /// A handle that can only wake, and does not know the type of the attachments.
    pub fn waker(&self) -> Waker {
        self.0.waker.clone()
    }

    /// Closes the selector (`Selector.close`): its keys are invalid at once, a selection in
    /// progress returns, and every later one fails with [`Error::ClosedSelector`].
    ///
    /// No channel is closed by this: they can go on, or be registered elsewhere. The selector
    /// lets go of keys and attachments when its selection returns, at its next call, or when it
    /// is dropped. Closing twice does nothing.
    pub fn close(&self) {
        self.0.notices.signals().announce_end();
    }

    /// Whether the selector has not been closed or dropped.
    pub fn is_open(&self) -> bool {
        !self.0.notices.is_closed()
    }

    /// The mechanism that the selector uses.
    pub fn backend(&self) -> Backend {
        self.0.notices.backend()
    }

    pub(crate) fn notices(&self) -> &Arc<Notices> {
        &self.0.notices
    }

    fn admissions(&self) -> MutexGuard<'_, Option<Vec<Admission<A>>>> {
        self.0
            .admissions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn take_admissions(&self) -> Vec<Admission<A>> {
        self.admissions()
            .as_mut()
            .map(mem::take)
            .unwrap_or_default()
    }

    /// From here on nothing is registered any more.
    pub(super) fn end_admissions(&self) -> Vec<Admission<A>> {
        self.admissions().take().unwrap_or_default()
    }
}

impl<A> Clone for SelectorHandle<A> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<A> AsRef<Self> for SelectorHandle<A> {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl<A> fmt::Debug for SelectorHandle<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SelectorHandle")
            .field("backend", &self.backend())
            .field("open", &self.is_open())
            .finish_non_exhaustive()
    }
}
