//! The rules of `java.nio.channels.Selector`, once for every backend.

mod builder;
mod handle;
mod notices;
mod selected;

pub use builder::SelectorBuilder;
pub use handle::SelectorHandle;
pub(crate) use notices::Notices;
pub use selected::{Drain, SelectedKey, SelectedKeyMut, SelectedKeys};

use std::fmt;
use std::mem;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::Duration;

use crate::backend::Backend;
use crate::channel::{ChannelCore, SelectableChannel};
use crate::error::{Error, Result};
use crate::key::SelectionKey;
use crate::ops::Ops;
use crate::poller::{Deadline, Mode, Poller, Statistics, Token, Waker};
use handle::Admission;
use selected::Order;

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
    /// Opens a selector over the [preferred](Backend::preferred) backend (`Selector.open`).
    ///
    /// # Errors
    ///
    /// As [`SelectorBuilder::open`].
    pub fn open() -> Result<Self> {
        SelectorBuilder::default().open()
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

    /// What it has asked of the kernel so far.
    pub fn statistics(&self) -> Statistics {
        self.poller.statistics()
    }

    /// As [`SelectorHandle::close`], and lets go of everything at once.
    pub fn close(&mut self) {
        self.handle.close();
        self.let_go_of_everything();
    }
}

impl Selector<()> {
    /// A builder, for choosing the backend. (`A` is chosen when it opens the selector.)
    pub fn builder() -> SelectorBuilder {
        SelectorBuilder::default()
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

    /// `take` gets each ready key once and answers whether the selection counts it.
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
        if signalled.changes() {
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
    let interest = key.interest();
    let ready = ready & interest;
    if ready.is_empty() || key.is_cancelled() {
        return None;
    }
    if key.mode() == Mode::OneShot {
        key.disarm(interest);
    }
    Some(ready)
}

/// The key sets.
impl<A> Selector<A> {
    /// All keys (`keys()`), in no particular order.
    pub fn keys(&mut self) -> impl Iterator<Item = &SelectionKey> {
        self.entries().map(|entry| entry.key())
    }

    /// The key that the poller knows by `token`, which [`Error::Refused`] tells.
    pub fn key_of(&self, token: Token) -> Option<&SelectionKey> {
        self.poller.source(token).map(|entry| &entry.key)
    }

    /// All keys with their attachments, in no particular order.
    pub fn entries(&mut self) -> impl Iterator<Item = SelectedKeyMut<'_, A>> {
        self.take_in_registrations();
        self.poller.sources_mut().map(Entry::selected_mut)
    }

    /// The keys that are selected (`selectedKeys()`).
    pub fn selected_keys(&mut self) -> SelectedKeys<'_, A> {
        SelectedKeys::new(&mut self.selected, &mut self.poller)
    }

    /// What is attached to `key` (`SelectionKey.attachment`); `None` if the key is not one of
    /// this selector, or the selector has let go of it.
    pub fn attachment(&mut self, key: &SelectionKey) -> Option<&mut A> {
        if !key.belongs_to(self.handle.notices()) {
            return None;
        }
        if key.token().is_none() {
            self.take_in_registrations();
        }
        Some(&mut self.poller.source_mut(key.token()?)?.attachment)
    }

    /// What the monitor asks for, many times a run: as [`attachment`](Self::attachment), by the
    /// channel.
    pub(crate) fn entry_of<T>(
        &mut self,
        channel: &SelectableChannel<T>,
    ) -> Option<SelectedKeyMut<'_, A>> {
        let mut token = channel.token_with(self)?;
        if token.is_none() {
            self.take_in_registrations();
            token = channel.token_with(self)?;
        }
        self.entry(token?)
    }

    pub(crate) fn entry(&mut self, token: Token) -> Option<SelectedKeyMut<'_, A>> {
        self.poller.source_mut(token).map(Entry::selected_mut)
    }

    fn take_in_registrations(&mut self) {
        // What fails here stays queued, and fails the next selection.
        let _ = self.take_in_notices();
    }
}

/// What other threads have left.
impl<A> Selector<A> {
    #[inline]
    fn take_in_notices(&mut self) -> Result<()> {
        let changes = self.handle.notices().signals().look().changes();
        if changes {
            self.take_in_each_notice()
        } else {
            Ok(())
        }
    }

    fn take_in_each_notice(&mut self) -> Result<()> {
        let notices = self.handle.notices();
        notices.signals().take_changes();
        let mut changed = mem::take(&mut self.changed);
        notices.take_changed(&mut changed);

        let mut outcome = Ok(());
        for key in changed.drain(..) {
            outcome = outcome.and(self.take_in_change(&key));
        }
        for admission in self.handle.take_admissions() {
            self.admit(admission);
        }
        // Storage for next time, unless it has become large.
        if changed.capacity() <= notices::KEPT_CAPACITY {
            self.changed = changed;
        }
        outcome
    }

    fn take_in_change(&mut self, key: &SelectionKey) -> Result<()> {
        key.dequeue();
        let Some(token) = key.token() else {
            return Ok(());
        };
        if key.is_cancelled() {
            return self.let_go(token).inspect_err(|_| key.enqueue());
        }
        let Some(entry) = self.poller.source(token) else {
            return Ok(());
        };
        let kind = entry.channel.kind();
        self.poller.update(token, kind, key.interest(), key.mode())
    }

    fn admit(&mut self, admission: Admission<A>) {
        let Admission {
            key,
            channel,
            attachment,
        } = admission;
        if let Some(token) = key.token() {
            if let Some(entry) = self.poller.source_mut(token) {
                entry.attachment = attachment;
            }
            return;
        }
        if key.is_cancelled() {
            self.forget(&key, &channel);
            return;
        }
        let (kind, interest, mode) = (channel.kind(), key.interest(), key.mode());
        let entry = Entry {
            key: key.clone(),
            channel,
            attachment,
        };
        let token = self.poller.register(entry, kind, interest, mode);
        key.set_token(token.expect("everything was checked when the channel was registered"));
    }

    fn let_go(&mut self, token: Token) -> Result<()> {
        let Some(entry) = self.poller.source(token) else {
            return Ok(());
        };
        self.selected.remove(&entry.key, &self.poller);
        let entry = self.poller.deregister(token)?;
        self.forget(&entry.key, &entry.channel);
        Ok(())
    }

    fn forget(&self, key: &SelectionKey, channel: &ChannelCore) {
        channel.keys().remove(key);
        self.handle.notices().release(channel.raw_fd());
    }

    fn let_go_of_everything(&mut self) {
        self.selected_keys().clear();
        for Admission { key, channel, .. } in self.handle.end_admissions() {
            key.invalidate();
            channel.keys().remove(&key);
        }
        self.handle.notices().take_changed(&mut self.changed);
        self.changed.clear();
        for entry in self.poller.end() {
            entry.key.invalidate();
            entry.channel.keys().remove(&entry.key);
        }
    }
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
