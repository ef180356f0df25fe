//! What can be asked of any descriptor.

#[cfg(has_epoll)]
use std::fs;
#[cfg(has_epoll)]
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

use super::check;
use crate::error::{Error, Result};

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

/// What the system calls a file that has no name in any file system, such as `[eventfd]`.
#[cfg(has_epoll)]
pub(crate) fn nameless_kind(fd: RawFd) -> io::Result<Option<String>> {
    let target = fs::read_link(format!("/proc/thread-self/fd/{fd}"))?;
    let kind = target
        .to_str()
        .and_then(|it| it.strip_prefix("anon_inode:"));
    Ok(kind.map(str::to_owned))
}

/// Whether the number is that of a descriptor.
pub(crate) fn is_open(fd: RawFd) -> bool {
    // SAFETY: no memory is passed.
    unsafe { libc::fcntl(fd, libc::F_GETFD) != -1 }
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

/// Whether it is a socket that listens, where the system tells: macOS, NetBSD and OpenBSD do not
/// know the question.
pub(crate) fn is_listening(fd: BorrowedFd<'_>) -> Result<Option<bool>> {
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
    match check("getsockopt(SO_ACCEPTCONN)", answer) {
        Ok(_) => Ok(Some(value != 0)),
        Err(error) if error.raw_os_error() == Some(libc::ENOPROTOOPT) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether a stream socket that has no peer refuses to have one, whatever its address.
///
/// That is how one that listens is known on the BSDs: for it, connect(2) fails by EOPNOTSUPP before
/// the address is looked at. Any other refuses the address, which is of no family. An error that
/// is pending on the socket may get lost.
pub(crate) fn never_connects(fd: BorrowedFd<'_>) -> bool {
    // SAFETY: zeros are a value of every field.
    let mut nowhere: libc::sockaddr = unsafe { std::mem::zeroed() };
    nowhere.sa_family = libc::sa_family_t::MAX;
    let length = std::mem::offset_of!(libc::sockaddr, sa_data) as libc::socklen_t;
    // SAFETY: the address is larger than `length`, and lives through the call.
    let answer = unsafe { libc::connect(fd.as_raw_fd(), &raw const nowhere, length) };
    answer == -1 && Error::last_os("connect").raw_os_error() == Some(libc::EOPNOTSUPP)
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
