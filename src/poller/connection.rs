//! How far the connection of a stream socket has come, asked of the system.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use socket2::SockRef;

use super::Kind;
use crate::error::{Error, Result};
use crate::sys::descriptor;
use crate::sys::poll;

/// Linux tells by poll(2) that a connection has not begun or is over: it hangs up on both. To the
/// other systems, what has not begun is silent, like what is under way.
const HANGS_UP_WHAT_HAS_NOT_BEGUN: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// Where a read fails in the same way before connect(2) and while it is pending: FreeBSD since its
/// `soreceive_stream`, illumos and Solaris.
const PENDING_IS_NOT_CONNECTED: bool = cfg!(any(
    target_os = "freebsd",
    target_os = "illumos",
    target_os = "solaris"
));

/// The kind of a stream socket.
pub(super) fn kind_of_stream(fd: BorrowedFd<'_>) -> Result<Kind> {
    if SockRef::from(&fd).peer_addr().is_ok() {
        return Ok(Kind::Connected);
    }
    let listens = descriptor::is_listening(fd)?;
    if listens == Some(true) {
        return Ok(Kind::Listener);
    }
    if HANGS_UP_WHAT_HAS_NOT_BEGUN {
        return Ok(if is_hung_up_and_silent(fd)? {
            Kind::Unconnected
        } else {
            Kind::Connecting
        });
    }
    Ok(match peek(fd) {
        Peek::NotConnected if listens.is_none() && descriptor::never_connects(fd) => Kind::Listener,
        Peek::NotConnected if may_be_connecting(fd) => Kind::Connecting,
        Peek::NotConnected => Kind::Unconnected,
        // Connecting, or broken. What is reported for the first is right for the second too:
        // that an operation will tell more.
        Peek::Nothing | Peek::End | Peek::Failure => Kind::Connecting,
    })
}

/// A connect has failed, and whoever asked knows why: no error is left.
pub(crate) fn has_failed_to_connect(fd: BorrowedFd<'_>) -> Result<bool> {
    if HANGS_UP_WHAT_HAS_NOT_BEGUN {
        let answer = poll_now(fd)?;
        Ok(answer & (libc::POLLHUP | libc::POLLERR) == libc::POLLHUP)
    } else {
        Ok(peek(fd) == Peek::End)
    }
}

/// On Linux a fresh stream socket is hung up and writable, but unlike a broken one not readable.
fn is_hung_up_and_silent(fd: BorrowedFd<'_>) -> Result<bool> {
    let answer = poll_now(fd)?;
    Ok(answer & (libc::POLLHUP | libc::POLLIN | libc::POLLERR) == libc::POLLHUP)
}

fn poll_now(fd: BorrowedFd<'_>) -> Result<libc::c_short> {
    let events = libc::POLLIN | libc::POLLOUT;
    let answer = poll::poll_one(fd, events, Some(Duration::ZERO));
    answer.map_err(|error| Error::system("poll", error))
}

/// What a read would meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Peek {
    NotConnected,
    /// Nothing yet.
    Nothing,
    /// Nothing any more, or bytes.
    End,
    /// An error, which stays pending.
    Failure,
}

/// Not for Linux, where a pending error does not survive it.
fn peek(fd: BorrowedFd<'_>) -> Peek {
    let flags = libc::MSG_PEEK | libc::MSG_DONTWAIT;
    match SockRef::from(&fd).recv_with_flags(&mut [MaybeUninit::uninit()], flags) {
        Ok(_) => Peek::End,
        Err(error) => match error.kind() {
            io::ErrorKind::NotConnected => Peek::NotConnected,
            io::ErrorKind::WouldBlock => Peek::Nothing,
            _ => Peek::Failure,
        },
    }
}

/// Whether a socket that is not connected can be about to: a UNIX domain socket never is, and
/// connect(2) gives any other an address of its own. So has one that was bound to a single address:
/// that it is taken for one that connects means only that its user must connect it elsewhere.
fn may_be_connecting(fd: BorrowedFd<'_>) -> bool {
    let address = SockRef::from(&fd).local_addr();
    let address = address.ok().and_then(|address| address.as_socket());
    PENDING_IS_NOT_CONNECTED && address.is_some_and(|address| !address.ip().is_unspecified())
}
