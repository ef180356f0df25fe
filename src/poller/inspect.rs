//! Finding out what a descriptor is.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use socket2::{SockRef, Type};

use super::Kind;
use crate::error::{Error, Result};
use crate::sys::descriptor::{self, FileType};
use crate::sys::poll;

/// The kind of channel that a descriptor makes.
///
/// Regular files, directories and devices like `/dev/null` are refused here, for every backend:
/// they never block, so there is nothing to wait for, and the mechanisms disagree about them
/// (epoll refuses them, poll and select find them ready for ever).
pub(crate) fn kind_of(fd: BorrowedFd<'_>) -> Result<Kind> {
    match descriptor::file_type(fd)? {
        FileType::Socket => socket_kind(fd),
        FileType::Fifo => Ok(match descriptor::access(fd)? {
            (true, false) => Kind::PipeSource,
            (false, true) => Kind::PipeSink,
            _ => Kind::Other,
        }),
        FileType::Regular => Err(never_blocks("a regular file")),
        FileType::Directory => Err(never_blocks("a directory")),
        FileType::Other if cannot_be_watched(fd)? => Err(never_blocks("this device")),
        FileType::Other => Ok(Kind::Other),
    }
}

fn never_blocks(what: &str) -> Error {
    Error::Unsupported(format!("{what} is always ready and cannot be waited for"))
}

fn socket_kind(fd: BorrowedFd<'_>) -> Result<Kind> {
    let socket = SockRef::from(&fd);
    let failed = |error: io::Error| Error::system("getsockopt", error);
    let socket_type = socket.r#type().map_err(failed)?;
    if socket_type == Type::DGRAM || socket_type == Type::RAW {
        return Ok(Kind::Datagram);
    }
    if descriptor::is_listening(fd)? {
        return Ok(Kind::Listener);
    }
    match socket.peer_addr() {
        Ok(_) => Ok(Kind::Connected),
        Err(_) if was_never_connected(fd)? => Ok(Kind::Unconnected),
        // Connecting, or broken. What is reported for the first is right for the second too:
        // that an operation will tell more.
        Err(_) => Ok(Kind::Connecting),
    }
}

/// A connect has failed, and whoever asked knows why: it is hung up, without an error.
pub(crate) fn has_failed_to_connect(fd: BorrowedFd<'_>) -> Result<bool> {
    let answer = poll_now(fd)?;
    Ok(answer & (libc::POLLHUP | libc::POLLERR) == libc::POLLHUP)
}

/// A fresh stream socket is hung up and writable, but unlike a broken one not readable.
fn was_never_connected(fd: BorrowedFd<'_>) -> Result<bool> {
    let answer = poll_now(fd)?;
    Ok(answer & (libc::POLLHUP | libc::POLLIN | libc::POLLERR) == libc::POLLHUP)
}

fn poll_now(fd: BorrowedFd<'_>) -> Result<libc::c_short> {
    let events = libc::POLLIN | libc::POLLOUT;
    let answer = poll::poll_one(fd, events, Some(Duration::ZERO));
    answer.map_err(|error| Error::system("poll", error))
}

#[cfg(target_os = "linux")]
fn cannot_be_watched(fd: BorrowedFd<'_>) -> Result<bool> {
    use std::os::fd::AsRawFd;
    crate::backend::epoll::refuses(fd.as_raw_fd())
}

#[cfg(not(target_os = "linux"))]
fn cannot_be_watched(_fd: BorrowedFd<'_>) -> Result<bool> {
    Ok(false)
}
