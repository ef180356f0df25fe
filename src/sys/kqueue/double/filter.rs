//! What the filters say of a descriptor: whether it is ready, and how.

use std::os::fd::RawFd;

use libc::{POLLERR, POLLHUP, POLLIN, POLLOUT, POLLRDHUP, c_short};

use super::flavour::Flavour;
use super::kind::Kind;
use super::knote::{Filter, Knote, Verdict};
use super::linux::{self, TcpInfo};

/// NetBSD counts a datagram's address as readable too.
const NETBSD_ADDRESS: i64 = 16;

// linux/tcp_states.h.
const TCP_SYN_SENT: u8 = 2;
const TCP_FIN_WAIT1: u8 = 4;
const TCP_FIN_WAIT2: u8 = 5;
const TCP_TIME_WAIT: u8 = 6;
const TCP_CLOSE: u8 = 7;
const TCP_LAST_ACK: u8 = 9;
const TCP_LISTEN: u8 = 10;
const TCP_CLOSING: u8 = 11;

impl Knote {
    /// Asks the filter.
    pub(super) fn evaluate(&self, flavour: Flavour) -> Verdict {
        let Ok(fd) = RawFd::try_from(self.key.ident) else {
            return self.user_verdict();
        };
        let is_read = self.key.filter == Filter::Read;
        match &self.kind {
            Kind::User => self.user_verdict(),
            Kind::Kqueue(queue) => {
                let count = queue.upgrade().map_or(0, |queue| queue.ready_count());
                when(count > 0, count)
            }
            Kind::Regular { .. } if is_read => {
                let size = linux::stat(fd).map_or(0, |stat| stat.st_size);
                let ahead = size - linux::offset(fd);
                when(ahead > 0, ahead)
            }
            Kind::Regular { .. } => when(true, 0),
            Kind::Pipe {
                can_read,
                can_write,
            } if is_read => read_pipe(fd, *can_read, *can_write),
            Kind::Pipe { can_write, .. } => write_pipe(fd, *can_write),
            Kind::Tcp if is_read => read_tcp(fd),
            Kind::Tcp => write_tcp(fd),
            Kind::Unix { .. } if is_read => read_unix(fd),
            Kind::Unix { stream } => write_unix(fd, *stream),
            Kind::Datagram if is_read => read_datagram(fd, flavour),
            Kind::Datagram => write_datagram(fd),
            Kind::Other if is_read => read_other(fd),
            Kind::Other => write_other(fd),
        }
    }
}

/// What poll(2) said.
#[derive(Clone, Copy)]
struct State(c_short);

impl State {
    fn of(fd: RawFd) -> Self {
        Self(linux::poll(fd, POLLIN | POLLOUT | POLLRDHUP))
    }

    fn has(self, bits: c_short) -> bool {
        self.0 & bits != 0
    }

    /// Of a connection's socket: Linux calls one that has never been connected hung up, while the
    /// BSDs have nothing to say of it.
    fn is_unconnected(self) -> bool {
        self.has(POLLHUP) && !self.has(POLLRDHUP)
    }
}

fn when(active: bool, data: i64) -> Verdict {
    Verdict {
        active,
        data,
        ..Verdict::default()
    }
}

fn eof(data: i64, fflags: u32) -> Verdict {
    Verdict {
        active: true,
        eof: true,
        fflags,
        data,
    }
}

fn readable(fd: RawFd) -> i64 {
    linux::readable_bytes(fd).unwrap_or(0)
}

/// The free space of a socket that is said to have some.
fn space(fd: RawFd) -> i64 {
    let size = linux::socket_option(fd, libc::SO_SNDBUF).map_or(0, i64::from);
    let used = linux::unsent_bytes(fd).unwrap_or(0);
    (size - used).max(1)
}

fn read_tcp(fd: RawFd) -> Verdict {
    let state = State::of(fd);
    let info = linux::tcp_info(fd).unwrap_or_default();
    if info.state == TCP_LISTEN {
        when(state.has(POLLIN), info.unacked.into())
    } else if state.is_unconnected() {
        Verdict::default()
    } else if state.has(POLLRDHUP) {
        eof(readable(fd), tcp_error(state, &info))
    } else {
        when(state.has(POLLIN | POLLERR), readable(fd))
    }
}

