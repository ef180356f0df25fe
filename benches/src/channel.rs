//! Channels of one descriptor each, so that there can be as many as the system allows.

use std::io;
use std::net::{Ipv4Addr, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::sync::Arc;

/// A descriptor that several engines watch at once.
pub type Channel = Arc<OwnedFd>;

/// Makes `count` channels. Of these, `ready`, spread evenly, can be read without waiting, and
/// stay so because nobody reads; the others are silent for ever.
///
/// # Errors
///
/// That of the system call that failed.
pub fn open(count: usize, ready: usize) -> io::Result<Vec<Channel>> {
    let is_ready = |index| index * ready / count != (index + 1) * ready / count;
    (0..count).map(|index| open_one(is_ready(index))).collect()
}

/// A silent channel.
pub(crate) fn open_silent() -> io::Result<Channel> {
    open_one(false)
}

/// Sockets, for these can be watched by every mechanism at its best: the kernel sends no signals
/// about an eventfd.
fn open_one(ready: bool) -> io::Result<Channel> {
    if ready {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        socket.set_nonblocking(true)?;
        socket.send_to(b"!", socket.local_addr()?)?;
        Ok(Arc::new(socket.into()))
    } else {
        // Unbound: there are fewer ports than there may be descriptors.
        let socket = UnixDatagram::unbound()?;
        socket.set_nonblocking(true)?;
        Ok(Arc::new(socket.into()))
    }
}
