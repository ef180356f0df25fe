//! What a doorbell leaves behind interrupts no system call of its thread.

use super::*;

use std::io::ErrorKind;

use rustix::event::epoll;

/// Longer than it takes the kernel to end what has been closed.
const A_WHILE: Duration = Duration::from_millis(60);

fn assert_not_interrupted() {
    let (ours, _theirs) = UnixStream::pair().unwrap();
    ours.set_read_timeout(Some(A_WHILE)).unwrap();
    let refused = (&ours).read(&mut [0]).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::WouldBlock);

    let set = epoll::create(epoll::CreateFlags::CLOEXEC).unwrap();
    let mut events = [std::mem::MaybeUninit::uninit(); 1];
    let limit = A_WHILE.try_into().unwrap();
    let waited = epoll::wait(&set, &mut events, Some(&limit));
    assert_eq!(waited.map(|(ready, _)| ready.len()), Ok(0));
}

/// With something that is ready or has rung, or without.
fn assert_ends_quietly(number: usize, rings: bool) {
    let mut selectors: Vec<_> = (0..number).map(|_| armed()).collect();
    let pipe = pipe();
    let first = &mut selectors[0];
    pipe.source.register(first, Ops::READ, ()).unwrap();
    arm(first);
    if rings {
        (&pipe.sink).write_all(b"x").unwrap();
    }
    drop(selectors);
    assert_not_interrupted();
}

#[test]
fn a_selector_that_has_ended() {
    if can_be_had() {
        for rings in [false, true] {
            assert_ends_quietly(1, rings);
        }
    }
}

/// As many as a thread keeps rings of. One that is closed interrupts.
#[test]
fn several_selectors_that_have_ended() {
    if can_be_had() {
        assert_ends_quietly(descriptors::SPARES, true);
    }
}

/// A thread that comes to select, and stays, ends what another one has set up.
#[test]
fn a_selector_that_has_come_from_another_thread() {
    if !can_be_had() {
        return;
    }
    let mut selector = thread::spawn(armed::<()>).join().unwrap();
    for _ in 0..100 {
        assert_eq!(selector.select_now().unwrap(), 0);
    }
    arm(&mut selector);
    assert_not_interrupted();
    drop(selector);
    assert_not_interrupted();
}
