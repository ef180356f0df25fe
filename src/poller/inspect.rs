//! Finding out what a descriptor is.

use std::io;
use std::os::fd::BorrowedFd;

use socket2::{SockRef, Type};

use super::{Kind, connection};
use crate::error::{Error, Result};
use crate::sys::descriptor::{self, FileType};

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
    connection::kind_of_stream(fd)
}

#[cfg(has_epoll)]
fn cannot_be_watched(fd: BorrowedFd<'_>) -> Result<bool> {
    use std::os::fd::AsRawFd;
    crate::backend::epoll::refuses(fd.as_raw_fd())
}

#[cfg(not(has_epoll))]
fn cannot_be_watched(_fd: BorrowedFd<'_>) -> Result<bool> {
    Ok(false)
}
