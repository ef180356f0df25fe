//! epoll(7) by its system calls: the least that the jobs can cost.
#![allow(unsafe_code)]

use std::fmt;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use libc::{EPOLL_CTL_ADD, EPOLL_CTL_DEL, EPOLL_CTL_MOD, EPOLLET, EPOLLIN, EPOLLOUT};
use rustix::event::{EventfdFlags, eventfd};

use super::{CAPACITY, Engine, WAKEUP, attachments, numbered};
use crate::channel::{self, Channel};

/// An epoll instance whose user data are the channels' numbers.
pub(crate) struct RawEpoll {
    epoll: OwnedFd,
    events: Vec<libc::epoll_event>,
    channels: Vec<Channel>,
    attached: Vec<usize>,
    spare: Channel,
    wakeup: OwnedFd,
}

impl RawEpoll {
    /// An epoll instance with at least one channel.
    pub(crate) fn over(channels: &[Channel]) -> io::Result<Self> {
        let engine = Self {
            epoll: rustix::event::epoll::create(rustix::event::epoll::CreateFlags::CLOEXEC)?,
            events: vec![libc::epoll_event { events: 0, u64: 0 }; CAPACITY],
            channels: channels.to_vec(),
            attached: attachments(channels),
            spare: channel::open_silent()?,
            wakeup: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
        };
        // An edge, so that it needs no read to become silent again.
        engine.control(EPOLL_CTL_ADD, &engine.wakeup, EPOLLIN | EPOLLET, WAKEUP)?;
        for (number, channel) in numbered(channels) {
            engine.control(EPOLL_CTL_ADD, channel, EPOLLIN, number)?;
        }
        Ok(engine)
    }

    fn control(&self, change: i32, fd: &OwnedFd, events: i32, number: usize) -> io::Result<()> {
        let (epoll, fd) = (self.epoll.as_raw_fd(), fd.as_raw_fd());
        let mut event = libc::epoll_event {
            events: events.cast_unsigned(),
            u64: number as u64,
        };
        // SAFETY: `event` lives through the call, which only reads it.
        match unsafe { libc::epoll_ctl(epoll, change, fd, &raw mut event) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Asks without waiting: how many events there are now in the buffer.
    pub(crate) fn wait(&mut self) -> io::Result<usize> {
        let (epoll, buffer) = (self.epoll.as_raw_fd(), self.events.as_mut_ptr());
        // SAFETY: `buffer` has room for `CAPACITY` events.
        let count = unsafe { libc::epoll_wait(epoll, buffer, CAPACITY as i32, 0) };
        usize::try_from(count).map_err(|_| io::Error::last_os_error())
    }
}

impl Engine for RawEpoll {
    fn name(&self) -> &'static str {
        "raw epoll"
    }

    fn look(&mut self) -> io::Result<usize> {
        let count = self.wait()?;
        let events = self.events[..count].iter();
        let readable = events.filter(|event| event.events & EPOLLIN.cast_unsigned() != 0);
        Ok(readable
            .map(|event| self.attached[event.u64 as usize])
            .sum())
    }

    fn register_and_deregister(&mut self) -> io::Result<usize> {
        let number = self.channels.len() + 1;
        self.control(EPOLL_CTL_ADD, &self.spare, EPOLLIN, number)?;
        let seen = self.look()?;
        self.control(EPOLL_CTL_DEL, &self.spare, 0, number)?;
        Ok(seen + self.look()?)
    }

    fn toggle_interest(&mut self) -> io::Result<usize> {
        self.control(EPOLL_CTL_MOD, &self.channels[0], EPOLLIN | EPOLLOUT, 1)?;
        self.control(EPOLL_CTL_MOD, &self.channels[0], EPOLLIN, 1)?;
        self.look()
    }

    fn wake_and_look(&mut self) -> io::Result<usize> {
        rustix::io::write(&self.wakeup, &1_u64.to_ne_bytes())?;
        self.look()
    }

    fn renew_all(&mut self) -> io::Result<usize> {
        for (number, channel) in numbered(&self.channels) {
            self.control(EPOLL_CTL_DEL, channel, 0, number)?;
            self.control(EPOLL_CTL_ADD, channel, EPOLLIN, number)?;
        }
        self.look()
    }
}

impl fmt::Debug for RawEpoll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawEpoll")
            .field("epoll", &self.epoll)
            .field("channels", &self.channels.len())
            .finish_non_exhaustive()
    }
}
