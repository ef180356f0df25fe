//! What one thread has made ready, and told another through memory, the other finds.

mod common;

use std::fs::File;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use common::{LONG, any_port, on_every_backend};
use nioselect::poller::{Kind, Mode, Poller};
use nioselect::{Backend, Ops};

const HANDOVERS: u32 = 3_000;

/// Two ends, and whether what is written to one is there when write(2) returns. Over loopback the
/// news may take a moment.
struct Line {
    name: &'static str,
    reading: OwnedFd,
    writing: OwnedFd,
    is_immediate: bool,
}

impl Line {
    fn new(
        name: &'static str,
        (reading, writing): (impl Into<OwnedFd>, impl Into<OwnedFd>),
        is_immediate: bool,
    ) -> Self {
        let (reading, writing) = (reading.into(), writing.into());
        Self {
            name,
            reading,
            writing,
            is_immediate,
        }
    }

    fn of_every_kind() -> Vec<Self> {
        vec![
            Self::new("UNIX stream", UnixStream::pair().unwrap(), true),
            Self::new("pipe", std::io::pipe().unwrap(), true),
            Self::new("TCP", tcp(), false),
            Self::new("UDP", udp(), false),
            #[cfg(target_os = "linux")]
            Self::new("eventfd", eventfd(), true),
        ]
    }
}

fn tcp() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind(any_port()).unwrap();
    let writing = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    writing.set_nodelay(true).unwrap();
    (listener.accept().unwrap().0, writing)
}

fn udp() -> (UdpSocket, UdpSocket) {
    let reading = UdpSocket::bind(any_port()).unwrap();
    let writing = UdpSocket::bind(any_port()).unwrap();
    writing.connect(reading.local_addr().unwrap()).unwrap();
    (reading, writing)
}

#[cfg(target_os = "linux")]
fn eventfd() -> (OwnedFd, OwnedFd) {
    let counter = rustix::event::eventfd(0, rustix::event::EventfdFlags::CLOEXEC).unwrap();
    (counter.try_clone().unwrap(), counter)
}

fn await_number(counter: &AtomicU32, number: u32) {
    while counter.load(Ordering::Acquire) != number {
        thread::yield_now();
    }
}

#[test]
fn what_is_made_ready_before_it_is_told_is_found() {
    on_every_backend(|backend| {
        for line in Line::of_every_kind() {
            hand_over(backend, line);
        }
    });
}

fn hand_over(backend: Backend, line: Line) {
    let Line {
        name,
        reading,
        writing,
        is_immediate,
    } = line;
    let mut poller = Poller::open(backend).unwrap();
    let mut reader = File::from(reading.try_clone().unwrap());
    let mut writer = File::from(writing);
    poller
        .register(reading, Kind::Other, Ops::READ, Mode::Level)
        .unwrap();
    let mut finds = |timeout| {
        let waited = poller.wait(Some(timeout), |_, _, _| {}).unwrap();
        waited.reported == 1
    };
    // What is to be written, and what has been.
    let (wanted, written) = (AtomicU32::new(0), AtomicU32::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in 1..=HANDOVERS {
                await_number(&wanted, number);
                writer.write_all(&1_u64.to_ne_bytes()).unwrap();
                written.store(number, Ordering::Release);
            }
        });
        for number in 1..=HANDOVERS {
            assert!(!finds(Duration::ZERO), "{name}: there is nothing");
            wanted.store(number, Ordering::Release);
            await_number(&written, number);
            let found = finds(Duration::ZERO) || !is_immediate && finds(LONG);
            assert!(found, "{name}: number {number}");
            reader.read_exact(&mut [0; 8]).unwrap();
        }
    });
}
