//! The rules of `java.nio.channels.Selector`, once for every backend.

mod builder;
mod handle;
mod keys;
mod registrations;
mod selected;

pub use builder::SelectorBuilder;
pub use handle::SelectorHandle;
pub use selected::{Drain, SelectedKey, SelectedKeyMut, SelectedKeys};

use std::fmt;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Duration;

use crate::backend::Backend;
use crate::channel::{ChannelCore, SelectableChannel};
use crate::doorbell;
use crate::error::{Error, Result};
use crate::key::SelectionKey;
use crate::notices::Notices;
use crate::ops::Ops;
use crate::poller::{Deadline, Mode, Poller, Statistics, Token, Waker};
use registrations::Remains;
use selected::Order;

/// Vectors are kept to be filled again, unless they have grown past this.
const KEPT_CAPACITY: usize = 1024;

/// Waits for many channels at once (`java.nio.channels.Selector`).
///
/// A selector has three sets of keys: [all keys](Self::keys), the
/// [selected ones](Self::selected_keys), which selections fill and only the user empties, and
/// the cancelled ones, which the next selection lets go of.
///
/// The selector itself belongs to the thread that selects; `A` is what is attached to its keys,
/// which it owns. Other threads have a [`SelectorHandle`] or a [`Waker`], and the keys: what
/// they register, change, cancel or close takes effect at once, also in a selection that is
/// running, and never waits for it. (In Java it takes effect in the next selection.)
///
/// # What a selection does
///
/// 1. It lets go of cancelled keys, takes in new ones and tells the kernel of changed interest,
///    as far as it differs from what the kernel has.
/// 2. It asks the mechanism, and waits if it was asked to: until a channel is ready, a wakeup
///    comes, the selector is closed or the time is over. It never returns early without one of
///    these.
/// 3. A key that was not selected gets exactly the operations that are ready now, and is
///    selected. A key that was selected gets them in addition to those it had. Only operations of
///    its interest set are ever reported; an error or a hang-up makes all of these ready.
/// 4. It lets go of keys that were cancelled meanwhile.
///
/// It returns how many keys it has selected or found ready for something more. That is 0 also
/// when keys are ready that had been selected for the same before: remove keys when you have
/// handled them.
///
/// # Attachments
///
/// The selector owns what is attached, and lends it with the keys. To reach that of another key,
/// end the loan and ask for [`attachment`](Self::attachment), or share it: an `Rc` will do, for
/// only channels must be [`Send`]. A key may be in its own attachment.
///
/// # Dropping and closing
///
/// Dropping a selector, or [closing](Self::close) it, invalidates its keys and drops what is
/// attached, but closes no channel. Dropping a channel cancels its keys; its descriptor is closed
/// by the next selection of its selectors, or at once by one that is running.
///
/// ```
/// use std::io::{Read, Write};
/// use nioselect::{Ops, Pipe, Selector};
///
/// let pipe = Pipe::open()?;
/// pipe.source.configure_blocking(false)?;
/// let mut selector = Selector::open()?;
/// let key = pipe.source.register(&selector, Ops::READ, "the source")?;
///
/// assert_eq!(selector.select_now()?, 0);
/// (&pipe.sink).write_all(b"hello")?;
/// assert_eq!(selector.select()?, 1);
/// for selected in selector.selected_keys().drain() {
///     assert!(selected.is_readable());
///     assert_eq!(*selected.attachment(), "the source");
/// }
/// key.cancel();
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Selector<A> {
    handle: SelectorHandle<A>,
    poller: Poller<Entry<A>>,
    selected: Order,
    /// Storage for the keys that are being looked at again.
    changed: Vec<SelectionKey>,
    remains: Vec<Remains<A>>,
}

/// What the selector owns of a registration. The channel's core keeps its descriptor open.
pub(crate) struct Entry<A> {
    key: SelectionKey,
    channel: Arc<ChannelCore>,
    attachment: A,
}

impl<A> Entry<A> {
    #[inline]
    fn selected(&self) -> SelectedKey<'_, A> {
        SelectedKey::new(&self.key, &self.attachment)
    }

    #[inline]
    fn selected_mut(&mut self) -> SelectedKeyMut<'_, A> {
        SelectedKeyMut::new(&self.key, &mut self.attachment)
    }
}

impl<A> AsFd for Entry<A> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.channel.as_fd()
    }
}

/// Opening and sharing.
impl<A> Selector<A> {
    /// A builder, for choosing the backend, the [doorbell] and more.
    pub fn builder() -> SelectorBuilder<A> {
        SelectorBuilder::new()
    }

