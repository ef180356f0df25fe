//! fork(2): parent and child have the same selectors, and do not disturb each other.

mod common;

use std::io::Write;
use std::thread;
use std::time::Duration;

use common::child::in_child;
use common::{assert_silent, on_every_backend, pipe, read_all, selector, unix_pair, waits_out};
use nioselect::{Backend, Ops};

/// Long enough for some children to live meanwhile.
const A_WHILE: Duration = Duration::from_millis(100);

/// One test, because what the others do while it forks would be copied in the middle.
#[test]
fn parent_and_child_do_not_disturb_each_other() {
    on_every_backend(|backend| {
        the_child_drops_its_copy(backend);
        the_child_goes_its_own_way(backend);
        the_child_wakes_only_itself(backend);
        the_child_closes_its_copy_while_the_parent_waits(backend);
        a_grandchild_is_no_different(backend);
    });
}

fn the_child_drops_its_copy(backend: Backend) {
    let mut selector = Some(selector(backend));
    let (ours, mut theirs) = unix_pair();
    let mut ours = Some(ours);
    let open = selector.as_mut().unwrap();
    ours.as_ref()
        .unwrap()
        .register(open, Ops::READ, ())
        .unwrap();
    open.select_now().unwrap();
    in_child(|| {
        selector = None;
        ours = None;
    });
    theirs.write_all(b"x").unwrap();
    assert_eq!(selector.as_mut().unwrap().select().unwrap(), 1);
}

fn the_child_goes_its_own_way(backend: Backend) {
    let mut selector = selector(backend);
    let pipes = [pipe(), pipe(), pipe()];
    let keys: Vec<_> = (0..2)
        .map(|index| {
            pipes[index]
                .source
                .register(&selector, Ops::READ, index)
                .unwrap()
        })
        .collect();
    selector.select_now().unwrap();
    in_child(|| {
        keys[0].cancel();
        keys[1].set_interest_ops(Ops::empty()).unwrap();
        pipes[2].source.register(&selector, Ops::READ, 2).unwrap();
        assert_eq!(selector.select_now().unwrap(), 0);
        keys[1].set_interest_ops(Ops::READ).unwrap();
        for pipe in &pipes[1..] {
            (&pipe.sink).write_all(b"x").unwrap();
        }
        assert_eq!(selector.select().unwrap(), 2);
        for key in selector.selected_keys().drain() {
            assert_eq!(read_all(&pipes[*key.attachment()].source), b"x");
        }
        assert_eq!(selector.select_timeout(A_WHILE).unwrap(), 0);
    });
    assert_eq!(selector.select_timeout(A_WHILE).unwrap(), 0);
    for pipe in &pipes {
        (&pipe.sink).write_all(b"x").unwrap();
    }
    assert_eq!(selector.select().unwrap(), 2);
    assert!(keys.iter().all(nioselect::SelectionKey::is_readable));
}

fn the_child_wakes_only_itself(backend: Backend) {
    let mut selector = selector::<()>(backend);
    selector.select_now().unwrap();
    let waker = selector.waker();
    in_child(|| {
        waker.wake();
        assert_eq!(selector.select().unwrap(), 0);
        thread::scope(|scope| {
            scope.spawn(|| waker.wake());
            assert_eq!(selector.select().unwrap(), 0);
        });
        waker.wake();
    });
    assert_silent(&mut selector);
}

/// The copy that the child has is one of a selector that is waiting.
fn the_child_closes_its_copy_while_the_parent_waits(backend: Backend) {
    let mut selector = selector(backend);
    let pipe = pipe();
    pipe.source.register(&selector, Ops::READ, ()).unwrap();
    let handle = selector.handle();
    thread::scope(|scope| {
        let waiting = scope.spawn(move || {
            waits_out(&mut selector, A_WHILE);
            selector
        });
        for _ in 0..5 {
            in_child(|| {
                handle.wakeup();
                handle.close();
            });
        }
        let mut selector = waiting.join().unwrap();
        (&pipe.sink).write_all(b"x").unwrap();
        assert!(handle.is_open());
        assert_eq!(selector.select().unwrap(), 1);
    });
}

fn a_grandchild_is_no_different(backend: Backend) {
    let mut selector = selector(backend);
    let pipe = pipe();
    let key = pipe.source.register(&selector, Ops::READ, ()).unwrap();
    selector.select_now().unwrap();
    in_child(|| {
        selector.select_now().unwrap();
        in_child(|| {
            key.cancel();
            assert_eq!(selector.select_now().unwrap(), 0);
        });
        (&pipe.sink).write_all(b"x").unwrap();
        assert_eq!(selector.select().unwrap(), 1);
    });
    assert_eq!(selector.select().unwrap(), 1);
}
