//! What the program's cases are made of.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::time::Duration;

use socket2::{Domain, Socket, Type};

use super::super::super::Flavour;
use super::super::call::{EV_ONESHOT, Kqueue, NOW, call, entry, last_errno};
use crate::sys::kqueue::types::{
    EV_ADD, EV_CLEAR, EV_DELETE, EV_DISABLE, EV_DISPATCH, EV_ENABLE, EV_EOF, EV_ERROR, EV_RECEIPT,
    EVFILT_READ, EVFILT_USER, EVFILT_WRITE, Kevent,
};
use crate::sys::testing::{FIRST_RESERVED, from_number_on};

/// A number that no descriptor has.
pub(super) const BAD: RawFd = FIRST_RESERVED + 999;
/// What it was when the transcripts were made.
pub(super) const MEASURED_BAD: &str = "999";

const FLAGS: &[(u32, &str)] = &[
    (EV_ADD, "EV_ADD"),
    (EV_DELETE, "EV_DELETE"),
    (EV_ENABLE, "EV_ENABLE"),
    (EV_DISABLE, "EV_DISABLE"),
    (EV_ONESHOT, "EV_ONESHOT"),
    (EV_CLEAR, "EV_CLEAR"),
    (EV_RECEIPT, "EV_RECEIPT"),
    (EV_DISPATCH, "EV_DISPATCH"),
    (EV_ERROR, "EV_ERROR"),
    (EV_EOF, "EV_EOF"),
];

pub(super) struct Probe {
    pub(super) flavour: Flavour,
    pub(super) kq: Kqueue,
    pub(super) lines: Vec<String>,
    /// Descriptors get numbers from here on, the lowest that is free, which no other test takes
    /// in the meantime.
    first: RawFd,
}

impl Probe {
    pub(super) fn start(flavour: Flavour, first: RawFd) -> Self {
        Self {
            flavour,
            kq: Kqueue::open(flavour),
            lines: Vec::new(),
            first,
        }
    }

    pub(super) fn say(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    // Descriptors.

    pub(super) fn place<T: From<OwnedFd> + Into<OwnedFd>>(&self, file: T) -> T {
        let file = file.into();
        T::from(from_number_on(&file, self.first))
    }

    pub(super) fn pipe(&self) -> (File, File) {
        let (reader, writer) = io::pipe().unwrap();
        let reader = self.place(File::from(OwnedFd::from(reader)));
        (reader, self.place(File::from(OwnedFd::from(writer))))
    }

    pub(super) fn unix_pair(&self) -> (Socket, Socket) {
        let (ours, theirs) = Socket::pair(Domain::UNIX, Type::STREAM, None).unwrap();
        let ours = self.place(ours);
        (ours, self.place(theirs))
    }

    pub(super) fn tcp(&self) -> Socket {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.set_nonblocking(true).unwrap();
        self.place(socket)
    }

    pub(super) fn udp(&self) -> Socket {
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, None).unwrap();
        socket.bind(&any_port().into()).unwrap();
        self.place(socket)
    }

    pub(super) fn listener(&self) -> Socket {
        let listener = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        listener.bind(&any_port().into()).unwrap();
        listener.listen(16).unwrap();
        self.place(listener)
    }

    pub(super) fn tcp_pair(&self) -> TcpPair {
        let listener = self.listener();
        let ours = self.tcp();
        begin_connect(&ours, &listener);
        let (theirs, _) = listener.accept().unwrap();
        let theirs = self.place(theirs);
        until(&ours, libc::POLLOUT);
        TcpPair {
            listener,
            ours,
            theirs,
        }
    }

    // kevent(2).

    /// One change, whose failure is printed.
    pub(super) fn change(&mut self, fd: &impl AsRawFd, filter: u32, flags: u32) -> i32 {
        let ident = fd.as_raw_fd() as usize;
        self.change_ident(&entry(ident, filter, flags))
    }

    pub(super) fn change_ident(&mut self, change: &Kevent) -> i32 {
        let (answer, _) = call(self.kq.number, &[*change], 0, NOW);
        if answer == -1 {
            let errno = error_name();
            let flags = names(change.flags);
            let (ident, filter) = (change.ident, filter_name(change.filter));
            self.say(format!(
                "    change({ident},{filter},{flags}) -> -1 {errno}"
            ));
        }
        answer
    }

    pub(super) fn add(&mut self, fd: &impl AsRawFd, filter: u32) {
        self.change(fd, filter, EV_ADD);
    }

    pub(super) fn wait(&mut self, label: &str) -> Vec<Kevent> {
        self.wait_for(label, NOW)
    }

    pub(super) fn wait_for(&mut self, label: &str, timeout: Duration) -> Vec<Kevent> {
        let (count, events) = call(self.kq.number, &[], 32, timeout);
        self.say(report(label, count, &events));
        events
    }

