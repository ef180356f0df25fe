//! Stream sockets that connect: TCP and UNIX domain.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use socket2::{Domain, SockAddr, SockRef, Socket, Type};

use super::SelectableChannel;
use crate::error::{Error, Result};
use crate::poller::{Kind, reading_has_ended};
use crate::sys::poll;

/// A TCP connection, or a socket on its way to one (`java.nio.channels.SocketChannel`).
///
/// ```
/// use std::io::{Read, Write};
/// use nioselect::{Ops, ProtocolFamily, Selector, ServerSocketChannel, SocketChannel};
///
/// let server = ServerSocketChannel::bind("127.0.0.1:0".parse().unwrap())?;
/// let mut selector = Selector::open()?;
///
/// let mut client = SocketChannel::open(ProtocolFamily::Inet)?;
/// client.configure_blocking(false)?;
/// let key = client.register(&selector, Ops::CONNECT, ())?;
/// if !client.connect(server.get_ref().local_addr()?)? {
///     selector.select()?;
///     assert!(key.is_connectable());
///     assert!(client.finish_connect()?);
/// }
/// key.set_interest_ops(Ops::READ)?;
///
/// let (mut accepted, _) = server.accept()?.expect("it blocks until there is one");
/// accepted.write_all(b"hello")?;
/// selector.selected_keys().clear();
/// selector.select()?;
/// let mut buffer = [0; 16];
/// assert_eq!(client.read(&mut buffer)?, 5);
/// # Ok::<(), std::io::Error>(())
/// ```
pub type SocketChannel = SelectableChannel<TcpStream>;

/// A UNIX domain stream connection, or a socket on its way to one.
pub type UnixSocketChannel = SelectableChannel<UnixStream>;

/// Which kind of internet address a socket has (`java.net.StandardProtocolFamily`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ProtocolFamily {
    /// IPv4.
    Inet,
    /// IPv6.
    Inet6,
}

impl ProtocolFamily {
    pub(super) fn domain(self) -> Domain {
        match self {
            Self::Inet => Domain::IPV4,
            Self::Inet6 => Domain::IPV6,
        }
    }
}

/// The sockets of the standard library that connect: [`TcpStream`] and [`UnixStream`].
pub trait StreamSocket: AsFd + sealed::Sealed {}

impl StreamSocket for TcpStream {}
impl StreamSocket for UnixStream {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for std::net::TcpStream {}
    impl Sealed for std::os::unix::net::UnixStream {}
}

impl SocketChannel {
    /// Opens an unconnected channel in blocking mode (`SocketChannel.open`).
    ///
    /// # Errors
    ///
    /// [`Error::System`] if the system has no such socket to give.
    pub fn open(family: ProtocolFamily) -> Result<Self> {
        Ok(Self::of_kind(
            unconnected(family.domain())?.into(),
            Kind::Unconnected,
        ))
    }

    /// Connects (`connect`). In blocking mode it waits; in non-blocking mode it returns whether
    /// the connection stands already. If not, it is pending: `CONNECT` becomes ready when it
    /// stands or has failed, and [`finish_connect`](Self::finish_connect) tells which.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyConnected`] and [`Error::ConnectionPending`]; [`Error::System`] if the
    /// connect fails. Then the channel is unconnected again. (In Java it is closed.)
    pub fn connect(&self, address: SocketAddr) -> Result<bool> {
        self.begin_connect(&address.into())
    }

    /// Opens a channel and connects it, waiting (`SocketChannel.open(SocketAddress)`).
    ///
    /// # Errors
    ///
    /// [`Error::System`] if either fails.
    pub fn open_connected(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).map_err(|e| Error::system("connect", e))?;
        Ok(Self::of_kind(stream, Kind::Connected))
    }
}

impl UnixSocketChannel {
    /// Opens an unconnected channel in blocking mode (`SocketChannel.open(UNIX)`).
    ///
    /// # Errors
    ///
    /// [`Error::System`] if the system has no such socket to give.
    pub fn open() -> Result<Self> {
        Ok(Self::of_kind(
            OwnedFd::from(unconnected(Domain::UNIX)?).into(),
            Kind::Unconnected,
        ))
    }

    /// Connects to the listener at `path`, as [`SocketChannel::connect`] does. It usually
    /// succeeds or fails at once.
    ///
    /// # Errors
    ///
    /// As [`SocketChannel::connect`]; in non-blocking mode also
    /// [`WouldBlock`](io::ErrorKind::WouldBlock) if the listener's queue is full. That is not a
    /// pending connect: try again later.
    pub fn connect(&self, path: impl AsRef<Path>) -> Result<bool> {
        let address = SockAddr::unix(path).map_err(|error| Error::system("connect", error))?;
        self.begin_connect(&address)
    }
}

