//! One-shot registrations, and changing modes.

mod common;

use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::mpsc;
use std::thread;

use common::{
    LONG, assert_silent, await_ready, fill, has_edges, look, on_every_backend, pipe, read_all,
    selector, unix_pair,
};
use nioselect::poller::{Kind, Poller};
use nioselect::{Error, Mode, Ops};

#[test]
fn a_one_shot_reports_once_and_what_is_left_when_it_is_armed_again() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (mut ours, mut theirs) = unix_pair();
        let key = ours
            .register_with_mode(&selector, Ops::READ, Mode::OneShot, ())
            .unwrap();
        assert_eq!(key.mode(), Mode::OneShot);
        theirs.write_all(b"ab").unwrap();
        assert_eq!(selector.select().unwrap(), 1);
        assert_eq!(
            (key.interest_ops(), key.ready_ops()),
            (Ops::empty(), Ops::READ)
        );
        ours.read_exact(&mut [0]).unwrap();
        assert_silent(&mut selector);
        theirs.write_all(b"c").unwrap();
        assert_silent(&mut selector);

        for _ in 0..3 {
            key.set_interest_ops(Ops::READ).unwrap();
            assert_eq!(selector.select().unwrap(), 1);
            assert_silent(&mut selector);
        }
        assert_eq!(read_all(&ours), b"bc");
        key.set_interest_ops(Ops::READ).unwrap();
        assert_silent(&mut selector);
        assert_eq!(key.interest_ops(), Ops::READ, "it has not fired");
        theirs.write_all(b"d").unwrap();
        assert_eq!(selector.select().unwrap(), 1);
    });
}

#[test]
fn one_event_of_a_one_shot_disarms_all_operations() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (ours, mut theirs) = unix_pair();
        let both = Ops::READ | Ops::WRITE;
        let key = ours
            .register_with_mode(&selector, both, Mode::OneShot, ())
            .unwrap();
        assert_eq!(selector.select().unwrap(), 1);
        assert_eq!(key.ready_ops(), Ops::WRITE);
        theirs.write_all(b"x").unwrap();
        assert_silent(&mut selector);
        assert_eq!(key.interest_ops_or(both).unwrap(), Ops::empty());
        assert_eq!(selector.select().unwrap(), 1);
        assert_eq!(key.ready_ops(), both);
    });
}

#[test]
fn a_disarmed_one_shot_does_not_hear_a_hang_up() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let (ours, mut theirs) = unix_pair();
        let key = ours
            .register_with_mode(&selector, Ops::READ, Mode::OneShot, ())
            .unwrap();
        theirs.write_all(b"x").unwrap();
        assert_eq!(selector.select().unwrap(), 1);
        drop(theirs);
        assert_silent(&mut selector);
        key.set_interest_ops(Ops::READ).unwrap();
        assert_eq!(selector.select().unwrap(), 1);
        assert_silent(&mut selector);
    });
}

/// io_uring(7) tells of the end of reading whether it was asked or not, and a request that was to
/// tell of room once has been used up by that.
#[test]
fn room_to_write_is_reported_although_the_peer_has_ended_writing() {
    on_every_backend(|backend| {
        for mode in [Mode::Level, Mode::OneShot, Mode::Edge] {
            if mode == Mode::Edge && !has_edges(backend) {
                continue;
            }
            let mut selector = selector(backend);
            let (ours, theirs) = unix_pair();
            theirs.shutdown(Shutdown::Write).unwrap();
            theirs.set_nonblocking(true).unwrap();
            let key = ours
                .register_with_mode(&selector, Ops::empty(), mode, ())
                .unwrap();
            for _ in 0..3 {
                fill(&ours);
                key.set_interest_ops(Ops::WRITE).unwrap();
                assert_silent(&mut selector);
                read_all(&theirs);
                await_ready(&mut selector, &key, Ops::WRITE);
                if mode != Mode::Level {
                    assert_silent(&mut selector);
                }
                key.set_interest_ops(Ops::empty()).unwrap();
            }
        }
    });
}

