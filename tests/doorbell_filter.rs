//! A doorbell whose system calls come to be filtered when it has been set up already.
#![cfg(target_os = "linux")]

mod common;

use std::io::Write;
use std::thread;

use common::filter::forbid;
use common::{read_all, unix_pair};
use nioselect::doorbell::{Policy, State};
use nioselect::{Backend, Ops, SelectionKey, Selector};

/// More than it takes until a doorbell is there, and silent.
const MANY: u32 = 1000;

fn selector() -> Selector<()> {
    let builder = Selector::builder().backend(Backend::Epoll);
    builder.doorbell(Policy::On).open().unwrap()
}

fn select_in_vain(selector: &mut Selector<()>) {
    for _ in 0..MANY {
        assert_eq!(selector.select_now().unwrap(), 0);
    }
}

fn is_reported(selector: &mut Selector<()>, key: &SelectionKey, peer: &mut impl Write) {
    peer.write_all(b"x").unwrap();
    assert_eq!(selector.select_now().unwrap(), 1);
    assert_eq!(key.ready_ops(), Ops::READ);
}

/// That is filtered, and nothing else is.
fn in_a_thread(act: impl FnOnce() + Send + 'static) {
    thread::spawn(act).join().unwrap();
}

/// Whether a selector of the calling thread gets a doorbell, which the thread then keeps.
fn leaves_a_ring() -> bool {
    let (ours, _theirs) = unix_pair();
    let mut selector = selector();
    ours.register(&selector, Ops::READ, ()).unwrap();
    select_in_vain(&mut selector);
    selector.doorbell().state == State::Armed
}

#[test]
fn a_request_that_the_kernel_has_not_taken_is_not_relied_on() {
    in_a_thread(|| {
        if !leaves_a_ring() {
            return;
        }
        // As if each call were interrupted by a signal before it has done anything.
        forbid(
            libc::SYS_io_uring_enter,
            libc::SECCOMP_RET_ERRNO | libc::EINTR.cast_unsigned(),
        );
        let (ours, mut theirs) = unix_pair();
        let mut selector = selector();
        let key = ours.register(&selector, Ops::READ, ()).unwrap();
        select_in_vain(&mut selector);
        is_reported(&mut selector, &key, &mut theirs);
    });
}

#[test]
fn a_doorbell_that_may_not_be_settled_any_more_is_given_up() {
    in_a_thread(|| {
        let (ours, mut theirs) = unix_pair();
        let mut selector = selector();
        let key = ours.register(&selector, Ops::READ, ()).unwrap();
        select_in_vain(&mut selector);
        if selector.doorbell().state != State::Armed {
            return;
        }
        forbid(
            libc::SYS_io_uring_enter,
            libc::SECCOMP_RET_ERRNO | libc::EPERM.cast_unsigned(),
        );
        is_reported(&mut selector, &key, &mut theirs);
        selector.selected_keys().clear();
        assert_eq!(read_all(&ours), b"x");
        select_in_vain(&mut selector);
        let state = selector.doorbell().state;
        assert!(matches!(state, State::Unavailable(_)), "{state}");
        is_reported(&mut selector, &key, &mut theirs);
    });
}