fn unconnected(domain: Domain) -> Result<Socket> {
    Socket::new(domain, Type::STREAM, None).map_err(|error| Error::system("socket", error))
}

/// Linux tells the end of an attempt that has failed once more, by ECONNABORTED, before it begins
/// another.
fn connect(socket: &Socket, address: &SockAddr) -> io::Result<()> {
    match socket.connect(address) {
        Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => socket.connect(address),
        answer => answer,
    }
}

impl<T: StreamSocket> SelectableChannel<T> {
    fn begin_connect(&self, address: &SockAddr) -> Result<bool> {
        match self.kind() {
            Kind::Connected => return Err(Error::AlreadyConnected),
            Kind::Connecting => return Err(Error::ConnectionPending),
            _ => {}
        }
        match connect(&SockRef::from(self), address) {
            Ok(()) => {
                self.core().set_kind(Kind::Connected);
                Ok(true)
            }
            Err(error) => match error.raw_os_error() {
                // Interrupted by a signal, it goes on by itself (connect(2), EINTR).
                Some(libc::EINPROGRESS | libc::EINTR) => {
                    self.core().set_kind(Kind::Connecting);
                    if self.is_blocking()? {
                        self.finish_connect()
                    } else {
                        Ok(false)
                    }
                }
                Some(libc::EISCONN) => Err(Error::AlreadyConnected),
                Some(libc::EALREADY) => Err(Error::ConnectionPending),
                _ => Err(Error::system("connect", error)),
            },
        }
    }

    /// Finishes a pending connect (`finishConnect`), and returns whether the connection stands. In
    /// blocking mode it waits until it does or has failed.
    ///
    /// From here on `READ` and `WRITE` become ready, and `CONNECT` never again.
    ///
    /// # Errors
    ///
    /// [`Error::NoConnectionPending`]; [`Error::System`] with the reason why the connect failed.
    /// Then the channel is unconnected again. (In Java it is closed.)
    pub fn finish_connect(&self) -> Result<bool> {
        match self.kind() {
            Kind::Connected => return Ok(true),
            Kind::Connecting => {}
            _ => return Err(Error::NoConnectionPending),
        }
        if !self.wait_for_connect()? {
            return Ok(false);
        }
        let socket = SockRef::from(self);
        let outcome = match socket.take_error() {
            Ok(None) => socket.peer_addr().map(drop),
            Ok(Some(error)) | Err(error) => Err(error),
        };
        let kind = if outcome.is_ok() {
            Kind::Connected
        } else {
            Kind::Unconnected
        };
        self.core().set_kind(kind);
        outcome
            .map(|()| true)
            .map_err(|error| Error::system("connect", error))
    }

    /// Whether the pending connect has come to an end; in blocking mode, when it has.
    fn wait_for_connect(&self) -> Result<bool> {
        let timeout = if self.is_blocking()? {
            None
        } else {
            Some(Duration::ZERO)
        };
        loop {
            match poll::poll_one(self.as_fd(), libc::POLLOUT, timeout) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::system("poll", error)),
                Ok(events) => return Ok(events != 0),
            }
        }
    }

    /// Whether the connection stands (`isConnected`); after a non-blocking connect, whether
    /// [`finish_connect`](Self::finish_connect) has said so.
    pub fn is_connected(&self) -> bool {
        self.kind() == Kind::Connected
    }

    /// Whether a connect is pending (`isConnectionPending`).
    pub fn is_connection_pending(&self) -> bool {
        self.kind() == Kind::Connecting
    }

    /// Ends reading (`shutdownInput`): reads meet the end of the stream. Doing it twice, or when
    /// the peer has reset the connection, does nothing.
    ///
    /// # Errors
    ///
    /// [`Error::System`], with [`NotConnected`](io::ErrorKind::NotConnected) if it has never
    /// been connected.
    pub fn shutdown_input(&self) -> Result<()> {
        self.shutdown(Shutdown::Read)?;
        reading_has_ended(self);
        Ok(())
    }

    /// Ends writing (`shutdownOutput`): the peer meets the end of the stream when it has read
    /// what was written, and can go on writing itself. Doing it twice, or when the peer has
    /// reset the connection, does nothing.
    ///
    /// # Errors
    ///
    /// As [`shutdown_input`](Self::shutdown_input).
    pub fn shutdown_output(&self) -> Result<()> {
        self.shutdown(Shutdown::Write)
    }

    fn shutdown(&self, how: Shutdown) -> Result<()> {
        match SockRef::from(self).shutdown(how) {
            Err(error) if error.kind() == io::ErrorKind::NotConnected && self.is_connected() => {
                Ok(())
            }
            answer => answer.map_err(|error| Error::system("shutdown", error)),
        }
    }
}
