//! Real-time signals: what this mechanism can get wrong and no other.
#![cfg(target_os = "linux")]
#![allow(unsafe_code)]

#[path = "../common/mod.rs"]
mod common;

mod arming;
mod overflow;
mod processes;
mod threads;

use std::fs::File;
use std::io::{Read, Write};
use std::net::{Shutdown, UdpSocket};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use common::child::in_own_process;
use common::{
    LONG, assert_poller_silent, assert_silent, await_ready, during, fill, look, nonblocking, pipe,
    read_all, returns_early, tcp_pair, unix_pair, until,
};
use nioselect::poller::{Kind, Poller, Token};
use nioselect::{Backend, Mode, Ops, SelectableChannel, Selector};
use rustix::process::{Resource, getrlimit, setrlimit};

fn selector<A>() -> Selector<A> {
    common::selector(Backend::RtSignal)
}

fn poller<S: AsFd>() -> Poller<S> {
    Poller::open(Backend::RtSignal).unwrap()
}

fn is_armed(descriptor: impl AsFd) -> bool {
    let fd = descriptor.as_fd().as_raw_fd();
    // SAFETY: no memory is passed.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
    assert!(flags != -1);
    flags & libc::O_ASYNC != 0
}

const F_SETSIG: libc::c_int = 10;
const F_GETSIG: libc::c_int = 11;

fn fcntl(descriptor: impl AsFd, command: libc::c_int, argument: libc::c_int) -> libc::c_int {
    // SAFETY: no memory is passed.
    let answer = unsafe { libc::fcntl(descriptor.as_fd().as_raw_fd(), command, argument) };
    assert!(answer != -1, "{}", std::io::Error::last_os_error());
    answer
}

/// Signals in the file `status` of the calling thread, see proc_pid_status(5).
fn signals_of_this_thread(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap();
    hexadecimal(&status, field)
}

fn hexadecimal(status: &str, field: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let digits = line.unwrap().trim_start_matches(':').trim();
    u64::from_str_radix(digits, 16).unwrap()
}

fn bit(signal: libc::c_int) -> u64 {
    1 << (signal - 1)
}

fn limit_pending_signals(to: u64) {
    let mut limit = getrlimit(Resource::Sigpending);
    limit.current = Some(to);
    setrlimit(Resource::Sigpending, limit).unwrap();
}

/// A few pairs, and how many bytes of each have arrived.
struct Crowd {
    selector: Selector<usize>,
    ours: Vec<SelectableChannel<UnixStream>>,
    theirs: Vec<UnixStream>,
}

impl Crowd {
    fn of(number: usize) -> Self {
        let selector = selector();
        let (ours, theirs): (Vec<_>, Vec<_>) = (0..number).map(|_| unix_pair()).unzip();
        for (index, channel) in ours.iter().enumerate() {
            channel.register(&selector, Ops::READ, index).unwrap();
        }
        Self {
            selector,
            ours,
            theirs,
        }
    }

    fn read_selected(&mut self) -> usize {
        let selected: Vec<_> = self.selector.selected_keys().drain().collect();
        let arrived = selected
            .iter()
            .map(|key| read_all(self.ours[*key.attachment()].get_ref()).len());
        arrived.sum()
    }

    /// Another thread writes `total` bytes, here and there; all of them must arrive.
    fn must_receive(&mut self, total: usize) {
        let theirs: Vec<_> = self
            .theirs
            .iter()
            .map(|peer| peer.try_clone().unwrap())
            .collect();
        let writer = thread::spawn(move || {
            for number in 0..total {
                // A prime, so that all get their turn.
                let mut peer = &theirs[number * 7919 % theirs.len()];
                peer.write_all(b"x").unwrap();
            }
        });
        let mut arrived = 0;
        while arrived < total {
            returns_early(&mut self.selector);
            arrived += self.read_selected();
        }
        writer.join().unwrap();
        assert_eq!(arrived, total);
        assert_silent(&mut self.selector);
    }
}
