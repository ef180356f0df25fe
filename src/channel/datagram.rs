//! Datagram sockets: UDP and UNIX domain.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::unix::net::{SocketAddr as UnixSocketAddr, UnixDatagram};
use std::path::Path;

use super::SelectableChannel;
use crate::error::{Error, Result};
use crate::poller::Kind;

/// A UDP socket (`java.nio.channels.DatagramChannel`).
///
/// Everything else that a [`UdpSocket`] can do, such as joining multicast groups, is done by
/// [`get_ref`](SelectableChannel::get_ref).
pub type DatagramChannel = SelectableChannel<UdpSocket>;

/// A UNIX domain datagram socket.
pub type UnixDatagramChannel = SelectableChannel<UnixDatagram>;

impl DatagramChannel {
    /// Opens a channel at `address`, in blocking mode; port 0 is any that is free
    /// (`open().bind(address)`).
    ///
    /// # Errors
    ///
    /// [`Error::System`], for instance because the address is in use.
    pub fn bind(address: SocketAddr) -> Result<Self> {
        let socket = UdpSocket::bind(address).map_err(|error| Error::system("bind", error))?;
        Ok(Self::of_kind(socket, Kind::Datagram))
    }

    /// Restricts the channel to one peer (`connect`): only its datagrams arrive, and
    /// [`write`](Self::write) and [`read`](Self::read) need no address. A peer that does not
    /// listen is then reported as an error of an operation. Connecting again changes the peer.
    ///
    /// # Errors
    ///
    /// [`Error::System`].
    pub fn connect(&self, peer: SocketAddr) -> Result<()> {
        self.get_ref()
            .connect(peer)
            .map_err(|error| Error::system("connect", error))
    }

    /// Sends one datagram (`send`) and returns its length. In non-blocking mode the result is
    /// `None` if there is no room now.
    ///
    /// # Errors
    ///
    /// [`Error::System`], for instance because the datagram is too long.
    pub fn send(&self, datagram: &[u8], target: SocketAddr) -> Result<Option<usize>> {
        unless_it_would_block("sendto", self.get_ref().send_to(datagram, target))
    }

    /// Sends one datagram to the peer that the channel is connected to (`write`). In non-blocking
    /// mode the result is `None` if there is no room now.
    ///
    /// # Errors
    ///
    /// [`Error::System`]; [`ConnectionRefused`](io::ErrorKind::ConnectionRefused) tells that the
    /// peer does not listen.
    pub fn write(&self, datagram: &[u8]) -> Result<Option<usize>> {
        unless_it_would_block("send", self.get_ref().send(datagram))
    }

    /// Receives one datagram (`read`), as [`receive`](Self::receive) does.
    ///
    /// # Errors
    ///
    /// As [`receive`](Self::receive).
    pub fn read(&self, buffer: &mut [u8]) -> Result<Option<usize>> {
        unless_it_would_block("recv", self.get_ref().recv(buffer))
    }

    /// Receives one datagram and its sender (`receive`). What does not fit into `buffer` is lost.
    /// In non-blocking mode the result is `None` if there is none now.
    ///
    /// # Errors
    ///
    /// [`Error::System`]; [`ConnectionRefused`](io::ErrorKind::ConnectionRefused) tells a
    /// connected channel that its peer does not listen.
    pub fn receive(&self, buffer: &mut [u8]) -> Result<Option<(usize, SocketAddr)>> {
        unless_it_would_block("recvfrom", self.get_ref().recv_from(buffer))
    }
}

impl UnixDatagramChannel {
    /// Opens a channel at `path`, which must not exist, in blocking mode. The file stays when the
    /// channel is dropped.
    ///
    /// # Errors
    ///
    /// [`Error::System`], for instance because something exists at `path`.
    pub fn bind(path: impl AsRef<Path>) -> Result<Self> {
        let socket = UnixDatagram::bind(path).map_err(|error| Error::system("bind", error))?;
        Ok(Self::of_kind(socket, Kind::Datagram))
    }

    /// Restricts the channel to the peer at `path`, as [`DatagramChannel::connect`] does.
    ///
    /// # Errors
    ///
    /// [`Error::System`].
    pub fn connect(&self, path: impl AsRef<Path>) -> Result<()> {
        self.get_ref()
            .connect(path)
            .map_err(|error| Error::system("connect", error))
    }

    /// Sends one datagram, as [`DatagramChannel::send`] does.
    ///
    /// # Errors
    ///
    /// As [`DatagramChannel::send`].
    pub fn send(&self, datagram: &[u8], target: impl AsRef<Path>) -> Result<Option<usize>> {
        unless_it_would_block("sendto", self.get_ref().send_to(datagram, target))
    }

    /// Sends one datagram to the peer that the channel is connected to, as
    /// [`DatagramChannel::write`] does.
    ///
    /// # Errors
    ///
    /// As [`DatagramChannel::write`].
    pub fn write(&self, datagram: &[u8]) -> Result<Option<usize>> {
        unless_it_would_block("send", self.get_ref().send(datagram))
    }

    /// Receives one datagram, as [`DatagramChannel::read`] does.
    ///
    /// # Errors
    ///
    /// As [`DatagramChannel::receive`].
    pub fn read(&self, buffer: &mut [u8]) -> Result<Option<usize>> {
        unless_it_would_block("recv", self.get_ref().recv(buffer))
    }

    /// Receives one datagram and its sender, as [`DatagramChannel::receive`] does.
    ///
    /// # Errors
    ///
    /// As [`DatagramChannel::receive`].
    pub fn receive(&self, buffer: &mut [u8]) -> Result<Option<(usize, UnixSocketAddr)>> {
        unless_it_would_block("recvfrom", self.get_ref().recv_from(buffer))
    }
}

fn unless_it_would_block<R>(call: &'static str, answer: io::Result<R>) -> Result<Option<R>> {
    match answer {
        Ok(answer) => Ok(Some(answer)),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(Error::system(call, error)),
    }
}