#[test]
fn an_action_arms_its_one_shot_again() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let pipe = pipe();
        pipe.sink
            .register_with_mode(&selector, Ops::WRITE, Mode::OneShot, ())
            .unwrap();
        for _ in 0..5 {
            let count = selector
                .select_with(|key| {
                    assert_eq!(key.interest_ops(), Ops::empty());
                    key.set_interest_ops(Ops::WRITE).unwrap();
                })
                .unwrap();
            assert_eq!(count, 1);
        }
    });
}

/// A worker handles what the selecting thread finds, and arms the key again: each byte is one
/// report, and none may be lost however the two threads meet.
#[test]
fn arming_from_another_thread_is_never_lost() {
    const BYTES: usize = 3000;
    on_every_backend(|backend| {
        let _guard = common::HangGuard::new(format!("re-arming on {backend}"));
        let mut selector = selector(backend);
        let (ours, mut theirs) = unix_pair();
        let key = ours
            .register_with_mode(&selector, Ops::READ, Mode::OneShot, ())
            .unwrap();
        let (work, worker) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(|| theirs.write_all(&[0; BYTES]).unwrap());
            scope.spawn(|| {
                let mut ours = &ours;
                for () in worker {
                    ours.read_exact(&mut [0]).unwrap();
                    key.set_interest_ops(Ops::READ).unwrap();
                }
            });
            for byte in 0..BYTES {
                selector.selected_keys().clear();
                let count = selector.select_timeout(LONG).unwrap();
                assert_eq!(count, 1, "after {byte} bytes");
                work.send(()).unwrap();
            }
            drop(work);
        });
        assert_silent(&mut selector);
    });
}

#[test]
fn a_key_takes_another_mode_when_it_is_registered_again() {
    on_every_backend(|backend| {
        let mut selector = selector(backend);
        let pipe = pipe();
        let key = pipe.sink.register(&selector, Ops::WRITE, ()).unwrap();
        await_ready(&mut selector, &key, Ops::WRITE);
        await_ready(&mut selector, &key, Ops::WRITE);

        let same = pipe
            .sink
            .register_with_mode(&selector, Ops::WRITE, Mode::OneShot, ())
            .unwrap();
        assert_eq!((&same, same.mode()), (&key, Mode::OneShot));
        await_ready(&mut selector, &key, Ops::WRITE);
        assert_silent(&mut selector);

        pipe.sink.register(&selector, Ops::WRITE, ()).unwrap();
        assert_eq!((key.mode(), key.interest_ops()), (Mode::Level, Ops::WRITE));
        await_ready(&mut selector, &key, Ops::WRITE);
        await_ready(&mut selector, &key, Ops::WRITE);
    });
}

#[test]
fn a_poller_has_the_same_modes() {
    on_every_backend(|backend| {
        let mut poller = Poller::open(backend).unwrap();
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let token = poller
            .register(ours, Kind::Connected, Ops::READ, Mode::OneShot)
            .unwrap();
        theirs.write_all(b"x").unwrap();
        assert_eq!(look(&mut poller), [(token, Ops::READ)]);
        assert_eq!(look(&mut poller), []);
        poller.set_interest(token, Ops::READ).unwrap();
        assert_eq!(look(&mut poller), [(token, Ops::READ)]);

        poller.set_mode(token, Mode::Level).unwrap();
        assert_eq!(look(&mut poller), [], "nobody has armed it");
        poller.set_interest(token, Ops::READ).unwrap();
        assert_eq!(look(&mut poller), [(token, Ops::READ)]);
        assert_eq!(look(&mut poller), [(token, Ops::READ)]);

        assert_eq!(poller.supports(Mode::Edge), has_edges(backend));
        match poller.set_mode(token, Mode::Edge) {
            Ok(()) => {
                assert_eq!(look(&mut poller), [(token, Ops::READ)]);
                assert_eq!(look(&mut poller), []);
            }
            Err(error) => {
                assert!(matches!(error, Error::Unsupported(_)), "{error}");
                assert_eq!(
                    look(&mut poller),
                    [(token, Ops::READ)],
                    "it has the mode that it had"
                );
            }
        }
    });
}
