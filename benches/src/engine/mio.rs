//! mio, which is edge-triggered: what is to be reported again must be registered again.

use std::io;
use std::os::fd::AsRawFd;
use std::time::Duration;

use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token, Waker};

use super::{CAPACITY, Engine, WAKEUP, attachments, numbered};
use crate::channel::{self, Channel};

/// A `Poll` whose tokens are the channels' numbers.
#[derive(Debug)]
pub(crate) struct Mio {
    poll: Poll,
    events: Events,
    channels: Vec<Channel>,
    attached: Vec<usize>,
    spare: Channel,
    waker: Waker,
}

impl Mio {
    /// A `Poll` with at least one channel.
    pub(crate) fn over(channels: &[Channel]) -> io::Result<Self> {
        let poll = Poll::new()?;
        for (number, channel) in numbered(channels) {
            let source = &mut SourceFd(&channel.as_raw_fd());
            poll.registry()
                .register(source, Token(number), Interest::READABLE)?;
        }
        Ok(Self {
            waker: Waker::new(poll.registry(), Token(WAKEUP))?,
            poll,
            events: Events::with_capacity(CAPACITY),
            channels: channels.to_vec(),
            attached: attachments(channels),
            spare: channel::open_silent()?,
        })
    }

    fn reregister(&self, number: usize, interest: Interest) -> io::Result<()> {
        let source = &mut SourceFd(&self.channels[number - 1].as_raw_fd());
        self.poll
            .registry()
            .reregister(source, Token(number), interest)
    }
}

impl Engine for Mio {
    fn name(&self) -> &'static str {
        "mio"
    }

    fn look(&mut self) -> io::Result<usize> {
        self.poll.poll(&mut self.events, Some(Duration::ZERO))?;
        let mut seen = 0;
        for event in &self.events {
            let Token(number) = event.token();
            if event.is_readable() && number != WAKEUP {
                seen += self.attached[number];
                self.reregister(number, Interest::READABLE)?;
            }
        }
        Ok(seen)
    }

    fn register_and_deregister(&mut self) -> io::Result<usize> {
        let fd = self.spare.as_raw_fd();
        let token = Token(self.channels.len() + 1);
        self.poll
            .registry()
            .register(&mut SourceFd(&fd), token, Interest::READABLE)?;
        let seen = self.look()?;
        self.poll.registry().deregister(&mut SourceFd(&fd))?;
        Ok(seen + self.look()?)
    }

    fn toggle_interest(&mut self) -> io::Result<usize> {
        self.reregister(1, Interest::READABLE | Interest::WRITABLE)?;
        self.reregister(1, Interest::READABLE)?;
        self.look()
    }

    fn wake_and_look(&mut self) -> io::Result<usize> {
        self.waker.wake()?;
        self.look()
    }

    fn renew_all(&mut self) -> io::Result<usize> {
        let registry = self.poll.registry();
        for (number, channel) in numbered(&self.channels) {
            let source = &mut SourceFd(&channel.as_raw_fd());
            registry.deregister(source)?;
            registry.register(source, Token(number), Interest::READABLE)?;
        }
        self.look()
    }
}
