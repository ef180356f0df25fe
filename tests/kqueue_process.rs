//! The number of a queue, which neither a child nor a program that is executed has. On Linux a
//! double stands in for the kernel.
#![cfg(target_os = "linux")]
#![allow(unsafe_code)]

mod common;

use std::io::Write;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};

use common::child::in_child;
use common::{LONG, selector, unix_pair};
use nioselect::doubles::kqueue::{Flavour, choose_flavour};
use nioselect::{Backend, Ops};
use rustix::io::FdFlags;

/// The numbers that are open in this process.
fn open_numbers() -> Vec<RawFd> {
    let listing = std::fs::read_dir("/proc/self/fd").unwrap();
    let names = listing.map(|entry| entry.unwrap().file_name());
    let mut numbers: Vec<_> = names
        .map(|name| name.to_str().unwrap().parse().unwrap())
        .collect();
    // The listing itself is open no more.
    numbers.retain(|&number| is_open(number));
    numbers
}

fn is_open(number: RawFd) -> bool {
    flags(number).is_some()
}

fn flags(number: RawFd) -> Option<FdFlags> {
    // SAFETY: nothing is done with the number but asking what it is.
    let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
    rustix::io::fcntl_getfd(descriptor).ok()
}

/// Opens files until nothing below `limit` is free.
fn occupy(limit: RawFd) -> Vec<OwnedFd> {
    let mut all = Vec::new();
    loop {
        let next = rustix::io::dup(rustix::stdio::stdin()).unwrap();
        let number = next.as_raw_fd();
        all.push(next);
        if number > limit {
            return all;
        }
    }
}

/// One test, because what others do meanwhile would be seen by it, and copied by a fork.
#[test]
fn the_queue_is_this_program_s_alone() {
    programs_that_are_executed_do_not_inherit_the_queue();
    a_child_does_not_close_who_has_got_the_number_of_the_queue();
}

/// In a child the number of the queue is free, and soon somebody else's.
fn a_child_does_not_close_who_has_got_the_number_of_the_queue() {
    for flavour in [Flavour::FreeBsd, Flavour::NetBsd] {
        choose_flavour(Some(flavour));
        let others = open_numbers();
        let mut selector = Some(selector(Backend::Kqueue));
        let mut queue = open_numbers();
        queue.retain(|number| !others.contains(number));
        let (ours, mut theirs) = unix_pair();
        let open = selector.as_mut().unwrap();
        ours.register(open, Ops::READ, ()).unwrap();
        assert_eq!(open.select_now().unwrap(), 0);
        let before = open_numbers();
        let largest = before.iter().copied().max().unwrap();
        in_child(|| {
            queue.retain(|&number| is_open(number));
            // What wakes NetBSD's, which has no `EVFILT_USER`, is a descriptor like others.
            let bell = usize::from(flavour == Flavour::NetBsd);
            assert_eq!(queue.len(), bell, "the double has closed the queue");
            let others = occupy(largest);
            drop(selector.take());
            for other in &others {
                assert!(is_open(other.as_raw_fd()));
            }
        });
        in_child(|| {
            let others = occupy(largest);
            let selector = selector.as_mut().unwrap();
            theirs.write_all(b"x").unwrap();
            assert_eq!(selector.select_timeout(LONG).unwrap(), 1);
            for other in &others {
                assert!(is_open(other.as_raw_fd()));
            }
        });
        assert_eq!(selector.as_mut().unwrap().select_timeout(LONG).unwrap(), 1);
    }
    choose_flavour(None);
}

fn programs_that_are_executed_do_not_inherit_the_queue() {
    let before = open_numbers();
    let _selector = selector::<()>(Backend::Kqueue);
    let inherited: Vec<_> = open_numbers()
        .into_iter()
        .filter(|number| !before.contains(number))
        .filter(|&number| flags(number).is_some_and(|flags| !flags.contains(FdFlags::CLOEXEC)))
        .collect();
    assert_eq!(inherited, []);
}
