//! The selector of this project.

use std::cell::Cell;
use std::io;
use std::rc::Rc;

use nioselect::{Backend, Monitor, Ops, SelectableChannel, SelectionKey, Selector};

use super::{CAPACITY, Engine, numbered};
use crate::channel::{self, Channel};
use crate::mechanism::Mechanism;

/// A selector whose keys have the channels' numbers attached.
#[derive(Debug)]
pub(crate) struct Nioselect {
    name: String,
    selector: Selector<usize>,
    channels: Vec<SelectableChannel<Channel>>,
    first: SelectionKey,
    spare: SelectableChannel<Channel>,
    /// Opened when it is needed first. Whether it has a doorbell is no matter beside the renewal of
    /// all: it has the default.
    watchers: Option<Watchers>,
}

/// What [`Engine::renew_all`] is done with: a callback for each channel.
#[derive(Debug)]
struct Watchers {
    monitor: Monitor,
    /// The sum of the numbers of the channels that were ready in a run.
    seen: Rc<Cell<usize>>,
}

impl Watchers {
    fn open(backend: Backend) -> io::Result<Self> {
        Ok(Self {
            monitor: Monitor::open_with(backend)?,
            seen: Rc::default(),
        })
    }

    fn set(&mut self, channel: &SelectableChannel<Channel>, number: usize) -> io::Result<()> {
        let seen = Rc::clone(&self.seen);
        self.monitor.set(channel, Ops::READ, move |_, _| {
            seen.set(seen.get() + number);
        })?;
        Ok(())
    }
}

impl Nioselect {
    /// A selector over `mechanism`, with at least one channel.
    pub(crate) fn over(mechanism: Mechanism, watched: &[Channel]) -> io::Result<Self> {
        let mut selector = mechanism.builder().event_capacity(CAPACITY).open()?;
        let mut channels = Vec::with_capacity(watched.len());
        for (number, channel) in numbered(watched) {
            let channel = SelectableChannel::new(Channel::clone(channel))?;
            channel.register(&selector, Ops::READ, number)?;
            channels.push(channel);
        }
        selector.select_now()?;
        selector.selected_keys().clear();
        Ok(Self {
            name: format!("nioselect {mechanism}"),
            first: channels[0]
                .key_for(&selector)
                .expect("it has just been registered"),
            spare: SelectableChannel::new(channel::open_silent()?)?,
            selector,
            channels,
            watchers: None,
        })
    }
}

impl Engine for Nioselect {
    fn name(&self) -> &str {
        &self.name
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

    fn renew_all(&mut self) -> io::Result<usize> {
        let watchers = match &mut self.watchers {
            Some(watchers) => watchers,
            none => none.insert(Watchers::open(self.selector.backend())?),
        };
        for (number, channel) in (1..).zip(&self.channels) {
            watchers.monitor.remove(channel);
            watchers.set(channel, number)?;
        }
        watchers.seen.set(0);
        watchers.monitor.run_now()?;
        Ok(watchers.seen.get())
    }
}
