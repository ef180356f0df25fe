//! The sets of keys, and what is attached to them.

use super::{Entry, SelectedKeyMut, SelectedKeys, Selector};
use crate::channel::SelectableChannel;
use crate::error::Result;
use crate::key::SelectionKey;
use crate::token::Token;

impl<A> Selector<A> {
    /// All keys (`keys()`), in no particular order. New registrations are taken in and cancelled
    /// ones let go of first, as a selection does.
    pub fn keys(&mut self) -> impl Iterator<Item = &SelectionKey> {
        self.entries().map(|entry| entry.key())
    }

    /// The key that the poller knows by `token`, which [`Error::Refused`](crate::Error::Refused) tells.
    pub fn key_of(&self, token: Token) -> Option<&SelectionKey> {
        self.poller.source(token).map(|entry| &entry.key)
    }

    /// All keys with their attachments, as [`keys`](Self::keys).
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
        let entry = self.poller.source_mut(key.token()?)?;
        (entry.key == *key).then_some(&mut entry.attachment)
    }

    /// Ends a registration at once, and gives back what was attached to its key: a connection that
    /// is to go on elsewhere. `None` if the key is not one of this selector, or if it has been
    /// cancelled before: then what was attached is dropped.
    ///
    /// ```
    /// use std::io::{Read, Write};
    /// use std::os::unix::net::UnixStream;
    /// use nioselect::{Ops, SelectableChannel, Selector};
    ///
    /// let (ours, mut theirs) = UnixStream::pair()?;
    /// let channel = SelectableChannel::new(ours)?;
    /// channel.configure_blocking(false)?;
    /// let mut selector = Selector::open()?;
    /// selector.register_into(channel, Ops::READ, |channel| channel)?;
    ///
    /// theirs.write_all(b"hello")?;
    /// selector.select()?;
    /// while let Some(selected) = selector.selected_keys().pop() {
    ///     let key = selected.key().clone(); // the loan of the selector ends here
    ///     let Some(channel) = selector.deregister(&key)? else { continue };
    ///     channel.configure_blocking(true)?;
    ///     let mut stream: UnixStream = channel.into_inner().expect("nobody else has it");
    ///     std::thread::spawn(move || stream.read(&mut [0; 16])).join().unwrap()?;
    /// }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::System`](crate::Error::System) if the kernel cannot forget a descriptor.
    pub fn deregister(&mut self, key: &SelectionKey) -> Result<Option<A>> {
        if !key.belongs_to(self.handle.notices()) {
            return Ok(None);
        }
        self.take_in_notices()?;
        let Some(token) = key.token() else {
            return Ok(None);
        };
        key.invalidate();
        let entry = self.let_go(token).inspect_err(|_| key.enqueue())?;
        Ok(entry.map(|entry| entry.attachment))
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