    /// Opens a selector over the [preferred](Backend::preferred) backend (`Selector.open`).
    ///
    /// # Errors
    ///
    /// As [`SelectorBuilder::open`].
    pub fn open() -> Result<Self> {
        SelectorBuilder::new().open()
    }

    fn over(poller: Poller<Entry<A>>) -> Self {
        let signals = Arc::clone(poller.signals());
        let has_edge_mode = poller.supports(Mode::Edge);
        let notices = Arc::new(Notices::new(signals, poller.backend(), has_edge_mode));
        let handle = SelectorHandle::new(notices, poller.waker());
        Self {
            handle,
            poller,
            selected: Order::default(),
            changed: Vec::new(),
            remains: Vec::new(),
        }
    }

    /// A handle for other threads, or to register while selected keys are borrowed.
    pub fn handle(&self) -> SelectorHandle<A> {
        self.handle.clone()
    }

    /// As [`SelectorHandle::register`].
    ///
    /// # Errors
    ///
    /// As [`SelectorHandle::register`].
    pub fn register<T: Send + 'static>(
        &self,
        channel: &SelectableChannel<T>,
        interest: Ops,
        attachment: A,
    ) -> Result<SelectionKey> {
        self.handle.register(channel, interest, attachment)
    }

    /// As [`SelectorHandle::register_with_mode`].
    ///
    /// # Errors
    ///
    /// As [`SelectorHandle::register_with_mode`].
    pub fn register_with_mode<T: Send + 'static>(
        &self,
        channel: &SelectableChannel<T>,
        interest: Ops,
        mode: Mode,
        attachment: A,
    ) -> Result<SelectionKey> {
        self.handle
            .register_with_mode(channel, interest, mode, attachment)
    }

    /// As [`SelectorHandle::register_into`].
    ///
    /// # Errors
    ///
    /// As [`SelectorHandle::register`].
    pub fn register_into<T: Send + 'static>(
        &self,
        channel: SelectableChannel<T>,
        interest: Ops,
        attach: impl FnOnce(SelectableChannel<T>) -> A,
    ) -> Result<SelectionKey> {
        self.handle.register_into(channel, interest, attach)
    }

    /// As [`SelectorHandle::wakeup`].
    pub fn wakeup(&self) {
        self.handle.wakeup();
    }

    /// As [`SelectorHandle::waker`].
    pub fn waker(&self) -> Waker {
        self.handle.waker()
    }

    /// The mechanism in use.
    pub fn backend(&self) -> Backend {
        self.handle.backend()
    }

    /// Whether the selector has not been closed.
    pub fn is_open(&self) -> bool {
        self.handle.is_open()
    }

    /// What the selector has asked of its mechanism so far.
    pub fn statistics(&self) -> Statistics {
        self.poller.statistics()
    }

    /// What its [doorbell] has done so far.
    pub fn doorbell(&self) -> doorbell::Statistics {
        self.poller.doorbell()
    }

    /// As [`SelectorHandle::close`], and lets go of everything at once.
    pub fn close(&mut self) {
        self.handle.close();
        self.let_go_of_everything();
    }
}

/// Selecting.
impl<A> Selector<A> {
    /// Waits until a channel is ready, and selects its key (`select()`).
    ///
    /// Returns how many keys were selected or found ready for something more; see
    /// [what a selection does](Self#what-a-selection-does).
    ///
    /// # Errors
    ///
    /// [`Error::ClosedSelector`]; [`Error::Refused`] if the kernel refuses to watch a channel;
    /// [`Error::System`] if the wait fails. The keys that were selected stay selected.
    pub fn select(&mut self) -> Result<usize> {
        self.select_into_set(Deadline::Never)
    }

    /// Waits for at most `timeout` (`select(long)`). Zero is [`select_now`](Self::select_now),
    /// not for ever as in Java; what is too long for the clock is for ever.
    ///
    /// # Errors
    ///
    /// As [`select`](Self::select). That the time is over is not an error: the result is 0.
    pub fn select_timeout(&mut self, timeout: Duration) -> Result<usize> {
        self.select_into_set(Deadline::after(Some(timeout)))
    }

    /// Selects what is ready now, without waiting (`selectNow()`). It uses up a wakeup too.
    ///
    /// # Errors
    ///
    /// As [`select`](Self::select).
    #[inline]
    pub fn select_now(&mut self) -> Result<usize> {
        if self.poller.finds_nothing() {
            return Ok(0);
        }
        self.select_into_set(Deadline::Now)
    }

