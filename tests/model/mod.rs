//! What a selector must do, in the simplest words: no kernel, no queues, no descriptors.
//!
//! Selections follow the documentation of `Selector`; what makes a channel readable, writable or
//! hung up is what Linux says of it.
#![allow(unreachable_pub, reason = "its user is the test binary")]

mod channel;

pub use channel::{Channel, Event, Flavour};

use nioselect::Ops;

/// The error that a broken contract gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    InvalidOps,
    CancelledKey,
}

/// What can be seen of a key: attachment, interest and readiness.
pub type Sight = (usize, Ops, Ops);

#[derive(Debug)]
pub struct Model {
    channels: Vec<Option<Channel>>,
    /// Every key that there has ever been.
    keys: Vec<Key>,
    wakeup: bool,
}

#[derive(Debug)]
struct Key {
    /// Where its channel is, until that is dropped.
    slot: Option<usize>,
    life: Life,
    valid_ops: Ops,
    interest: Ops,
    ready: Ops,
    selected: bool,
    attachment: usize,
    /// What the next selection attaches.
    next_attachment: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Valid,
    /// The selector has not let go of it yet.
    Cancelled,
    Gone,
}

impl Model {
    pub fn new(slots: usize) -> Self {
        Self {
            channels: vec![None; slots],
            keys: Vec::new(),
            wakeup: false,
        }
    }

    pub fn channel(&mut self, slot: usize) -> Option<&mut Channel> {
        self.channels[slot].as_mut()
    }

    pub fn open(&mut self, slot: usize, flavour: Flavour) {
        self.drop_channel(slot);
        self.channels[slot] = Some(Channel::new(flavour));
    }

    pub fn drop_channel(&mut self, slot: usize) {
        self.channels[slot] = None;
        for key in &mut self.keys {
            if key.slot == Some(slot) {
                key.cancel();
                key.slot = None;
            }
        }
    }

    /// The last key that the slot's channel has got.
    pub fn key_of(&self, slot: usize) -> Option<usize> {
        self.keys.iter().rposition(|key| key.slot == Some(slot))
    }

    pub fn is_registered(&self, slot: usize) -> bool {
        let key = self.key_of(slot).map(|key| &self.keys[key]);
        key.is_some_and(|key| key.life != Life::Gone)
    }

    pub fn register(
        &mut self,
        slot: usize,
        interest: Ops,
        attachment: usize,
    ) -> Result<usize, Refusal> {
        let channel = self.channels[slot].expect("the caller has a channel");
        if !channel.valid_ops().contains(interest) {
            return Err(Refusal::InvalidOps);
        }
        if self.is_registered(slot) {
            let key = self.key_of(slot).expect("it is registered");
            self.set_interest(key, interest)?;
            self.keys[key].next_attachment = attachment;
            return Ok(key);
        }
        self.keys.push(Key {
            slot: Some(slot),
            life: Life::Valid,
            valid_ops: channel.valid_ops(),
            interest,
            ready: Ops::empty(),
            selected: false,
            attachment,
            next_attachment: attachment,
        });
        Ok(self.keys.len() - 1)
    }

    pub fn set_interest(&mut self, key: usize, ops: Ops) -> Result<Ops, Refusal> {
        let key = &mut self.keys[key];
        if key.life != Life::Valid {
            Err(Refusal::CancelledKey)
        } else if !key.valid_ops.contains(ops) {
            Err(Refusal::InvalidOps)
        } else {
            Ok(std::mem::replace(&mut key.interest, ops))
        }
    }

    pub fn add_interest(&mut self, key: usize, ops: Ops) -> Result<Ops, Refusal> {
        self.set_interest(key, self.keys[key].interest | ops)
    }

    pub fn keep_interest(&mut self, key: usize, ops: Ops) -> Result<Ops, Refusal> {
        self.set_interest(key, self.keys[key].interest & ops)
    }

    pub fn cancel(&mut self, key: usize) {
        self.keys[key].cancel();
    }

    pub fn wakeup(&mut self) {
        self.wakeup = true;
    }

    /// Whether a selection that may wait would return without being helped.
    pub fn would_not_wait(&self) -> bool {
        self.wakeup || self.keys.iter().any(|key| !self.answer(key).is_empty())
    }

    /// A selection into the selected set; what it returns.
    pub fn select(&mut self) -> usize {
        let mut count = 0;
        for (key, found) in self.look() {
            let key = &mut self.keys[key];
            let before = if key.selected {
                key.ready
            } else {
                Ops::empty()
            };
            count += usize::from(!before.contains(found));
            key.ready = before | found;
            key.selected = true;
        }
        count
    }

    /// A selection that hands the ready keys to an action; what that sees.
    pub fn select_with(&mut self) -> Vec<Sight> {
        let found = self.look();
        let mut handed: Vec<_> = found
            .into_iter()
            .map(|(key, ready)| {
                self.keys[key].ready = ready;
                self.keys[key].sight()
            })
            .collect();
        handed.sort_unstable_by_key(|sight| sight.0);
        handed
    }

    /// The keys that are ready. All that was left for the selection is taken note of.
    fn look(&mut self) -> Vec<(usize, Ops)> {
        self.wakeup = false;
        for key in &mut self.keys {
            if key.life == Life::Cancelled {
                key.life = Life::Gone;
                key.selected = false;
            }
            key.attachment = key.next_attachment;
        }
        let answers = self.keys.iter().map(|key| self.answer(key)).enumerate();
        answers.filter(|(_, ready)| !ready.is_empty()).collect()
    }

    fn answer(&self, key: &Key) -> Ops {
        let channel = key.slot.and_then(|slot| self.channels[slot]);
        match channel {
            Some(channel) if key.life == Life::Valid => channel.ready(key.interest),
            _ => Ops::empty(),
        }
    }

    /// Removes a key from the selected set; whether it was there.
    pub fn remove(&mut self, key: usize) -> bool {
        std::mem::take(&mut self.keys[key].selected)
    }

    pub fn clear(&mut self) {
        for key in &mut self.keys {
            key.selected = false;
        }
    }

    /// The selected keys.
    pub fn selected(&self) -> Vec<Sight> {
        let selected = self.keys.iter().filter(|key| key.selected);
        let mut selected: Vec<_> = selected.map(Key::sight).collect();
        selected.sort_unstable_by_key(|sight| sight.0);
        selected
    }

    /// All keys that the selector has not let go of, right after a selection.
    pub fn all(&self) -> Vec<Sight> {
        let all = self.keys.iter().filter(|key| key.life == Life::Valid);
        let mut all: Vec<_> = all.map(Key::sight).collect();
        all.sort_unstable_by_key(|sight| sight.0);
        all
    }
}

impl Key {
    fn cancel(&mut self) {
        if self.life == Life::Valid {
            self.life = Life::Cancelled;
        }
    }

    fn sight(&self) -> Sight {
        if self.life == Life::Valid {
            (self.attachment, self.interest, self.ready)
        } else {
            (self.attachment, Ops::empty(), Ops::empty())
        }
    }
}
