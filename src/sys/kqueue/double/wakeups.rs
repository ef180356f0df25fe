//! How Linux tells that something may have happened to a file: two epoll(7) instances, which
//! report edges, for readers and writers are woken apart.

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};

use libc::epoll_event;

use super::knote::{Filter, Key};
use super::linux::{self, Errno};

const READ: u32 = (libc::EPOLLIN | libc::EPOLLRDHUP | libc::EPOLLET) as u32;
const WRITE: u32 = (libc::EPOLLOUT | libc::EPOLLET) as u32;
const LEVEL: u32 = libc::EPOLLIN as u32;
/// What is no descriptor of the user's has this serial, which no knote has.
const INTERNAL: u64 = 0;

/// A wakeup of the file that had this number when the knote of this serial was made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wakeup {
    pub(super) key: Key,
    pub(super) serial: u32,
    pub(super) events: u32,
}

#[derive(Debug)]
pub(super) struct Wakeups {
    /// What the kqueue's own number stands for: readable when there is something to collect, in
    /// it, in `writing` or in the queue.
    reading: OwnedFd,
    writing: OwnedFd,
    /// Readable while the queue is not empty.
    flag: OwnedFd,
}

impl Wakeups {
    pub(super) fn open() -> Result<Self, Errno> {
        let reading = linux::epoll()?;
        let writing = linux::epoll()?;
        let flag = linux::eventfd()?;
        linux::epoll_add(&reading, writing.as_raw_fd(), LEVEL, INTERNAL)?;
        linux::epoll_add(&reading, flag.as_raw_fd(), LEVEL, INTERNAL)?;
        Ok(Self {
            reading,
            writing,
            flag,
        })
    }

    /// What the kqueue's number is a number of.
    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.reading.as_fd()
    }

    pub(super) fn waitable(&self) -> &OwnedFd {
        &self.reading
    }

    pub(super) fn raw(&self) -> [RawFd; 3] {
        [&self.reading, &self.writing, &self.flag].map(AsRawFd::as_raw_fd)
    }

    pub(super) fn show_ready(&self, ready: bool) {
        if ready {
            linux::raise(&self.flag);
        } else {
            linux::lower(&self.flag);
        }
    }

    fn side(&self, filter: Filter) -> (&OwnedFd, u32) {
        match filter {
            Filter::Write => (&self.writing, WRITE),
            Filter::Read | Filter::User => (&self.reading, READ),
        }
    }

    /// From now on. A wakeup is to be expected at once, if the file is ready.
    pub(super) fn watch(&self, fd: RawFd, filter: Filter, serial: u32) -> Result<(), Errno> {
        let (side, events) = self.side(filter);
        let data = u64::from(serial) << 32 | u64::from(fd.cast_unsigned());
        match linux::epoll_add(side, fd, events, data) {
            // The same file under the same number, which was closed in the meantime.
            Err(libc::EEXIST) => linux::epoll_modify(side, fd, events, data),
            result => result,
        }
    }

    /// The descriptor is watched.
    pub(super) fn unwatch(&self, fd: RawFd, filter: Filter) {
        let (side, _) = self.side(filter);
        let _ = linux::epoll_delete(side, fd);
    }

    /// Whether the number still means the file that is watched: only then does epoll(7) refuse
    /// to watch it twice. No duplicate needs to be kept, which would hide the close from a peer.
    pub(super) fn is_watched(&self, fd: RawFd, filter: Filter) -> bool {
        let (side, _) = self.side(filter);
        match linux::epoll_add(side, fd, 0, INTERNAL) {
            Err(errno) => errno == libc::EEXIST,
            Ok(()) => {
                let _ = linux::epoll_delete(side, fd);
                false
            }
        }
    }

    /// Takes what has happened since the last time.
    pub(super) fn take(&self, filter: Filter, taken: &mut Vec<Wakeup>) {
        let (side, _) = self.side(filter);
        let mut events = [epoll_event { events: 0, u64: 0 }; 128];
        loop {
            let count = linux::epoll_collect(side, &mut events);
            for event in &events[..count] {
                if event.u64 != INTERNAL {
                    taken.push(wakeup(event, filter));
                }
            }
            if count < events.len() {
                return;
            }
        }
    }
}

fn wakeup(event: &epoll_event, filter: Filter) -> Wakeup {
    let ident = (event.u64 & u64::from(u32::MAX)) as usize;
    Wakeup {
        key: Key { ident, filter },
        serial: (event.u64 >> 32) as u32,
        events: event.events,
    }
}
