//! What one thread makes ready and tells another through memory.

use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use super::any_port;

/// Two ends, and whether what is written to one is there when write(2) returns. Over loopback the
/// news may take a moment.
#[derive(Debug)]
pub struct Line {
    pub name: &'static str,
    pub reading: OwnedFd,
    pub writing: OwnedFd,
    pub is_immediate: bool,
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

    pub fn of_every_kind() -> Vec<Self> {
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

pub fn await_number(counter: &AtomicU32, number: u32) {
    while counter.load(Ordering::Acquire) != number {
        thread::yield_now();
    }
}
