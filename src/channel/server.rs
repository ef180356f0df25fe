//! Sockets that listen: TCP and UNIX domain.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::net::{SocketAddr as UnixSocketAddr, UnixListener};
use std::path::Path;

use socket2::{Domain, Socket, Type};

use super::{SelectableChannel, SocketChannel, UnixSocketChannel};
use crate::error::{Error, Result};
use crate::poller::Kind;

/// A TCP socket that listens (`java.nio.channels.ServerSocketChannel`).
pub type ServerSocketChannel = SelectableChannel<TcpListener>;

/// A UNIX domain stream socket that listens.
pub type UnixServerSocketChannel = SelectableChannel<UnixListener>;

/// How many connections may wait to be accepted, unless told otherwise; the system may allow
/// fewer.
const DEFAULT_BACKLOG: i32 = 1024;

impl ServerSocketChannel {
    /// Listens on `address`, in blocking mode (`open().bind(address)`), with `SO_REUSEADDR` as
    /// Java has it on UNIX, so that a restarted server can bind at once.
    ///
    /// # Errors
    ///
    /// [`Error::System`] with the call that failed, for instance `bind` because the address is
    /// in use.
    pub fn bind(address: SocketAddr) -> Result<Self> {
        Self::bind_with_backlog(address, DEFAULT_BACKLOG)
    }

    /// As [`bind`](Self::bind), where at most `backlog` connections wait to be accepted.
    ///
    /// For other options, make a [`TcpListener`] with the socket2 crate and take it in with
    /// [`SelectableChannel::new`].
    ///
    /// # Errors
    ///
    /// As [`bind`](Self::bind).
    pub fn bind_with_backlog(address: SocketAddr, backlog: i32) -> Result<Self> {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)
            .map_err(|error| Error::system("socket", error))?;
        socket
            .set_reuse_address(true)
            .map_err(|error| Error::system("setsockopt", error))?;
        socket
            .bind(&address.into())
            .map_err(|error| Error::system("bind", error))?;
        socket
            .listen(backlog)
            .map_err(|error| Error::system("listen", error))?;
        Ok(Self::of_kind(socket.into(), Kind::Listener))
    }

    /// Accepts a connection (`accept`): its channel, in blocking mode, and the peer's address.
    /// In non-blocking mode the result is `None` if none waits.
    ///
    /// # Errors
    ///
    /// [`Error::System`]. When the process has no descriptor left, the connection stays where it
    /// is and the listener stays ready: set its interest to nothing until one is free, or it is
    /// reported again and again.
    pub fn accept(&self) -> Result<Option<(SocketChannel, SocketAddr)>> {
        let Some((stream, peer)) = one_of_those_that_wait(|| self.get_ref().accept())? else {
            return Ok(None);
        };
        Ok(Some((
            blocking(SocketChannel::of_kind(stream, Kind::Connected))?,
            peer,
        )))
    }
}

impl UnixServerSocketChannel {
    /// Listens at `path`, which must not exist, in blocking mode. The file stays when the channel
    /// is dropped.
    ///
    /// # Errors
    ///
    /// [`Error::System`], for instance because something exists at `path`.
    pub fn bind(path: impl AsRef<Path>) -> Result<Self> {
        let listener = UnixListener::bind(path).map_err(|error| Error::system("bind", error))?;
        Ok(Self::of_kind(listener, Kind::Listener))
    }

    /// Accepts a connection, as [`ServerSocketChannel::accept`] does.
    ///
    /// # Errors
    ///
    /// As [`ServerSocketChannel::accept`].
    pub fn accept(&self) -> Result<Option<(UnixSocketChannel, UnixSocketAddr)>> {
        let Some((stream, peer)) = one_of_those_that_wait(|| self.get_ref().accept())? else {
            return Ok(None);
        };
        Ok(Some((
            blocking(UnixSocketChannel::of_kind(stream, Kind::Connected))?,
            peer,
        )))
    }
}

/// On the BSDs an accepted socket is in the mode of the one that listens.
fn blocking<T>(channel: SelectableChannel<T>) -> Result<SelectableChannel<T>> {
    if cfg!(not(any(target_os = "linux", target_os = "android"))) {
        channel.configure_blocking(true)?;
    }
    Ok(channel)
}

/// What has happened to a connection while it waited is nobody's business: the next one is taken.
fn one_of_those_that_wait<C>(accept: impl Fn() -> io::Result<C>) -> Result<Option<C>> {
    loop {
        match accept() {
            Ok(connection) => return Ok(Some(connection)),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => return Err(Error::system("accept", error)),
        }
    }
}

/// Linux reports pending errors of the connection by accept(2), and asks to be called again.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(
            libc::EINTR
                | libc::ECONNABORTED
                | libc::EPROTO
                | libc::ENOPROTOOPT
                | libc::ENETDOWN
                | libc::ENETUNREACH
                | libc::EHOSTDOWN
                | libc::EHOSTUNREACH
        )
    )
}