    pub(super) fn say_order(&mut self) {
        let (count, events) = call(self.kq.number, &[], 3, NOW);
        let order: Vec<_> = events.iter().map(|event| event.udata as usize).collect();
        let order = order
            .iter()
            .map(|index| format!(" {index}"))
            .collect::<String>();
        self.say(format!("    max3 -> {count}:{order}"));
    }

    /// What getsockopt(2) says, which clears it.
    pub(super) fn say_error(&mut self, socket: &Socket) {
        let error = taken_error(socket);
        self.say(format!("    SO_ERROR={error}"));
    }
}

/// The accepted end is `theirs`.
pub(super) struct TcpPair {
    pub(super) listener: Socket,
    pub(super) ours: Socket,
    pub(super) theirs: Socket,
}

pub(super) fn any_port() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, 0).into()
}

/// What connect(2) answers, by name.
pub(super) fn begin_connect(socket: &Socket, to: &Socket) -> String {
    match socket.connect(&to.local_addr().unwrap()) {
        Ok(()) => "0".to_owned(),
        Err(error) => format!("-1 {}", name(error.raw_os_error().unwrap_or(0))),
    }
}

/// Waits until Linux says so: what a peer does may take a moment.
pub(super) fn until(fd: &impl AsRawFd, events: libc::c_short) {
    let mut entry = libc::pollfd {
        fd: fd.as_raw_fd(),
        events,
        revents: 0,
    };
    // SAFETY: one entry, which lives through the call.
    let answer = unsafe { libc::poll(&raw mut entry, 1, 10_000) };
    assert_eq!(answer, 1, "nothing has come");
}

/// Writes until nothing more is taken.
pub(super) fn fill(to: &(impl AsRawFd + WriteRef)) {
    // SAFETY: no memory is passed.
    unsafe { libc::fcntl(to.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
    loop {
        match to.write_ref(&[b'x'; 4096]) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
            Err(error) => panic!("{error}"),
        }
    }
}

/// Writing through a shared reference, as files and sockets do.
pub(super) trait WriteRef {
    fn write_ref(&self, bytes: &[u8]) -> io::Result<usize>;
}

impl WriteRef for File {
    fn write_ref(&self, bytes: &[u8]) -> io::Result<usize> {
        (&mut &*self).write(bytes)
    }
}

impl WriteRef for Socket {
    fn write_ref(&self, bytes: &[u8]) -> io::Result<usize> {
        (&mut &*self).write(bytes)
    }
}

pub(super) fn write(to: &impl WriteRef, bytes: &[u8]) {
    assert_eq!(to.write_ref(bytes).unwrap(), bytes.len());
}

pub(super) fn read(mut from: impl Read, count: usize) {
    from.read_exact(&mut vec![0; count]).unwrap();
}

pub(super) fn taken_error(socket: &Socket) -> i32 {
    let error = socket.take_error().unwrap();
    error.and_then(|error| error.raw_os_error()).unwrap_or(0)
}

/// As the program printed a wait.
pub(super) fn report(label: &str, count: i32, events: &[Kevent]) -> String {
    let events: String = events
        .iter()
        .map(|event| format!("  [{}]", event_text(event)))
        .collect();
    format!("    {label:<46} -> {count}{events}")
}

fn event_text(event: &Kevent) -> String {
    let text = receipt_text(event);
    format!("{text} ff={:#x}", event.fflags)
}

pub(super) fn receipt_text(event: &Kevent) -> String {
    let filter = filter_name(event.filter);
    let (ident, flags, data) = (event.ident, names(event.flags), event.data);
    format!("id={ident} {filter} {flags}data={data}")
}

pub(super) fn receipt_texts(events: &[Kevent]) -> String {
    events
        .iter()
        .map(|event| format!("  [{}]", receipt_text(event)))
        .collect()
}

fn filter_name(filter: u32) -> &'static str {
    match filter {
        EVFILT_READ => "READ",
        EVFILT_WRITE => "WRITE",
        EVFILT_USER => "USER",
        other => panic!("filter {other}"),
    }
}

pub(super) fn names(flags: u32) -> String {
    let known: u32 = FLAGS.iter().map(|(flag, _)| flag).sum();
    assert_eq!(flags & !known, 0, "{flags:#x}");
    let set = FLAGS.iter().filter(|(flag, _)| flags & flag != 0);
    set.map(|(_, name)| format!("{name} ")).collect()
}

pub(super) fn error_name() -> &'static str {
    name(last_errno())
}

fn name(errno: i32) -> &'static str {
    match errno {
        libc::EBADF => "EBADF",
        libc::ENOENT => "ENOENT",
        libc::EINVAL => "EINVAL",
        libc::EINPROGRESS => "EINPROGRESS",
        other => panic!("{}", io::Error::from_raw_os_error(other)),
    }
}
