//! Channels: descriptors that can be registered with selectors.
//!
//! Every channel is a [`SelectableChannel`]; the aliases give the usual ones Java's names and
//! what is special to them:
//!
//! | channel | is a `SelectableChannel` of | operations |
//! | --- | --- | --- |
//! | [`SocketChannel`], [`UnixSocketChannel`] | [`TcpStream`], [`UnixStream`] | connect, read, write |
//! | [`ServerSocketChannel`], [`UnixServerSocketChannel`] | [`TcpListener`], [`UnixListener`] | accept |
//! | [`DatagramChannel`], [`UnixDatagramChannel`] | [`UdpSocket`], [`UnixDatagram`] | read, write |
//! | [`PipeSource`], [`PipeSink`] | [`PipeReader`], [`PipeWriter`] | read; write |
//! | any other | what owns it: a terminal, an eventfd, a child's output | read, write |
//!
//! [`TcpStream`]: std::net::TcpStream
//! [`UnixStream`]: std::os::unix::net::UnixStream
//! [`TcpListener`]: std::net::TcpListener
//! [`UnixListener`]: std::os::unix::net::UnixListener
//! [`UdpSocket`]: std::net::UdpSocket
//! [`UnixDatagram`]: std::os::unix::net::UnixDatagram
//! [`PipeReader`]: std::io::PipeReader
//! [`PipeWriter`]: std::io::PipeWriter

mod core;
mod datagram;
pub mod option;
mod pipe;
mod server;
mod stream;

pub(crate) use self::core::ChannelCore;
pub use datagram::{DatagramChannel, UnixDatagramChannel};
pub use pipe::{Pipe, PipeSink, PipeSource};
pub use server::{ServerSocketChannel, UnixServerSocketChannel};
pub use stream::{ProtocolFamily, SocketChannel, StreamSocket, UnixSocketChannel};

use std::fmt;
use std::io::{self, IoSlice, IoSliceMut, Read, Write};
use std::marker::PhantomData;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, RawFd};
use std::sync::Arc;

use self::core::Core;
use crate::error::Result;
use crate::key::SelectionKey;
use crate::ops::Ops;
use crate::poller::{Kind, Mode, connection};
use crate::selector::{Selector, SelectorHandle};
use crate::token::Token;

/// A descriptor that can be registered with selectors (`java.nio.channels.SelectableChannel`).
///
/// `T` is what owns the descriptor, usually a type of the standard library; [`get_ref`] lends it,
/// for everything that `T` can do.
///
/// A channel reads and writes if `&T` does. That of a child's output does not, nor does an
/// [`OwnedFd`](std::os::fd::OwnedFd): wrap it first, for instance
/// `PipeReader::from(OwnedFd::from(child_stdout))` or `File::from(owned_fd)`. An owner that
/// buffers, such as [`Stdin`](std::io::Stdin), keeps data back that no selector knows of: for the
/// standard input take `File::from(io::stdin().as_fd().try_clone_to_owned()?)`.
///
/// A channel is in the mode that its descriptor is in: blocking for most that the standard
/// library makes, and for those that this crate opens. It must be in non-blocking mode to be
/// registered. The mode belongs to the open file, which others may share: a terminal stays
/// non-blocking for the shell when the program has ended, unless it opens `/dev/tty` anew for
/// itself or restores the mode.
///
/// The channel relies on its descriptor staying what it is: to put another open file in its place
/// by dup2(2) goes unnoticed, and on epoll the old file goes on being watched.
///
/// Dropping a channel cancels its keys. If it is registered, its descriptor is closed by the next
/// selection, or at once by one that is running.
///
/// ```
/// use std::os::unix::net::UnixStream;
/// use nioselect::{Ops, SelectableChannel, Selector};
///
/// let (ours, _theirs) = UnixStream::pair()?;
/// let channel = SelectableChannel::new(ours)?;
/// channel.configure_blocking(false)?;
/// let selector = Selector::open()?;
/// let key = channel.register(&selector, Ops::WRITE, ())?;
/// assert_eq!(channel.key_for(&selector), Some(key));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// [`get_ref`]: Self::get_ref
pub struct SelectableChannel<T> {
    /// `None` only on the way out of [`into_inner`](Self::into_inner).
    core: Option<Arc<Core<T>>>,
    /// The core can be shared whatever `T` is: the channel only if `T` can.
    owner: PhantomData<T>,
}

impl<T: AsFd + Send + 'static> SelectableChannel<T> {
    /// Makes a channel of anything that owns a descriptor and can be sent to other threads.
    ///
    /// What kind it is, and so which operations it has, is asked of the system.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`](crate::Error::Unsupported) for regular files, directories and
    /// devices like `/dev/null`: they are always ready, so no backend waits for them.
    /// [`Error::System`](crate::Error::System) if the system does not tell.
    pub fn new(owner: T) -> Result<Self> {
        let kind = Kind::of(&owner)?;
        Ok(Self::of_kind(owner, kind))
    }

    /// Asks the system again what kind of channel this is, for a socket that was connected or made
    /// to listen by other means than this crate's. Its keys follow; the operations that they
    /// allow stay those with which they were made.
    ///
    /// # Errors
    ///
    /// [`Error::System`](crate::Error::System) if the system does not tell.
    pub fn refresh(&self) -> Result<()> {
        let (before, now) = (self.kind(), Kind::of(self)?);
        let has_failed = before == Kind::Unconnected
            && now == Kind::Connecting
            && connection::has_failed_to_connect(self.as_fd())?;
        if now != before && !has_failed {
            self.core().set_kind(now);
        }
        Ok(())
    }

    fn of_kind(owner: T, kind: Kind) -> Self {
        Self {
            core: Some(Arc::new(Core::new(owner, kind))),
            owner: PhantomData,
        }
    }
}

