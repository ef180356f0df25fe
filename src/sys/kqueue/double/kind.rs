//! What kind of file a descriptor is.

use std::os::fd::RawFd;
use std::sync::{Arc, Weak};

use super::flavour::Flavour;
use super::knote::Filter;
use super::linux::{self, Errno};
use super::queue::Queue;
use super::registry;

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Tcp,
    /// A UNIX domain socket that is connected.
    Unix {
        stream: bool,
    },
    /// UDP and all other sockets.
    Datagram,
    Pipe {
        can_read: bool,
        can_write: bool,
    },
    /// A file or directory, which is what epoll(7) refuses. No wakeup comes from it.
    Regular {
        device: u64,
        inode: u64,
    },
    Kqueue(Weak<Queue>),
    /// Terminals, eventfd(2) and so on.
    Other,
    /// No descriptor: an `EVFILT_USER`.
    User,
}

impl Kind {
    pub(super) fn of(fd: RawFd) -> Result<Self, Errno> {
        let stat = linux::stat(fd)?;
        let access = linux::access_mode(fd);
        match stat.st_mode & libc::S_IFMT {
            libc::S_IFSOCK => Self::of_socket(fd),
            libc::S_IFIFO => Ok(Self::Pipe {
                can_read: access != libc::O_WRONLY,
                can_write: access != libc::O_RDONLY,
            }),
            libc::S_IFREG | libc::S_IFDIR => Ok(Self::Regular {
                device: stat.st_dev,
                inode: stat.st_ino,
            }),
            // What epoll_create1(2) and the like make.
            0 => Ok(registry::find(fd)
                .map_or(Self::Other, |queue| Self::Kqueue(Arc::downgrade(&queue)))),
            _ => Ok(Self::Other),
        }
    }

    fn of_socket(fd: RawFd) -> Result<Self, Errno> {
        let domain = linux::socket_option(fd, libc::SO_DOMAIN)?;
        let socket_type = linux::socket_option(fd, libc::SO_TYPE)?;
        let protocol = linux::socket_option(fd, libc::SO_PROTOCOL)?;
        Ok(match (domain, socket_type) {
            _ if protocol == libc::IPPROTO_TCP => Self::Tcp,
            (libc::AF_UNIX, libc::SOCK_STREAM) => Self::Unix { stream: true },
            (libc::AF_UNIX, libc::SOCK_SEQPACKET) => Self::Unix { stream: false },
            _ => Self::Datagram,
        })
    }

    /// Whether a knote of this filter can be made.
    pub(super) fn check(&self, fd: RawFd, filter: Filter, flavour: Flavour) -> Result<(), Errno> {
        let is_write = filter == Filter::Write;
        match self {
            Self::Kqueue(_) if is_write => Err(libc::EINVAL),
            Self::Pipe { .. } if is_write && linux::poll(fd, 0) & libc::POLLERR != 0 => {
                Err(match flavour {
                    Flavour::FreeBsd => libc::EPIPE,
                    Flavour::NetBsd => libc::EBADF,
                })
            }
            _ => Ok(()),
        }
    }

    /// Whether the descriptor is still that file, as far as the file can be recognised. The
    /// number is open.
    pub(super) fn is_regular_file(&self, fd: RawFd) -> bool {
        let Self::Regular { device, inode } = *self else {
            return false;
        };
        linux::stat(fd).is_ok_and(|stat| stat.st_dev == device && stat.st_ino == inode)
    }
}
