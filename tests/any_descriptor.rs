//! Descriptors of every kind as channels, and those that are refused.
#![cfg(target_os = "linux")]

mod common;

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{IoSlice, IoSliceMut, Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::{UnixDatagram, UnixListener, UnixStream};
use std::process::{Command, Stdio};
use std::time::Duration;

use common::{
    any_port, assert_silent, await_ready, fill, has_edges, nonblocking, on_every_backend, read_all,
    selector, unix_pair,
};
use nioselect::poller::Kind;
use nioselect::{Error, Mode, Ops, SelectableChannel, SocketChannel};
use rustix::event::{EventfdFlags, eventfd};
use rustix::fs::inotify;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};

const BOTH: Ops = Ops::READ.union(Ops::WRITE);

#[test]
fn an_eventfd_is_readable_when_it_was_written_to() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let mut channel = nonblocking(File::from(eventfd(0, EventfdFlags::CLOEXEC).unwrap()));
        assert_eq!(channel.kind(), Kind::Other);
        assert_eq!(channel.valid_ops(), BOTH);
        let key = channel.register(&selector, BOTH, ()).unwrap();
        assert_eq!(selector.select_now().unwrap(), 1);
        assert_eq!(key.ready_ops(), Ops::WRITE);
        channel.write_all(&7_u64.to_ne_bytes()).unwrap();
        await_ready(&mut selector, &key, BOTH);
        let mut count = [0; 8];
        channel.read_exact(&mut count).unwrap();
        assert_eq!(u64::from_ne_bytes(count), 7);
    });
}

#[test]
fn a_timerfd_is_readable_when_its_time_has_come() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC).unwrap();
        let mut channel = nonblocking(File::from(timer));
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        assert_silent(&mut selector);
        let soon = Itimerspec {
            it_interval: Timespec::default(),
            it_value: Duration::from_millis(1).try_into().unwrap(),
        };
        timerfd_settime(&channel, TimerfdTimerFlags::empty(), &soon).unwrap();
        await_ready(&mut selector, &key, Ops::READ);
        let mut expirations = [0; 8];
        channel.read_exact(&mut expirations).unwrap();
        assert_eq!(u64::from_ne_bytes(expirations), 1);
    });
}

#[test]
fn an_inotify_descriptor_is_readable_when_a_watched_file_was_changed() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let name = format!("nioselect-watched-{}-{backend}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut file = File::create(&path).unwrap();
        let inotify = inotify::init(inotify::CreateFlags::CLOEXEC).unwrap();
        inotify::add_watch(&inotify, &path, inotify::WatchFlags::MODIFY).unwrap();
        let channel = nonblocking(File::from(inotify));
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        assert_silent(&mut selector);
        file.write_all(b"x").unwrap();
        await_ready(&mut selector, &key, Ops::READ);
        assert!(!read_all(&channel).is_empty());
        fs::remove_file(path).unwrap();
    });
}

/// The two sides of a new terminal.
fn terminal() -> (SelectableChannel<File>, File) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let flags = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY;
    let slave = rustix::fs::open(name, flags, rustix::fs::Mode::empty()).unwrap();
    (nonblocking(File::from(master)), File::from(slave))
}

#[test]
fn a_terminal_is_readable_when_its_other_side_has_written_and_when_it_is_gone() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (mut master, mut slave) = terminal();
        let key = master.register(&selector, Ops::READ, ()).unwrap();
        assert_silent(&mut selector);
        slave.write_all(b"hello").unwrap();
        await_ready(&mut selector, &key, Ops::READ);
        let mut buffer = [0; 16];
        assert_eq!(master.read(&mut buffer).unwrap(), 5);
        drop(slave);
        await_ready(&mut selector, &key, Ops::READ);
        assert!(master.read(&mut buffer).is_err());
    });
}

#[test]
fn a_terminal_whose_other_side_is_gone_is_one_edge() {
    on_every_backend(|backend| {
        if !has_edges(backend) {
            return;
        }
        for ops in [Ops::READ, Ops::WRITE] {
            let mut selector = selector(backend);
            let (master, slave) = terminal();
            let slave = nonblocking(slave);
            let key = slave
                .register_with_mode(&selector, ops, Mode::Edge, ())
                .unwrap();
            drop(master);
            await_ready(&mut selector, &key, ops);
            assert_silent(&mut selector);
            for interest in [Ops::empty(), ops] {
                key.set_interest_ops(interest).unwrap();
            }
            await_ready(&mut selector, &key, ops);
            assert_silent(&mut selector);
        }
    });
}

#[test]
fn a_terminal_gets_what_was_typed() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (mut master, slave) = terminal();
        let mut slave = nonblocking(slave);
        let key = slave.register(&selector, Ops::READ, ()).unwrap();
        master.write_all(b"typed\n").unwrap();
        await_ready(&mut selector, &key, Ops::READ);
        let mut line = [0; 16];
        assert_eq!(slave.read(&mut line).unwrap(), 6);
        assert_eq!(&line[..6], b"typed\n");
    });
}

