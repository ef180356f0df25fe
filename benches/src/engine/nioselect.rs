//! The selector of this project.

use std::io;

use nioselect::{Backend, Ops, SelectableChannel, SelectionKey, Selector};

use super::{CAPACITY, Engine, numbered};
use crate::channel::{self, Channel};

/// A selector whose keys have the channels' numbers attached.
#[derive(Debug)]
pub(crate) struct Nioselect {
    selector: Selector<usize>,
    channels: Vec<SelectableChannel<Channel>>,
    first: SelectionKey,
    spare: SelectableChannel<Channel>,
}

impl Nioselect {
    /// A selector over `backend`, with at least one channel.
    pub(crate) fn over(backend: Backend, watched: &[Channel]) -> io::Result<Self> {
        let mut selector = Selector::builder()
            .backend(backend)
            .event_capacity(CAPACITY)
            .open()?;
        let mut channels = Vec::with_capacity(watched.len());
        for (number, channel) in numbered(watched) {
            let channel = SelectableChannel::new(Channel::clone(channel))?;
            channel.register(&selector, Ops::READ, number)?;
            channels.push(channel);
        }
        selector.select_now()?;
        selector.selected_keys().clear();
        Ok(Self {
            first: channels[0]
                .key_for(&selector)
                .expect("it has just been registered"),
            spare: SelectableChannel::new(channel::open_silent()?)?,
            selector,
            channels,
        })
    }
}

impl Engine for Nioselect {
    fn name(&self) -> &'static str {
        "nioselect"
    }

    fn look(&mut self) -> io::Result<usize> {
        self.selector.select_now()?;
        let readable = self
            .selector
            .selected_keys()
            .drain()
            .filter(|selected| selected.is_readable());
        Ok(readable.map(|selected| *selected.attachment()).sum())
    }

    fn register_and_deregister(&mut self) -> io::Result<usize> {
        let number = self.channels.len() + 1;
        let key = self.spare.register(&self.selector, Ops::READ, number)?;
        let seen = self.look()?;
        key.cancel();
        Ok(seen + self.look()?)
    }

    fn toggle_interest(&mut self) -> io::Result<usize> {
        self.first.set_interest_ops(Ops::READ | Ops::WRITE)?;
        self.first.set_interest_ops(Ops::READ)?;
        self.look()
    }

    fn wake_and_look(&mut self) -> io::Result<usize> {
        self.selector.wakeup();
        self.look()
    }
}
