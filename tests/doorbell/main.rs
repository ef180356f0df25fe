//! The doorbell: what is ready is found whether it rings or not, and where it may not be had all
//! goes on without it.
#![cfg(target_os = "linux")]
#![allow(unsafe_code)]

#[path = "../common/mod.rs"]
mod common;

mod changes;
mod descriptors;
mod forks;
mod handover;
mod interruptions;
mod levels;
mod policies;
mod refused;
mod threads;

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use common::child::{in_child, in_own_process};
use common::{assert_silent, nonblocking, open_descriptors, pipe, read_all, unix_pair, until};
use nioselect::doorbell::{Policy, State};
use nioselect::poller::{Kind, Options, Poller};
use nioselect::{Backend, Mode, Ops, Pipe, SelectableChannel, SelectionKey, Selector};
use rustix::process::{Resource, getrlimit, setrlimit};

fn selector_by<A>(policy: Policy) -> Selector<A> {
    let builder = Selector::builder().backend(Backend::Epoll);
    builder.doorbell(policy).open().unwrap()
}

/// Selects in vain until the doorbell has come, and answers.
fn arm<A>(selector: &mut Selector<A>) {
    let before = selector.doorbell().answered;
    for _ in 0..3 {
        assert_eq!(selector.select_now().unwrap(), 0);
    }
    let doorbell = selector.doorbell();
    assert_eq!(doorbell.state, State::Armed);
    assert!(doorbell.answered > before, "{doorbell:?}");
}

/// A selector that finds nothing without the kernel.
fn armed<A>() -> Selector<A> {
    let mut selector = selector_by(Policy::Eager);
    arm(&mut selector);
    selector
}

/// Whether there can be a doorbell here. If not, the test is passed over, and says so even where
/// the output of tests that pass is not shown.
#[track_caller]
fn can_be_had() -> bool {
    // In a thread of its own, so that this one has no ring to spare.
    let state = thread::spawn(state_of_one).join().unwrap();
    let State::Unavailable(why) = state else {
        return true;
    };
    assert!(is_a_matter_of_the_system(&why), "{why}");
    let place = std::panic::Location::caller();
    // Unlike what eprintln! writes, this is not captured.
    let mut uncaptured = std::io::stderr();
    writeln!(uncaptured, "SKIPPED {place}: no doorbell: {why}").unwrap();
    false
}

/// Where there can be an io_uring for the backend of that name, only an old kernel is a reason.
fn is_a_matter_of_the_system(why: &str) -> bool {
    let other = Selector::<()>::builder().backend(Backend::IoUring).open();
    why.contains("Linux 6.1") || other.is_err()
}

fn state_of_one() -> State {
    let mut selector = selector_by::<()>(Policy::Eager);
    for _ in 0..3 {
        assert_eq!(selector.select_now().unwrap(), 0);
    }
    selector.doorbell().state
}