impl<T> SelectableChannel<T> {
    pub(crate) fn core(&self) -> &Arc<Core<T>> {
        self.core
            .as_ref()
            .expect("it is there until the channel is taken apart")
    }

    /// What owns the descriptor.
    ///
    /// A channel does not notice when a socket is connected or made to listen by what is lent
    /// here: [`refresh`](Self::refresh) tells it.
    pub fn get_ref(&self) -> &T {
        self.core().owner()
    }

    /// Takes the channel apart.
    ///
    /// # Errors
    ///
    /// Gives the channel back if a selector still holds its descriptor: end its registrations by
    /// [`Selector::deregister`], or cancel its keys and let their selectors select once.
    pub fn into_inner(mut self) -> std::result::Result<T, Self> {
        match self.core.take().map(Arc::try_unwrap) {
            Some(Ok(core)) => Ok(core.into_owner()),
            shared => {
                self.core = shared.and_then(std::result::Result::err);
                Err(self)
            }
        }
    }

    /// The operations that an interest set of its keys may have (`validOps`).
    pub fn valid_ops(&self) -> Ops {
        self.core().kind().valid_ops()
    }

    /// What kind of channel it is, and in which state.
    pub fn kind(&self) -> Kind {
        self.core().kind()
    }

    /// Whether it is in blocking mode (`isBlocking`).
    ///
    /// # Errors
    ///
    /// [`Error::System`](crate::Error::System) if the system does not tell.
    pub fn is_blocking(&self) -> Result<bool> {
        self.core().is_blocking()
    }

    /// Puts it into blocking or non-blocking mode (`configureBlocking`).
    ///
    /// # Errors
    ///
    /// [`Error::IllegalBlockingMode`](crate::Error::IllegalBlockingMode) for blocking mode while
    /// it has a valid key. (One that has been cancelled is no obstacle.)
    pub fn configure_blocking(&self, blocking: bool) -> Result<()> {
        self.core().configure_blocking(blocking)
    }

    /// Whether it has a key with any selector, valid or not yet let go of (`isRegistered`).
    pub fn is_registered(&self) -> bool {
        !self.core().keys().is_empty()
    }

    /// Its key with `selector` (`keyFor`), valid or not yet let go of.
    pub fn key_for<A>(&self, selector: &impl AsRef<SelectorHandle<A>>) -> Option<SelectionKey> {
        self.core()
            .keys()
            .find(selector.as_ref().notices())
            .cloned()
    }
}

impl<T> SelectableChannel<T> {
    /// Whether the selector has taken its registration in, and the poller's name for it then.
    pub(crate) fn token_with<A>(&self, selector: &Selector<A>) -> Option<Option<Token>> {
        let keys = self.core().keys();
        keys.find(selector.as_ref().notices())
            .map(SelectionKey::token)
    }
}

impl<T: Send + 'static> SelectableChannel<T> {
    /// Registers it with a selector (`register`); see [`SelectorHandle::register`].
    ///
    /// # Errors
    ///
    /// As [`SelectorHandle::register`].
    pub fn register<A>(
        &self,
        selector: &impl AsRef<SelectorHandle<A>>,
        interest: Ops,
        attachment: A,
    ) -> Result<SelectionKey> {
        selector.as_ref().register(self, interest, attachment)
    }

    /// As [`register`](Self::register), in a [`Mode`] other than level triggering; see
    /// [`SelectorHandle::register_with_mode`].
    ///
    /// # Errors
    ///
    /// As [`SelectorHandle::register_with_mode`].
    pub fn register_with_mode<A>(
        &self,
        selector: &impl AsRef<SelectorHandle<A>>,
        interest: Ops,
        mode: Mode,
        attachment: A,
    ) -> Result<SelectionKey> {
        selector
            .as_ref()
            .register_with_mode(self, interest, mode, attachment)
    }
}

impl<T> Drop for SelectableChannel<T> {
    fn drop(&mut self) {
        if let Some(core) = &self.core {
            core.close();
        }
    }
}

impl<T> AsFd for SelectableChannel<T> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.core().as_fd()
    }
}

impl<T> AsRawFd for SelectableChannel<T> {
    fn as_raw_fd(&self) -> RawFd {
        self.core().raw_fd()
    }
}

impl<T> Read for &SelectableChannel<T>
where
    for<'a> &'a T: Read,
{
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.get_ref().read(buffer)
    }

    fn read_vectored(&mut self, buffers: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        self.get_ref().read_vectored(buffers)
    }
}

impl<T> Read for SelectableChannel<T>
where
    for<'a> &'a T: Read,
{
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&*self).read(buffer)
    }

    fn read_vectored(&mut self, buffers: &mut [IoSliceMut<'_>]) -> io::Result<usize> {
        (&*self).read_vectored(buffers)
    }
}

impl<T> Write for &SelectableChannel<T>
where
    for<'a> &'a T: Write,
{
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.get_ref().write(buffer)
    }

    fn write_vectored(&mut self, buffers: &[IoSlice<'_>]) -> io::Result<usize> {
        self.get_ref().write_vectored(buffers)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.get_ref().flush()
    }
}

impl<T> Write for SelectableChannel<T>
where
    for<'a> &'a T: Write,
{
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        (&*self).write(buffer)
    }

    fn write_vectored(&mut self, buffers: &[IoSlice<'_>]) -> io::Result<usize> {
        (&*self).write_vectored(buffers)
    }

    fn flush(&mut self) -> io::Result<()> {
        (&*self).flush()
    }
}

impl<T> fmt::Debug for SelectableChannel<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SelectableChannel")
            .field("fd", &self.as_raw_fd())
            .field("kind", &self.kind())
            .finish_non_exhaustive()
    }
}
