//! What is watched: silent channels, and one whose other end is at hand.

use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use nioselect::{Ops, SelectableChannel, Selector, SelectorBuilder};

use crate::channel::Channel;

/// A selector that keeps its channels.
pub(super) type Watching = Selector<SelectableChannel<Channel>>;

pub(super) fn watch(
    builder: &SelectorBuilder<SelectableChannel<Channel>>,
    channels: &[Channel],
) -> io::Result<Watching> {
    let mut selector = builder.open()?;
    let handle = selector.handle();
    for channel in channels {
        let channel = SelectableChannel::new(Channel::clone(channel))?;
        handle.register_into(channel, Ops::READ, |channel| channel)?;
    }
    selector.select_now()?;
    Ok(selector)
}

/// The two ends of a connection, neither of which makes its thread wait.
pub(super) struct Ends {
    pub(super) watched: UnixStream,
    pub(super) other: UnixStream,
}

impl Ends {
    pub(super) fn open() -> io::Result<Self> {
        let (watched, other) = UnixStream::pair()?;
        watched.set_nonblocking(true)?;
        other.set_nonblocking(true)?;
        Ok(Self { watched, other })
    }

    /// The silent channels, with the watched end in the place of one of them.
    pub(super) fn among(&self, silent: &[Channel]) -> io::Result<Vec<Channel>> {
        let mut channels = vec![channel_of(&self.watched)?];
        channels.extend_from_slice(&silent[1..]);
        Ok(channels)
    }
}

pub(super) fn channel_of(end: &UnixStream) -> io::Result<Channel> {
    Ok(Arc::new(OwnedFd::from(end.try_clone()?)))
}

pub(super) fn write_byte(mut end: &UnixStream) -> io::Result<()> {
    end.write_all(b"!")
}

/// # Errors
///
/// [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) if the other end has been closed.
pub(super) fn read_byte(mut end: &UnixStream) -> io::Result<()> {
    end.read_exact(&mut [0])
}
