//! What can be asked of any descriptor.

use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd};

use super::check;
use crate::error::Result;

/// The kind of file behind a descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FileType {
    Socket,
    Fifo,
    Regular,
    Directory,
    Other,
}

pub(crate) fn file_type(fd: BorrowedFd<'_>) -> Result<FileType> {
    let mut status = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: `status` has room for what the call writes.
    check("fstat", unsafe {
        libc::fstat(fd.as_raw_fd(), status.as_mut_ptr())
    })?;
    // SAFETY: the call has succeeded and so filled it in.
    let mode = unsafe { status.assume_init() }.st_mode;
    Ok(match mode & libc::S_IFMT {
        libc::S_IFSOCK => FileType::Socket,
        libc::S_IFIFO => FileType::Fifo,
        libc::S_IFREG => FileType::Regular,
        libc::S_IFDIR => FileType::Directory,
        _ => FileType::Other,
    })
}

fn status_flags(fd: BorrowedFd<'_>) -> Result<libc::c_int> {
    // SAFETY: no memory is passed.
    check("fcntl(F_GETFL)", unsafe {
        libc::fcntl(fd.as_raw_fd(), libc::F_GETFL)
    })
}

/// Whether it was opened for reading, and whether for writing.
pub(crate) fn access(fd: BorrowedFd<'_>) -> Result<(bool, bool)> {
    Ok(match status_flags(fd)? & libc::O_ACCMODE {
        libc::O_RDONLY => (true, false),
        libc::O_WRONLY => (false, true),
        _ => (true, true),
    })
}

/// Whether it is a socket that listens.
pub(crate) fn is_listening(fd: BorrowedFd<'_>) -> Result<bool> {
    let mut value: libc::c_int = 0;
    let mut length = size_of::<libc::c_int>() as libc::socklen_t;
    // SAFETY: `value` has room for `length` bytes, and both live through the call.
    let answer = unsafe {
        libc::getsockopt(
            fd.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_ACCEPTCONN,
            (&raw mut value).cast(),
            &raw mut length,
        )
    };
    check("getsockopt(SO_ACCEPTCONN)", answer)?;
    Ok(value != 0)
}

pub(crate) fn is_nonblocking(fd: BorrowedFd<'_>) -> Result<bool> {
    Ok(status_flags(fd)? & libc::O_NONBLOCK != 0)
}

pub(crate) fn set_nonblocking(fd: BorrowedFd<'_>, nonblocking: bool) -> Result<()> {
    let before = status_flags(fd)?;
    let after = if nonblocking {
        before | libc::O_NONBLOCK
    } else {
        before & !libc::O_NONBLOCK
    };
    if after != before {
        // SAFETY: no memory is passed.
        check("fcntl(F_SETFL)", unsafe {
            libc::fcntl(fd.as_raw_fd(), libc::F_SETFL, after)
        })?;
    }
    Ok(())
}