#[test]
fn the_output_of_a_child_process_is_read_to_its_end() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let mut child = Command::new("echo")
            .arg("from a child")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = File::from(OwnedFd::from(child.stdout.take().unwrap()));
        let mut channel = nonblocking(output);
        assert_eq!(channel.kind(), Kind::PipeSource);
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        let mut all = Vec::new();
        loop {
            await_ready(&mut selector, &key, Ops::READ);
            let mut buffer = [0; 4];
            match channel.read(&mut buffer).unwrap() {
                0 => break,
                count => all.extend_from_slice(&buffer[..count]),
            }
        }
        assert_eq!(all, b"from a child\n");
        assert!(child.wait().unwrap().success());
    });
}

/// Owns a descriptor and cannot be shared between threads.
struct Unshareable {
    stream: UnixStream,
    _counter: Cell<u32>,
}

impl AsFd for Unshareable {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

#[test]
fn an_owner_that_threads_cannot_share_makes_a_channel() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let channel = nonblocking(Unshareable {
            stream: ours,
            _counter: Cell::new(0),
        });
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        theirs.write_all(b"x").unwrap();
        await_ready(&mut selector, &key, Ops::READ);
        assert_eq!((&channel.get_ref().stream).read(&mut [0; 16]).unwrap(), 1);
        std::thread::spawn(move || drop(channel)).join().unwrap();
        assert!(!key.is_valid());
    });
}

#[test]
fn what_is_always_ready_is_refused_with_the_reason() {
    for (path, what) in [
        ("/proc/self/exe", "a regular file"),
        ("/", "a directory"),
        ("/dev/null", "this device"),
        ("/dev/zero", "this device"),
    ] {
        let error = SelectableChannel::new(File::open(path).unwrap()).unwrap_err();
        assert!(matches!(error, Error::Unsupported(_)), "{path}: {error:?}");
        assert_eq!(error.kind(), std::io::ErrorKind::Unsupported);
        assert!(error.to_string().contains(what), "{path}: {error}");
    }
}

#[test]
fn the_types_of_the_standard_library_become_channels_and_come_back() {
    fn valid_ops<T: AsFd + Send + 'static>(owner: T) -> Ops {
        let channel = SelectableChannel::new(owner).unwrap();
        let valid = channel.valid_ops();
        let _owner: T = channel.into_inner().expect("it is registered nowhere");
        valid
    }
    let listener = TcpListener::bind(any_port()).unwrap();
    let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    assert_eq!(valid_ops(stream), BOTH | Ops::CONNECT);
    assert_eq!(valid_ops(listener), Ops::ACCEPT);
    assert_eq!(valid_ops(UdpSocket::bind(any_port()).unwrap()), BOTH);
    assert_eq!(valid_ops(UnixDatagram::unbound().unwrap()), BOTH);
    assert_eq!(
        valid_ops(UnixStream::pair().unwrap().0),
        BOTH | Ops::CONNECT
    );
    let (reader, writer) = std::io::pipe().unwrap();
    assert_eq!(valid_ops(reader), Ops::READ);
    assert_eq!(valid_ops(OwnedFd::from(writer)), Ops::WRITE);

    let path = std::env::temp_dir().join(format!("nioselect-listener-{}", std::process::id()));
    assert_eq!(valid_ops(UnixListener::bind(&path).unwrap()), Ops::ACCEPT);
    fs::remove_file(path).unwrap();
}

#[test]
fn a_channel_keeps_the_blocking_mode_of_its_descriptor() {
    let (ours, theirs) = UnixStream::pair().unwrap();
    ours.set_nonblocking(true).unwrap();
    assert!(!SelectableChannel::new(ours).unwrap().is_blocking().unwrap());
    assert!(
        SelectableChannel::new(theirs)
            .unwrap()
            .is_blocking()
            .unwrap()
    );
}

#[test]
fn several_buffers_are_written_and_read_in_one_call() {
    let (mut ours, theirs) = unix_pair();
    let mut theirs = nonblocking(theirs);
    let parts = [IoSlice::new(b"head"), IoSlice::new(b"body")];
    assert_eq!(ours.write_vectored(&parts).unwrap(), 8);
    let (mut head, mut body) = ([0; 4], [0; 4]);
    let mut buffers = [IoSliceMut::new(&mut head), IoSliceMut::new(&mut body)];
    assert_eq!(theirs.read_vectored(&mut buffers).unwrap(), 8);
    assert_eq!((&head, &body), (b"head", b"body"));
}

#[test]
fn a_shared_channel_reads_and_writes() {
    let (channel, _peer) = unix_pair();
    assert!(fill(&channel) > 0);
    (&channel).flush().unwrap();
    assert!(read_all(&channel).is_empty());
}

#[test]
fn a_channel_and_its_selector_can_be_moved_to_another_thread() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (channel, mut peer): (SocketChannel, TcpStream) = common::tcp_pair();
        let key = channel.register(&selector, Ops::READ, ()).unwrap();
        let reader = std::thread::spawn(move || {
            await_ready(&mut selector, &key, Ops::READ);
            (&channel).read(&mut [0; 16]).unwrap()
        });
        peer.write_all(b"hello").unwrap();
        assert_eq!(reader.join().unwrap(), 5);
    });
}