fn write_tcp(fd: RawFd) -> Verdict {
    let state = State::of(fd);
    let info = linux::tcp_info(fd).unwrap_or_default();
    if info.state == TCP_LISTEN || state.is_unconnected() {
        return Verdict::default();
    }
    match info.state {
        TCP_FIN_WAIT1 | TCP_FIN_WAIT2 | TCP_TIME_WAIT | TCP_CLOSE | TCP_LAST_ACK | TCP_CLOSING => {
            eof(space(fd), tcp_error(state, &info))
        }
        TCP_SYN_SENT => when(state.has(POLLERR), space(fd)),
        _ => when(state.has(POLLOUT | POLLERR), space(fd)),
    }
}

/// The error that `SO_ERROR` would give, as far as it can be told without asking: the first
/// answer to a connection was a refusal, or else it was reset. (Linux says `EPIPE` if the peer had
/// finished before it reset, which leaves no trace.)
fn tcp_error(state: State, info: &TcpInfo) -> u32 {
    let was_connected = info.bytes_acked > 0 || info.round_trip_time > 0;
    let error = if !state.has(POLLERR) {
        0
    } else if was_connected {
        libc::ECONNRESET
    } else {
        libc::ECONNREFUSED
    };
    error.cast_unsigned()
}

fn read_unix(fd: RawFd) -> Verdict {
    let state = State::of(fd);
    if state.is_unconnected() {
        Verdict::default()
    } else if state.has(POLLRDHUP) {
        eof(readable(fd), unix_error(state))
    } else {
        // Of a listener the number of bytes cannot be asked, and that of connections is not told.
        when(state.has(POLLIN), linux::readable_bytes(fd).unwrap_or(1))
    }
}

fn write_unix(fd: RawFd, stream: bool) -> Verdict {
    let state = State::of(fd);
    if state.is_unconnected() {
        Verdict::default()
    } else if state.has(POLLHUP) || stream && linux::refuses_to_send(fd) {
        eof(space(fd), unix_error(state))
    } else {
        when(state.has(POLLOUT | POLLERR), space(fd))
    }
}

/// The only error that comes to a UNIX domain socket by itself: the peer closed without reading
/// everything.
fn unix_error(state: State) -> u32 {
    if state.has(POLLERR) {
        libc::ECONNRESET.cast_unsigned()
    } else {
        0
    }
}

fn read_datagram(fd: RawFd, flavour: Flavour) -> Verdict {
    let state = State::of(fd);
    let address = match flavour {
        Flavour::NetBsd if state.has(POLLIN) => NETBSD_ADDRESS,
        _ => 0,
    };
    let data = readable(fd) + address;
    if state.has(POLLRDHUP) {
        eof(data, 0)
    } else {
        when(state.has(POLLIN | POLLERR), data)
    }
}

fn write_datagram(fd: RawFd) -> Verdict {
    when(State::of(fd).has(POLLOUT | POLLERR), space(fd))
}

/// A pipe of the BSDs has two directions: the end for writing can be watched for reading, and
/// says something when the other end is closed.
fn read_pipe(fd: RawFd, can_read: bool, can_write: bool) -> Verdict {
    let state = State::of(fd);
    if state.has(POLLHUP) || can_write && state.has(POLLERR) {
        eof(readable(fd), 0)
    } else {
        when(can_read && state.has(POLLIN), readable(fd))
    }
}

fn write_pipe(fd: RawFd, can_write: bool) -> Verdict {
    let state = State::of(fd);
    if state.has(POLLERR) {
        eof(0, 0)
    } else {
        let space = linux::pipe_size(fd) - readable(fd);
        when(can_write && state.has(POLLOUT), space.max(1))
    }
}

fn read_other(fd: RawFd) -> Verdict {
    let state = State::of(fd);
    let data = readable(fd).max(1);
    if state.has(POLLHUP) {
        eof(readable(fd), 0)
    } else {
        when(state.has(POLLIN | POLLERR), data)
    }
}

fn write_other(fd: RawFd) -> Verdict {
    let state = State::of(fd);
    if state.has(POLLHUP) {
        eof(0, 0)
    } else {
        when(state.has(POLLOUT | POLLERR), 1)
    }
}
