//! Taking in what other threads have left, and letting go.

use std::mem;
use std::sync::Arc;

use super::handle::Admission;
use super::{Entry, KEPT_CAPACITY, Selector};
use crate::channel::ChannelCore;
use crate::error::Result;
use crate::key::SelectionKey;
use crate::token::Token;

/// What the selector lets go of. It is dropped when all else is done, since foreign code runs then,
/// which may panic.
pub(super) type Remains<A> = (Arc<ChannelCore>, A);

impl<A> Selector<A> {
    #[inline]
    pub(super) fn take_in_notices(&mut self) -> Result<()> {
        if self.poller.signals().look().changes() {
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
        if changed.capacity() <= KEPT_CAPACITY {
            self.changed = changed;
        }
        self.drop_remains();
        outcome
    }

    fn drop_remains(&mut self) {
        let mut remains = mem::take(&mut self.remains);
        remains.clear();
        if remains.capacity() <= KEPT_CAPACITY {
            self.remains = remains;
        }
    }

    fn take_in_change(&mut self, key: &SelectionKey) -> Result<()> {
        key.dequeue();
        let Some(token) = key.token() else {
            return Ok(());
        };
        if key.is_cancelled() {
            let entry = self.let_go(token).inspect_err(|_| key.enqueue())?;
            let remains = entry.map(|entry| (entry.channel, entry.attachment));
            self.remains.extend(remains);
            return Ok(());
        }
        let Some(entry) = self.poller.source(token) else {
            return Ok(());
        };
        let kind = entry.channel.kind();
        self.poller.update(token, kind, key.wish())
    }

    fn admit(&mut self, admission: Admission<A>) {
        let Admission {
            key,
            channel,
            attachment,
        } = admission;
        if let Some(token) = key.token() {
            let before = match self.poller.source_mut(token) {
                Some(entry) => mem::replace(&mut entry.attachment, attachment),
                None => attachment,
            };
            self.remains.push((channel, before));
            return;
        }
        if key.is_cancelled() {
            self.forget(&key, &channel);
            self.remains.push((channel, attachment));
            return;
        }
        let (kind, wish) = (channel.kind(), key.wish());
        let entry = Entry {
            key: key.clone(),
            channel,
            attachment,
        };
        let token = self.poller.register_checked(entry, kind, wish);
        key.set_token(token.expect("everything was checked when the channel was registered"));
    }

    /// The kernel, the channel and the selected set know nothing of the registration any more.
    pub(super) fn let_go(&mut self, token: Token) -> Result<Option<Entry<A>>> {
        let Some(entry) = self.poller.source(token) else {
            return Ok(None);
        };
        self.selected.remove(&entry.key, &self.poller);
        let entry = self.poller.deregister(token)?;
        self.forget(&entry.key, &entry.channel);
        Ok(Some(entry))
    }

    /// Once only, and under the lock under which a registration finds the key or makes another:
    /// the descriptor may have been reserved for that since.
    fn forget(&self, key: &SelectionKey, channel: &ChannelCore) {
        let mut keys = channel.keys();
        if keys.remove(key) {
            self.handle.notices().release(channel.raw_fd());
        }
    }

    pub(super) fn let_go_of_everything(&mut self) {
        self.selected_keys().clear();
        let notices = self.handle.notices();
        notices.take_changed(&mut self.changed);
        self.changed.clear();
        for Admission {
            key,
            channel,
            attachment,
        } in self.handle.end_admissions()
        {
            key.invalidate();
            channel.keys().remove(&key);
            self.remains.push((channel, attachment));
        }
        for entry in self.poller.end() {
            entry.key.invalidate();
            entry.channel.keys().remove(&entry.key);
            self.remains.push((entry.channel, entry.attachment));
        }
        self.drop_remains();
    }
}
