//! What is changed while the doorbell is silent.

use super::*;

/// Every way to look.
const LOOKS: [fn(&mut Selector<()>) -> usize; 6] = [
    |selector| selector.select_now().unwrap(),
    |selector| selector.select_now_with(|_| {}).unwrap(),
    |selector| selector.select_timeout(Duration::ZERO).unwrap(),
    |selector| selector.select_timeout(common::LONG).unwrap(),
    |selector| selector.select().unwrap(),
    |selector| selector.select_with(|_| {}).unwrap(),
];

/// An armed selector with a stream, registered for reading, of which nothing is to be read.
struct Scene {
    selector: Selector<()>,
    ours: SelectableChannel<UnixStream>,
    theirs: UnixStream,
    key: SelectionKey,
    more: Option<SelectableChannel<UnixStream>>,
}

impl Scene {
    fn new() -> Self {
        let mut selector = armed();
        let (ours, theirs) = unix_pair();
        let key = ours.register(&selector, Ops::READ, ()).unwrap();
        arm(&mut selector);
        Self {
            selector,
            ours,
            theirs,
            key,
            more: None,
        }
    }

    fn peer_writes(&mut self) {
        self.theirs.write_all(b"x").unwrap();
    }

    fn arm(&mut self) {
        self.selector.selected_keys().clear();
        arm(&mut self.selector);
    }
}

/// Each way to look finds what `change` brings about, which counts as one.
fn each_look_finds(change: impl Fn(&mut Scene)) {
    if can_be_had() {
        for look in LOOKS {
            let mut scene = Scene::new();
            change(&mut scene);
            assert_eq!(look(&mut scene.selector), 1);
        }
    }
}

#[test]
fn what_the_peer_writes() {
    each_look_finds(Scene::peer_writes);
}

#[test]
fn that_the_peer_is_gone() {
    each_look_finds(|scene| {
        let (_, other) = UnixStream::pair().unwrap();
        drop(std::mem::replace(&mut scene.theirs, other));
    });
}

#[test]
fn interest_in_what_is_ready() {
    each_look_finds(|scene| scene.key.set_interest_ops(Ops::WRITE).unwrap());
}

#[test]
fn interest_in_what_is_ready_of_another_thread() {
    each_look_finds(|scene| {
        thread::scope(|scope| {
            scope.spawn(|| scene.key.set_interest_ops(Ops::WRITE).unwrap());
        });
    });
}

#[test]
fn interest_that_comes_back() {
    each_look_finds(|scene| {
        scene.key.set_interest_ops(Ops::empty()).unwrap();
        scene.peer_writes();
        scene.arm();
        scene.key.set_interest_ops(Ops::READ).unwrap();
    });
}

/// The kernel is told nothing in between.
#[test]
fn interest_that_was_never_gone() {
    each_look_finds(|scene| {
        scene.key.set_interest_ops(Ops::empty()).unwrap();
        scene.peer_writes();
        scene.key.set_interest_ops(Ops::READ).unwrap();
    });
}

#[test]
fn a_registration_of_what_is_ready() {
    each_look_finds(|scene| {
        let (more, _) = unix_pair();
        more.register(&scene.selector, Ops::READ, ()).unwrap();
        scene.more = Some(more);
    });
}

#[test]
fn a_registration_after_a_cancellation() {
    each_look_finds(|scene| {
        scene.key.cancel();
        scene.peer_writes();
        scene.arm();
        scene.key = scene.ours.register(&scene.selector, Ops::READ, ()).unwrap();
    });
}

#[test]
fn what_was_cancelled_is_not_found() {
    if !can_be_had() {
        return;
    }
    let mut scene = Scene::new();
    scene.key.cancel();
    scene.peer_writes();
    assert_eq!(scene.selector.select_now().unwrap(), 0);
    assert!(!scene.ours.is_registered());
    scene.arm();
    assert_silent(&mut scene.selector);
}

/// A cancelled key is let go of by the next look, though nothing rings.
#[test]
fn a_cancellation() {
    if !can_be_had() {
        return;
    }
    for by_another_thread in [false, true] {
        let mut scene = Scene::new();
        let key = &scene.key;
        if by_another_thread {
            thread::scope(|scope| {
                scope.spawn(|| key.cancel());
            });
        } else {
            key.cancel();
        }
        assert_eq!(scene.selector.select_now().unwrap(), 0);
        assert!(!scene.ours.is_registered());
        assert_eq!(scene.selector.keys().count(), 0);
    }
}

#[test]
fn a_channel_that_is_dropped() {
    if !can_be_had() {
        return;
    }
    let mut scene = Scene::new();
    drop(scene.ours);
    assert_eq!(scene.selector.select_now().unwrap(), 0);
    assert!(common::sees_end(&scene.theirs));
    assert_eq!(scene.selector.keys().count(), 0);
    arm(&mut scene.selector);
}

#[test]
fn a_wakeup() {
    if !can_be_had() {
        return;
    }
    for look in LOOKS {
        let Scene {
            mut selector,
            key: _key,
            ours: _ours,
            theirs: _theirs,
            more: _,
        } = Scene::new();
        selector.wakeup();
        assert_eq!(look(&mut selector), 0);
        assert_silent(&mut selector);
        let waker = selector.waker();
        thread::scope(|scope| {
            scope.spawn(move || waker.wake());
        });
        assert_eq!(look(&mut selector), 0);
        arm(&mut selector);
        assert_silent(&mut selector);
    }
}

#[test]
fn the_end_of_the_selector() {
    if !can_be_had() {
        return;
    }
    let looks: [fn(&mut _) -> _; 3] = [
        Selector::<()>::select_now,
        |selector| selector.select_now_with(|_| {}),
        Selector::select,
    ];
    for look in looks {
        let mut scene = Scene::new();
        let handle = scene.selector.handle();
        thread::scope(|scope| {
            scope.spawn(|| handle.close());
        });
        let refused = look(&mut scene.selector).unwrap_err();
        assert!(matches!(refused, nioselect::Error::ClosedSelector));
        assert!(!scene.key.is_valid());
    }
}

/// Changes of one thread, events of another, while the third looks all the time.
#[test]
fn everything_at_once() {
    const ROUNDS: u32 = 2_000;
    if !can_be_had() {
        return;
    }
    let mut scene = Scene::new();
    let (key, theirs) = (&scene.key, &scene.theirs);
    let taken = AtomicU32::new(0);
    let before = scene.selector.doorbell().answered;
    thread::scope(|scope| {
        let (taken, ours) = (&taken, &scene.ours);
        let selector = &mut scene.selector;
        scope.spawn(move || {
            for number in 1..=ROUNDS {
                key.set_interest_ops(Ops::empty()).unwrap();
                (&mut &*theirs).write_all(b"x").unwrap();
                key.set_interest_ops(Ops::READ).unwrap();
                until(|| taken.load(Ordering::Acquire) == number);
            }
        });
        let mut number = 0;
        while number < ROUNDS {
            if selector.select_now().unwrap() > 0 {
                selector.selected_keys().clear();
                number += u32::try_from(read_all(ours).len()).unwrap();
                taken.store(number, Ordering::Release);
            }
        }
    });
    let doorbell = scene.selector.doorbell();
    assert!(doorbell.answered > before, "{doorbell:?}");
}
