//! A child that has been forked without the handlers of pthread_atfork(3), as clone(2) does it.
//! By itself in its process, whose other threads such a child knows nothing of.
#![cfg(target_os = "linux")]

mod common;

use std::io::Write;

use common::child::in_child_that_is_not_noticed;
use common::{read_all, unix_pair};
use nioselect::doorbell::{Policy, State};
use nioselect::{Backend, Ops, Selector};

/// More than it takes until a doorbell is there, and silent.
const MANY: u32 = 1000;

fn select_in_vain(selector: &mut Selector<()>) {
    for _ in 0..MANY {
        assert_eq!(selector.select_now().unwrap(), 0);
    }
}

#[test]
fn a_child_that_is_not_noticed_leaves_its_parent_the_doorbell() {
    let (ours, mut theirs) = unix_pair();
    let builder = Selector::builder().backend(Backend::Epoll);
    let mut selector = builder.doorbell(Policy::On).open().unwrap();
    ours.register(&selector, Ops::READ, ()).unwrap();
    select_in_vain(&mut selector);
    let before = selector.doorbell();

    in_child_that_is_not_noticed(|| {
        theirs.write_all(b"x").unwrap();
        assert_eq!(selector.select_now().unwrap(), 1);
        selector.selected_keys().clear();
        read_all(&ours);
        select_in_vain(&mut selector);
    });

    select_in_vain(&mut selector);
    assert_eq!(selector.doorbell().state, before.state);
    if before.state == State::Armed {
        assert!(selector.doorbell().answered > before.answered);
    }
    theirs.write_all(b"x").unwrap();
    assert_eq!(selector.select_now().unwrap(), 1);
}
