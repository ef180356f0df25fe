//! Rings are kept by their thread, a few of them, and end with it.

use super::*;

use std::cell::RefCell;

/// How many spare rings a thread keeps at most.
pub(super) const SPARES: usize = 4;

#[test]
fn a_selector_after_the_other_takes_the_same_ring() {
    if !can_be_had()
        || !in_own_process("descriptors::a_selector_after_the_other_takes_the_same_ring")
    {
        return;
    }
    drop(armed::<()>());
    let before = open_descriptors();
    for _ in 0..100 {
        let mut selector = armed();
        let pipe = pipe();
        pipe.source.register(&selector, Ops::READ, ()).unwrap();
        arm(&mut selector);
        (&pipe.sink).write_all(b"x").unwrap();
        assert_eq!(selector.select_now().unwrap(), 1);
    }
    assert_eq!(open_descriptors(), before);
}

#[test]
fn a_thread_keeps_few_rings_and_none_when_it_ends() {
    if !can_be_had()
        || !in_own_process("descriptors::a_thread_keeps_few_rings_and_none_when_it_ends")
    {
        return;
    }
    let before = open_descriptors();
    thread::spawn(move || {
        for number in [1, 2, 20] {
            let selectors: Vec<_> = (0..number).map(|_| armed::<()>()).collect();
            assert_eq!(open_descriptors(), before + 3 * number);
            drop(selectors);
            assert_eq!(open_descriptors(), before + number.min(SPARES));
        }
    })
    .join()
    .unwrap();
    assert_eq!(open_descriptors(), before);
}

#[test]
fn a_ring_that_another_thread_drops_is_closed() {
    if !can_be_had() || !in_own_process("descriptors::a_ring_that_another_thread_drops_is_closed") {
        return;
    }
    let before = open_descriptors();
    for _ in 0..20 {
        let selector = armed::<()>();
        thread::spawn(move || drop(selector)).join().unwrap();
        assert_eq!(open_descriptors(), before);
    }
    for _ in 0..20 {
        let mut selector = thread::spawn(armed::<()>).join().unwrap();
        (0..3).for_each(|_| assert_eq!(selector.select_now().unwrap(), 0));
        drop(selector);
    }
    assert!(open_descriptors() <= before + 1);
}

/// The peers of what was registered learn at once of its end.
#[test]
fn no_ring_keeps_anything_open() {
    if !can_be_had() || !in_own_process("descriptors::no_ring_keeps_anything_open") {
        return;
    }
    for elsewhere in [false, true] {
        let mut selector = armed();
        let (ours, theirs) = unix_pair();
        ours.register(&selector, Ops::READ, ()).unwrap();
        arm(&mut selector);
        if elsewhere {
            thread::spawn(move || drop((selector, ours)))
                .join()
                .unwrap();
        } else {
            drop((selector, ours));
        }
        assert!(common::sees_end(&theirs));
    }
}

/// It is dropped before what the thread keeps, or after that is gone.
#[test]
fn a_selector_that_ends_with_its_thread() {
    thread_local! {
        static KEPT: RefCell<Option<Selector<()>>> = const { RefCell::new(None) };
    }
    if !can_be_had() || !in_own_process("descriptors::a_selector_that_ends_with_its_thread") {
        return;
    }
    let before = open_descriptors();
    for has_spares in [false, true] {
        thread::spawn(move || {
            if has_spares {
                drop(armed::<()>());
            }
            KEPT.set(None);
            KEPT.set(Some(armed()));
        })
        .join()
        .unwrap();
        assert_eq!(open_descriptors(), before);
    }
}
