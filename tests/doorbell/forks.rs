//! fork(2): the ring is the parent's, and the child has a selector of its own.

use super::*;

fn hears(selector: &mut Selector<()>, pipe: &Pipe) {
    for _ in 0..10 {
        selector.selected_keys().clear();
        arm(selector);
        (&pipe.sink).write_all(b"x").unwrap();
        assert_eq!(selector.select_now().unwrap(), 1);
        assert_eq!(read_all(&pipe.source), b"x");
    }
    selector.selected_keys().clear();
}

#[test]
fn parent_and_child_go_on_selecting() {
    if !can_be_had() || !in_own_process("forks::parent_and_child_go_on_selecting") {
        return;
    }
    let mut selector = armed();
    let (shared, parents) = (pipe(), pipe());
    shared.source.register(&selector, Ops::READ, ()).unwrap();
    parents.source.register(&selector, Ops::READ, ()).unwrap();
    hears(&mut selector, &shared);
    arm(&mut selector);
    in_child(|| {
        hears(&mut selector, &shared);
        // This would ring for the parent if they had the same set.
        let childs = pipe();
        childs.source.register(&selector, Ops::READ, ()).unwrap();
        hears(&mut selector, &childs);
        drop(childs);
        arm(&mut selector);
        in_child(|| hears(&mut selector, &shared));
        arm(&mut selector);
    });
    hears(&mut selector, &parents);
    hears(&mut selector, &shared);
}

/// The first look of the child must not take its parent's silence for its own.
#[test]
fn what_is_ready_before_the_fork_is_found_on_both_sides() {
    if !can_be_had()
        || !in_own_process("forks::what_is_ready_before_the_fork_is_found_on_both_sides")
    {
        return;
    }
    let mut selector = armed();
    let pipe = pipe();
    pipe.source.register(&selector, Ops::READ, ()).unwrap();
    arm(&mut selector);
    (&pipe.sink).write_all(b"x").unwrap();
    in_child(|| assert_eq!(selector.select_now().unwrap(), 1));
    assert_eq!(selector.select_now().unwrap(), 1);
    selector.selected_keys().clear();
    assert_eq!(read_all(&pipe.source), b"x");
    arm(&mut selector);
    in_child(|| {
        (&pipe.sink).write_all(b"x").unwrap();
        assert_eq!(selector.select_now().unwrap(), 1);
    });
    assert_eq!(selector.select_now().unwrap(), 1);
}

/// The end of the child ends none of its parent's requests.
#[test]
fn a_child_that_drops_its_copies_or_just_ends_silences_nobody() {
    if !can_be_had()
        || !in_own_process("forks::a_child_that_drops_its_copies_or_just_ends_silences_nobody")
    {
        return;
    }
    drop(armed::<()>());
    let mut selector = Some(armed());
    let pipe = pipe();
    let open = selector.as_mut().unwrap();
    pipe.source.register(open, Ops::READ, ()).unwrap();
    arm(open);
    for _ in 0..5 {
        in_child(|| drop(selector.take()));
        in_child(|| ());
        // The spares of the parent's thread are of no use to the child.
        in_child(|| drop(armed::<()>()));
        let open = selector.as_mut().unwrap();
        let before = open.doorbell().answered;
        assert_eq!(open.select_now().unwrap(), 0);
        assert!(open.doorbell().answered > before, "it is still armed");
        (&pipe.sink).write_all(b"x").unwrap();
        assert_eq!(open.select_now().unwrap(), 1);
        assert_eq!(read_all(&pipe.source), b"x");
        hears(open, &pipe);
        arm(open);
    }
}
