//! Threads that wait, change and cause events at the same time.

use std::io::{Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use super::super::Flavour;
use super::call::{Kqueue, call, entry};
use crate::sys::kqueue::types::{
    EV_ADD, EV_CLEAR, EV_DELETE, EV_DISABLE, EV_DISPATCH, EV_ENABLE, EVFILT_READ, EVFILT_WRITE,
    Kevent,
};

const PAIRS: usize = 8;
const BYTES: usize = 2000;
const LONG: Duration = Duration::from_secs(60);

fn read(ident: usize, flags: u32) -> Kevent {
    entry(ident, EVFILT_READ, flags)
}

/// Takes events, three at a time, until all bytes have come or somebody says so.
fn consume(
    kq: RawFd,
    streams: &[UnixStream],
    stop: &UnixStream,
    mode: u32,
    read_bytes: &AtomicUsize,
) {
    loop {
        let (count, events) = call(kq, &[], 3, LONG);
        assert!(count > 0, "an event is lost");
        for event in events {
            let Some(stream) = streams
                .iter()
                .find(|one| one.as_raw_fd() as usize == event.ident)
            else {
                return;
            };
            let before = read_bytes.fetch_add(drain(stream), Ordering::SeqCst);
            assert!(before <= PAIRS * BYTES);
            if mode == EV_DISPATCH {
                let rearm = read(event.ident, EV_ADD | EV_ENABLE | mode);
                assert_eq!(call(kq, &[rearm], 0, LONG).0, 0);
            }
        }
        if read_bytes.load(Ordering::SeqCst) == PAIRS * BYTES {
            let add = read(stop.as_raw_fd() as usize, EV_ADD);
            assert_eq!(call(kq, &[add], 0, LONG).0, 0);
        }
    }
}

fn drain(mut stream: &UnixStream) -> usize {
    let mut count = 0;
    while let Ok(more) = stream.read(&mut [0; 7]) {
        count += more;
    }
    count
}

/// Adds and deletes what nobody waits for.
fn change_for_ever(kq: RawFd, other: &UnixStream, read_bytes: &AtomicUsize) {
    let ident = other.as_raw_fd() as usize;
    while read_bytes.load(Ordering::SeqCst) < PAIRS * BYTES {
        for (filter, flags) in [
            (EVFILT_READ, EV_ADD),
            (EVFILT_WRITE, EV_ADD | EV_CLEAR),
            (EVFILT_READ, EV_DELETE),
        ] {
            let disabled = flags | EV_DISABLE;
            assert_eq!(call(kq, &[entry(ident, filter, disabled)], 0, LONG).0, 0);
        }
    }
}

fn nothing_is_lost(flavour: Flavour, mode: u32) {
    let kq = Kqueue::open(flavour);
    let number = kq.number;
    let (streams, peers): (Vec<_>, Vec<_>) =
        (0..PAIRS).map(|_| UnixStream::pair().unwrap()).unzip();
    let (stop, mut stopper) = UnixStream::pair().unwrap();
    stopper.write_all(b"x").unwrap();
    let (other, _its_peer) = UnixStream::pair().unwrap();
    for stream in &streams {
        stream.set_nonblocking(true).unwrap();
        kq.change(read(stream.as_raw_fd() as usize, EV_ADD | mode))
            .unwrap();
    }
    let read_bytes = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| consume(number, &streams, &stop, mode, &read_bytes));
        }
        scope.spawn(|| change_for_ever(number, &other, &read_bytes));
        for mut peer in peers.iter() {
            scope.spawn(move || {
                for _ in 0..BYTES {
                    peer.write_all(b"x").unwrap();
                }
            });
        }
    });
    assert_eq!(read_bytes.into_inner(), PAIRS * BYTES);
}

#[test]
fn no_edge_is_lost_between_threads() {
    nothing_is_lost(Flavour::FreeBsd, EV_CLEAR);
    nothing_is_lost(Flavour::NetBsd, EV_CLEAR);
}

#[test]
fn no_dispatch_is_lost_between_threads() {
    nothing_is_lost(Flavour::FreeBsd, EV_DISPATCH);
    nothing_is_lost(Flavour::NetBsd, EV_DISPATCH);
}
