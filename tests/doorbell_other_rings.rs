//! Channels that an io_uring makes ready, for which there is no doorbell.
#![cfg(has_io_uring)]
#![allow(unsafe_code)]

mod common;

use std::fs::File;
use std::hint;
use std::io::{self, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use common::{nonblocking, unix_pair};
use io_uring::types::Fd;
use io_uring::{IoUring, opcode};
use nioselect::doorbell::{Policy, State};
use nioselect::{Backend, Ops, Selector};
use rustix::event::{EventfdFlags, epoll, eventfd};
use rustix::time::{TimerfdClockId, TimerfdFlags, timerfd_create};

/// More than it takes until a doorbell is there, and silent.
const MANY: u32 = 1000;

/// In as many calls a selection that asks the kernel has found what is ready.
const FEW: u32 = 4;

fn selector(policy: Policy) -> Selector<()> {
    let builder = Selector::builder().backend(Backend::Epoll);
    builder.doorbell(policy).open().unwrap()
}

fn select_in_vain(selector: &mut Selector<()>) {
    for _ in 0..MANY {
        assert_eq!(selector.select_now().unwrap(), 0);
    }
}

fn takes_the_doorbell_away(policy: Policy, channel: impl AsFd + Send + 'static) {
    let mut selector = selector(policy);
    let (ours, _theirs) = unix_pair();
    ours.register(&selector, Ops::READ, ()).unwrap();
    select_in_vain(&mut selector);
    let channel = nonblocking(channel);
    channel.register(&selector, Ops::READ, ()).unwrap();
    select_in_vain(&mut selector);
    let doorbell = selector.doorbell();
    assert!(
        matches!(doorbell.state, State::Unavailable(_)),
        "{doorbell:?}"
    );
    select_in_vain(&mut selector);
    assert_eq!(selector.doorbell().answered, doorbell.answered);
}

#[test]
fn what_an_io_uring_may_make_ready_takes_the_doorbell_away() {
    takes_the_doorbell_away(Policy::Auto, an_eventfd());
    for policy in [Policy::Auto, Policy::On] {
        takes_the_doorbell_away(policy, epoll::create(epoll::CreateFlags::CLOEXEC).unwrap());
        if let Ok(ring) = IoUring::new(1) {
            takes_the_doorbell_away(policy, RingAsChannel(ring));
        }
    }
}

fn an_eventfd() -> File {
    File::from(eventfd(0, EventfdFlags::CLOEXEC).unwrap())
}

#[test]
fn other_descriptors_leave_it() {
    let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC).unwrap();
    leaves_the_doorbell(Policy::Auto, File::from(timer));
}

#[test]
fn whoever_insists_may_have_eventfds() {
    leaves_the_doorbell(Policy::On, an_eventfd());
}

fn leaves_the_doorbell(policy: Policy, channel: File) {
    let mut selector = selector(policy);
    let channel = nonblocking(channel);
    channel.register(&selector, Ops::READ, ()).unwrap();
    select_in_vain(&mut selector);
    let State::Unavailable(why) = selector.doorbell().state else {
        return;
    };
    assert!(!why.contains("descriptor"), "{why}");
}

fn await_without_calls(flag: &AtomicBool) {
    while !flag.load(Ordering::Acquire) {
        hint::spin_loop();
    }
}

struct RingAsChannel(IoUring);

impl AsFd for RingAsChannel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        // SAFETY: the ring is open as long as it is borrowed.
        unsafe { BorrowedFd::borrow_raw(self.0.as_raw_fd()) }
    }
}

/// Such a ring completes what it polls when its thread is in the kernel, and no sooner.
#[test]
fn a_cooperative_ring_of_the_selecting_thread_is_served() {
    let built: io::Result<IoUring> = IoUring::builder().setup_coop_taskrun().build(1);
    let Ok(mut ring) = built else { return };
    let (from, mut to) = io::pipe().unwrap();
    let poll = opcode::PollAdd::new(Fd(from.as_raw_fd()), libc::POLLIN as u32).build();
    // SAFETY: the request points to no memory.
    unsafe { ring.submission().push(&poll) }.unwrap();
    ring.submit().unwrap();
    let channel = nonblocking(RingAsChannel(ring));
    let mut selector = selector(Policy::On);
    channel.register(&selector, Ops::READ, ()).unwrap();
    select_in_vain(&mut selector);
    let (go, written) = (&AtomicBool::new(false), &AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(move || {
            await_without_calls(go);
            to.write_all(b"x").unwrap();
            written.store(true, Ordering::Release);
        });
        select_in_vain(&mut selector);
        go.store(true, Ordering::Release);
        await_without_calls(written);
        assert!((0..FEW).any(|_| selector.select_now().unwrap() > 0));
    });
}
