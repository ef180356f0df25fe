//! polling, in its level-triggered mode.
// Registering with it is unsafe: the caller answers for the descriptor.
#![allow(unsafe_code)]

use std::io;
use std::num::NonZeroUsize;
use std::time::Duration;

use polling::{Event, Events, PollMode, Poller};

use super::{CAPACITY, Engine, attachments, numbered};
use crate::channel::{self, Channel};

/// A `Poller` whose keys are the channels' numbers.
#[derive(Debug)]
pub(crate) struct Polling {
    poller: Poller,
    events: Events,
    channels: Vec<Channel>,
    attached: Vec<usize>,
    spare: Channel,
}

impl Polling {
    /// A `Poller` with at least one channel.
    pub(crate) fn over(channels: &[Channel]) -> io::Result<Self> {
        let capacity = NonZeroUsize::new(CAPACITY).expect("it is not zero");
        let engine = Self {
            poller: Poller::new()?,
            events: Events::with_capacity(capacity),
            channels: channels.to_vec(),
            attached: attachments(channels),
            spare: channel::open_silent()?,
        };
        for (number, channel) in numbered(channels) {
            engine.add(number, channel)?;
        }
        Ok(engine)
    }

    fn add(&self, number: usize, channel: &Channel) -> io::Result<()> {
        let interest = Event::readable(number);
        // SAFETY: the engine owns a share of the channel, and deletes it when it is dropped.
        unsafe {
            self.poller
                .add_with_mode(&**channel, interest, PollMode::Level)
        }
    }

    fn modify(&self, interest: Event) -> io::Result<()> {
        let channel = &*self.channels[interest.key - 1];
        self.poller
            .modify_with_mode(channel, interest, PollMode::Level)
    }
}

impl Engine for Polling {
    fn name(&self) -> &'static str {
        "polling"
    }

    fn look(&mut self) -> io::Result<usize> {
        self.events.clear();
        self.poller.wait(&mut self.events, Some(Duration::ZERO))?;
        let readable = self.events.iter().filter(|event| event.readable);
        Ok(readable.map(|event| self.attached[event.key]).sum())
    }

    fn register_and_deregister(&mut self) -> io::Result<usize> {
        self.add(self.channels.len() + 1, &self.spare)?;
        let seen = self.look()?;
        self.poller.delete(&*self.spare)?;
        Ok(seen + self.look()?)
    }

    fn toggle_interest(&mut self) -> io::Result<usize> {
        self.modify(Event::all(1))?;
        self.modify(Event::readable(1))?;
        self.look()
    }

    fn wake_and_look(&mut self) -> io::Result<usize> {
        self.poller.notify()?;
        self.look()
    }

    fn renew_all(&mut self) -> io::Result<usize> {
        for (number, channel) in numbered(&self.channels) {
            self.poller.delete(&**channel)?;
            self.add(number, channel)?;
        }
        self.look()
    }
}

impl Drop for Polling {
    fn drop(&mut self) {
        for channel in self.channels.iter().chain([&self.spare]) {
            // The spare one is usually not there.
            let _ = self.poller.delete(&**channel);
        }
    }
}