    /// As [`select`](Self::select), but hands each ready key to `action` instead of selecting it
    /// (`select(Consumer)`). The key's ready set is exactly what this selection found; the
    /// selected-key set is neither looked at nor changed.
    ///
    /// `action` may change and cancel keys and, by a [handle](Self::handle), register channels.
    ///
    /// # Errors
    ///
    /// As [`select`](Self::select).
    pub fn select_with(&mut self, action: impl FnMut(SelectedKeyMut<'_, A>)) -> Result<usize> {
        self.select_into_action(Deadline::Never, action)
    }

    /// As [`select_with`](Self::select_with), for at most `timeout` (`select(Consumer, long)`).
    ///
    /// # Errors
    ///
    /// As [`select`](Self::select).
    pub fn select_timeout_with(
        &mut self,
        timeout: Duration,
        action: impl FnMut(SelectedKeyMut<'_, A>),
    ) -> Result<usize> {
        self.select_into_action(Deadline::after(Some(timeout)), action)
    }

    /// As [`select_with`](Self::select_with), without waiting (`selectNow(Consumer)`).
    ///
    /// # Errors
    ///
    /// As [`select`](Self::select).
    #[inline]
    pub fn select_now_with(&mut self, action: impl FnMut(SelectedKeyMut<'_, A>)) -> Result<usize> {
        if self.poller.finds_nothing() {
            return Ok(0);
        }
        self.select_into_action(Deadline::Now, action)
    }

    #[inline(never)]
    pub(crate) fn select_into_set(&mut self, deadline: Deadline) -> Result<usize> {
        self.run(deadline, |selected, token, entry, ready| {
            let key = &entry.key;
            if key.selected_at().is_none() {
                key.set_ready(ready);
                selected.add(key, token);
                return true;
            }
            let before = key.ready();
            key.set_ready(before | ready);
            !before.contains(ready)
        })
    }

    fn select_into_action(
        &mut self,
        deadline: Deadline,
        mut action: impl FnMut(SelectedKeyMut<'_, A>),
    ) -> Result<usize> {
        self.run(deadline, |_, _, entry, ready| {
            entry.key.set_ready(ready);
            action(entry.selected_mut());
            true
        })
    }

    /// `take` gets each ready key once and returns whether the selection counts it.
    fn run(
        &mut self,
        deadline: Deadline,
        mut take: impl FnMut(&mut Order, Token, &mut Entry<A>, Ops) -> bool,
    ) -> Result<usize> {
        let signalled = self.poller.signals().look();
        if signalled.closed() {
            self.let_go_of_everything();
            return Err(Error::ClosedSelector);
        }
        // What has been found already is reported as it was found: a change taken in first would
        // make it look like the answer to a question that nobody asked.
        if signalled.changes() && !self.poller.has_found() {
            self.take_in_notices()?;
        }
        let mut counted = 0;
        loop {
            let selected = &mut self.selected;
            let (reported, signalled) =
                self.poller.wait_until(deadline, |token, entry, ready| {
                    let Some(ready) = still_wanted(&entry.key, ready) else {
                        return false;
                    };
                    counted += usize::from(take(selected, token, entry, ready));
                    true
                })?;
            if signalled.closed() {
                self.let_go_of_everything();
                return Ok(counted);
            }
            if reported > 0 || signalled.changes() {
                self.take_in_notices()?;
            }
            if reported > 0 || signalled.wakeup() || deadline.has_passed() {
                return Ok(counted);
            }
        }
    }
}

/// What the kernel was asked for may have changed, by another thread, while it was answering.
#[inline]
fn still_wanted(key: &SelectionKey, ready: Ops) -> Option<Ops> {
    let wish = key.wish();
    let ready = ready & wish.interest;
    if ready.is_empty() || key.is_cancelled() {
        return None;
    }
    if wish.mode == Mode::OneShot {
        key.disarm(wish);
    }
    Some(ready)
}

impl<A> Drop for Selector<A> {
    fn drop(&mut self) {
        self.handle.close();
        self.let_go_of_everything();
    }
}

impl<A> AsRef<SelectorHandle<A>> for Selector<A> {
    fn as_ref(&self) -> &SelectorHandle<A> {
        &self.handle
    }
}

impl<A> fmt::Debug for Selector<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Selector")
            .field("open", &self.is_open())
            .field("poller", &self.poller)
            .finish_non_exhaustive()
    }
}
