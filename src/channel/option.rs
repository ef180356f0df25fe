//! Socket options, with the names of `java.net.StandardSocketOptions`.
//!
//! ```
//! use nioselect::channel::option::{SO_RCVBUF, TCP_NODELAY};
//! use nioselect::{ProtocolFamily, SocketChannel};
//!
//! let channel = SocketChannel::open(ProtocolFamily::Inet)?;
//! channel.set_option(&TCP_NODELAY, true)?;
//! assert!(channel.option(&TCP_NODELAY)?);
//! assert!(channel.option(&SO_RCVBUF)? > 0);
//! # Ok::<(), nioselect::Error>(())
//! ```

use std::fmt;
use std::io;
use std::time::Duration;

use socket2::SockRef;

use super::SelectableChannel;
use crate::error::{Error, Result};

/// An option of a socket, with values of type `V`.
pub struct SocketOption<V> {
    name: &'static str,
    get: fn(&SockRef<'_>) -> io::Result<V>,
    set: fn(&SockRef<'_>, V) -> io::Result<()>,
}

impl<V> SocketOption<V> {
    const fn new(
        name: &'static str,
        get: fn(&SockRef<'_>) -> io::Result<V>,
        set: fn(&SockRef<'_>, V) -> io::Result<()>,
    ) -> Self {
        Self { name, get, set }
    }

    /// The option's name.
    pub const fn name(&self) -> &'static str {
        self.name
    }
}

impl<V> fmt::Debug for SocketOption<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Whether datagrams may be sent to broadcast addresses.
pub const SO_BROADCAST: SocketOption<bool> = SocketOption::new(
    "SO_BROADCAST",
    |s| s.broadcast(),
    |s, on| s.set_broadcast(on),
);

/// Whether an idle connection is probed.
pub const SO_KEEPALIVE: SocketOption<bool> = SocketOption::new(
    "SO_KEEPALIVE",
    |s| s.keepalive(),
    |s, on| s.set_keepalive(on),
);

/// How long closing waits for what has been written; zero resets the connection.
pub const SO_LINGER: SocketOption<Option<Duration>> =
    SocketOption::new("SO_LINGER", |s| s.linger(), |s, time| s.set_linger(time));

/// Whether urgent data comes with the rest. Otherwise it is discarded, and never makes a channel
/// ready.
pub const SO_OOBINLINE: SocketOption<bool> = SocketOption::new(
    "SO_OOBINLINE",
    |s| s.out_of_band_inline(),
    |s, on| s.set_out_of_band_inline(on),
);

/// The size of the receive buffer in bytes. The system takes it for a hint; Linux doubles it.
pub const SO_RCVBUF: SocketOption<usize> = SocketOption::new(
    "SO_RCVBUF",
    |s| s.recv_buffer_size(),
    |s, size| s.set_recv_buffer_size(size),
);

/// The size of the send buffer in bytes. The system takes it for a hint; Linux doubles it.
pub const SO_SNDBUF: SocketOption<usize> = SocketOption::new(
    "SO_SNDBUF",
    |s| s.send_buffer_size(),
    |s, size| s.set_send_buffer_size(size),
);

/// Whether an address can be bound that connections of old still have.
pub const SO_REUSEADDR: SocketOption<bool> = SocketOption::new(
    "SO_REUSEADDR",
    |s| s.reuse_address(),
    |s, on| s.set_reuse_address(on),
);

/// Whether several sockets may listen on one address.
#[cfg(not(any(target_os = "solaris", target_os = "illumos")))]
pub const SO_REUSEPORT: SocketOption<bool> = SocketOption::new(
    "SO_REUSEPORT",
    |s| s.reuse_port(),
    |s, on| s.set_reuse_port(on),
);

/// Whether small writes are sent at once.
pub const TCP_NODELAY: SocketOption<bool> = SocketOption::new(
    "TCP_NODELAY",
    |s| s.tcp_nodelay(),
    |s, on| s.set_tcp_nodelay(on),
);

impl<T> SelectableChannel<T> {
    /// Asks for a socket option (`getOption`).
    ///
    /// # Errors
    ///
    /// [`Error::System`] if the channel is no socket, or one without this option.
    pub fn option<V>(&self, option: &SocketOption<V>) -> Result<V> {
        (option.get)(&SockRef::from(self)).map_err(|error| Error::system("getsockopt", error))
    }

    /// Sets a socket option (`setOption`).
    ///
    /// # Errors
    ///
    /// [`Error::System`] if the channel is no socket, or one without this option, or the value
    /// is out of range.
    pub fn set_option<V>(&self, option: &SocketOption<V>, value: V) -> Result<()> {
        (option.set)(&SockRef::from(self), value)
            .map_err(|error| Error::system("setsockopt", error))
    }
}
