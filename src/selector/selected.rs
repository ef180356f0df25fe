//! The selected-key set.

use std::fmt;
use std::ops::Deref;

use super::Entry;
use crate::key::SelectionKey;
use crate::poller::{Poller, Token};

/// The keys that selections have found ready and nobody has removed since
/// (`Selector.selectedKeys`), a view that borrows the selector.
///
/// Selections add keys; only the user removes them. A key that stays is not counted again until
/// it becomes ready for something else, so a loop removes each key that it handles:
/// [`drain`](Self::drain) and [`pop`](Self::pop) do both in one.
///
/// A key that is cancelled stays until the next selection lets go of it: it is still yielded, but
/// ready for nothing.
///
/// All operations take constant time for each key, and none allocates.
pub struct SelectedKeys<'a, A> {
    order: &'a mut Order,
    poller: &'a mut Poller<Entry<A>>,
}

/// The tokens of the selected keys; each key knows its place.
#[derive(Debug, Default)]
pub(super) struct Order(Vec<Token>);

impl Order {
    #[inline]
    pub(super) fn add(&mut self, key: &SelectionKey, token: Token) {
        key.set_selected_at(self.0.len());
        self.0.push(token);
    }

    /// Whether the key was there.
    pub(super) fn remove<A>(&mut self, key: &SelectionKey, poller: &Poller<Entry<A>>) -> bool {
        let Some(place) = key.selected_at() else {
            return false;
        };
        key.set_not_selected();
        self.0.swap_remove(place);
        let moved = self.0.get(place).and_then(|&token| poller.source(token));
        if let Some(moved) = moved {
            moved.key.set_selected_at(place);
        }
        true
    }

    /// Removes the last.
    #[inline]
    fn pop<'p, A>(&mut self, poller: &'p Poller<Entry<A>>) -> Option<(Token, &'p Entry<A>)> {
        loop {
            let token = self.0.pop()?;
            if let Some(entry) = poller.source(token) {
                entry.key.set_not_selected();
                return Some((token, entry));
            }
        }
    }
}

impl<'a, A> SelectedKeys<'a, A> {
    pub(super) fn new(order: &'a mut Order, poller: &'a mut Poller<Entry<A>>) -> Self {
        Self { order, poller }
    }

    /// How many keys are selected.
    pub fn len(&self) -> usize {
        self.order.0.len()
    }

    /// Whether no key is selected.
    pub fn is_empty(&self) -> bool {
        self.order.0.is_empty()
    }

    /// Whether `key` is selected. A key of another selector is not.
    pub fn contains(&self, key: &SelectionKey) -> bool {
        key.selected_at().is_some_and(|place| {
            let entry = self
                .order
                .0
                .get(place)
                .and_then(|&token| self.poller.source(token));
            entry.is_some_and(|entry| entry.key == *key)
        })
    }

    /// Removes `key`; tells whether it was there.
    pub fn remove(&mut self, key: &SelectionKey) -> bool {
        self.contains(key) && self.order.remove(key, self.poller)
    }

    /// Removes all keys.
    pub fn clear(&mut self) {
        for token in self.order.0.drain(..) {
            if let Some(entry) = self.poller.source(token) {
                entry.key.set_not_selected();
            }
        }
    }

    /// The keys, which stay selected.
    pub fn iter(&self) -> impl Iterator<Item = SelectedKey<'_, A>> {
        self.order
            .0
            .iter()
            .filter_map(|&token| self.poller.source(token).map(Entry::selected))
    }

    /// Yields the keys, in no particular order, and removes each as it is yielded. Unlike those of
    /// the standard library's `drain`, keys that are not reached, because the loop is left, stay:
    /// a readiness that is reported once would be lost otherwise.
    #[must_use = "only the keys that are taken from the iterator are removed"]
    pub fn drain(self) -> Drain<'a, A> {
        Drain {
            order: self.order,
            poller: self.poller,
        }
    }

    /// Removes one of the keys, and lends it with a mutable attachment.
    pub fn pop(&mut self) -> Option<SelectedKeyMut<'_, A>> {
        let (token, _) = self.order.pop(self.poller)?;
        self.poller.source_mut(token).map(Entry::selected_mut)
    }
}

impl<A> fmt::Debug for SelectedKeys<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.iter().map(|selected| selected.key))
            .finish()
    }
}

/// The iterator of [`SelectedKeys::drain`].
pub struct Drain<'a, A> {
    order: &'a mut Order,
    poller: &'a Poller<Entry<A>>,
}

impl<'a, A> Iterator for Drain<'a, A> {
    type Item = SelectedKey<'a, A>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.order
            .pop(self.poller)
            .map(|(_, entry)| entry.selected())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.order.0.len(), Some(self.order.0.len()))
    }
}

impl<A> ExactSizeIterator for Drain<'_, A> {}

impl<A> fmt::Debug for Drain<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drain")
            .field("left", &self.len())
            .finish_non_exhaustive()
    }
}

/// A selected key and its attachment. It dereferences to the [`SelectionKey`].
#[derive(Debug)]
pub struct SelectedKey<'a, A> {
    key: &'a SelectionKey,
    attachment: &'a A,
}

impl<A> Clone for SelectedKey<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for SelectedKey<'_, A> {}

impl<'a, A> SelectedKey<'a, A> {
    #[inline]
    pub(super) fn new(key: &'a SelectionKey, attachment: &'a A) -> Self {
        Self { key, attachment }
    }

    /// The key, for as long as the selector is borrowed.
    #[inline]
    pub fn key(&self) -> &'a SelectionKey {
        self.key
    }

    /// What was attached to it.
    #[inline]
    pub fn attachment(&self) -> &'a A {
        self.attachment
    }
}

impl<A> Deref for SelectedKey<'_, A> {
    type Target = SelectionKey;

    #[inline]
    fn deref(&self) -> &SelectionKey {
        self.key
    }
}

/// A selected key and its attachment, which can be changed. It dereferences to the
/// [`SelectionKey`].
#[derive(Debug)]
pub struct SelectedKeyMut<'a, A> {
    key: &'a SelectionKey,
    attachment: &'a mut A,
}

impl<'a, A> SelectedKeyMut<'a, A> {
    #[inline]
    pub(super) fn new(key: &'a SelectionKey, attachment: &'a mut A) -> Self {
        Self { key, attachment }
    }

    /// The key.
    #[inline]
    pub fn key(&self) -> &'a SelectionKey {
        self.key
    }

    /// What was attached to it.
    #[inline]
    pub fn attachment(&mut self) -> &mut A {
        self.attachment
    }
}

impl<A> Deref for SelectedKeyMut<'_, A> {
    type Target = SelectionKey;

    #[inline]
    fn deref(&self) -> &SelectionKey {
        self.key
    }
}
