//! What the mechanism promises, in each regime, with queues of the usual sizes and with tiny
//! ones, which are full all the time.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::thread;

use super::reports::MOST_LINGERING;
use super::*;
use crate::sys::io_uring::{Regime, Sizes};
use crate::sys::testing::{allow_many_descriptors, nobody_forks};

const TINY: Sizes = Sizes {
    requests: 2,
    completions: 4,
};

const BOTH: Readiness = Readiness::READABLE.union(Readiness::WRITABLE);

/// A mechanism, and the list that it fills.
struct Scene {
    io_uring: IoUring,
    ready: ReadyList,
}

fn in_every_regime(test: impl Fn(&mut Scene)) {
    allow_many_descriptors();
    let _no_copies = nobody_forks();
    for regime in Regime::BEST_FIRST {
        for sizes in [Sizes::USUAL, TINY] {
            // A newer kernel than this may be needed.
            if let Ok(ring) = Ring::open_as(regime, sizes) {
                println!("{regime:?}, {sizes:?}");
                test(&mut Scene::new(ring, 1024));
            }
        }
    }
}

fn token(number: u32) -> Token {
    Token::new(number, 1)
}

impl Scene {
    fn new(ring: Ring, limit: usize) -> Self {
        Self {
            io_uring: IoUring::over(ring),
            ready: ReadyList::with_limit(limit),
        }
    }

    fn add(&mut self, channel: &impl AsRawFd, number: u32, wanted: Readiness, mode: Mode) {
        let fd = channel.as_raw_fd();
        self.io_uring.add(fd, token(number), wanted, mode).unwrap();
    }

    fn modify(&mut self, channel: &impl AsRawFd, number: u32, wanted: Readiness, mode: Mode) {
        let fd = channel.as_raw_fd();
        let modified = self.io_uring.modify(fd, token(number), wanted, mode);
        modified.unwrap();
    }

    fn wait(&mut self, timeout: Option<Duration>) -> Vec<(Token, Readiness)> {
        self.ready.clear();
        self.io_uring.wait(&mut self.ready, timeout).unwrap();
        let mut found = Vec::new();
        while let Some(ready) = self.ready.take() {
            assert_eq!(ready.refusal, 0);
            found.push((ready.token, ready.readiness));
        }
        found.sort_unstable_by_key(|&(token, _)| token);
        found
    }

    fn look(&mut self) -> Vec<(Token, Readiness)> {
        self.wait(Some(Duration::ZERO))
    }

    #[track_caller]
    fn finds(&mut self, expected: &[(u32, Readiness)]) {
        let expected: Vec<_> = expected
            .iter()
            .map(|&(number, readiness)| (token(number), readiness))
            .collect();
        assert_eq!(self.look(), expected);
    }

    /// A wait may end early with nothing.
    fn wait_for_something(&mut self) -> Vec<(Token, Readiness)> {
        loop {
            let found = self.wait(None);
            if !found.is_empty() {
                return found;
            }
        }
    }
}

fn take_byte(mut from: impl Read) {
    from.read_exact(&mut [0]).unwrap();
}

fn write_byte(mut to: impl Write) {
    to.write_all(b"x").unwrap();
}

fn pipes(number: usize) -> Vec<(PipeReader, PipeWriter)> {
    (0..number).map(|_| io::pipe().unwrap()).collect()
}

#[test]
fn a_level_is_reported_as_long_as_it_lasts() {
    in_every_regime(|scene| {
        let (reader, writer) = io::pipe().unwrap();
        scene.add(&reader, 1, Readiness::READABLE, Mode::Level);
        scene.finds(&[]);
        for _ in 0..3 {
            write_byte(&writer);
            for _ in 0..5 {
                scene.finds(&[(1, Readiness::READABLE)]);
            }
            take_byte(&reader);
            for _ in 0..5 {
                scene.finds(&[]);
            }
        }
        drop(writer);
        scene.finds(&[(1, Readiness::HANGUP)]);
    });
}

#[test]
fn what_is_over_before_the_wait_is_not_reported() {
    in_every_regime(|scene| {
        for mode in [Mode::Level, Mode::Edge, Mode::OneShot] {
            let (reader, writer) = io::pipe().unwrap();
            scene.add(&reader, 1, Readiness::READABLE, mode);
            scene.finds(&[]);
            write_byte(&writer);
            take_byte(&reader);
            scene.finds(&[]);
            assert_eq!(scene.wait(Some(Duration::from_micros(50))), []);
            write_byte(&writer);
            scene.finds(&[(1, Readiness::READABLE)]);
            scene.io_uring.remove(reader.as_raw_fd()).unwrap();
        }
    });
}

#[test]
fn both_directions_are_one_report() {
    in_every_regime(|scene| {
        for mode in [Mode::Level, Mode::Edge] {
            let (ours, theirs) = UnixStream::pair().unwrap();
            scene.add(&ours, 1, BOTH, mode);
            scene.finds(&[(1, Readiness::WRITABLE)]);
            write_byte(&theirs);
            scene.finds(&[(1, BOTH)]);
            theirs.shutdown(Shutdown::Both).unwrap();
            scene.finds(&[(1, BOTH | Readiness::HANGUP)]);
            scene.io_uring.remove(ours.as_raw_fd()).unwrap();
        }
    });
}

#[test]
fn an_edge_is_reported_when_it_comes_and_when_it_is_asked_for_anew() {
    in_every_regime(|scene| {
        let (reader, writer) = io::pipe().unwrap();
        scene.add(&reader, 1, Readiness::READABLE, Mode::Edge);
        for _ in 0..3 {
            write_byte(&writer);
            scene.finds(&[(1, Readiness::READABLE)]);
            scene.finds(&[]);
            scene.modify(&reader, 2, Readiness::READABLE, Mode::Edge);
            scene.finds(&[(2, Readiness::READABLE)]);
            scene.finds(&[]);
            scene.modify(&reader, 1, Readiness::READABLE, Mode::Edge);
            scene.finds(&[(1, Readiness::READABLE)]);
        }
    });
}

#[test]
fn a_one_shot_is_silent_until_it_is_modified() {
    in_every_regime(|scene| {
        let (ours, theirs) = UnixStream::pair().unwrap();
        scene.add(&ours, 1, BOTH, Mode::OneShot);
        scene.finds(&[(1, Readiness::WRITABLE)]);
        write_byte(&theirs);
        scene.finds(&[]);
        scene.modify(&ours, 1, BOTH, Mode::OneShot);
        scene.finds(&[(1, BOTH)]);
        drop(theirs);
        scene.finds(&[]);
        scene.modify(&ours, 1, BOTH, Mode::Level);
        let last = BOTH | Readiness::HANGUP;
        scene.finds(&[(1, last)]);
        scene.finds(&[(1, last)]);
    });
}

#[test]
fn nothing_of_an_earlier_registration_is_reported() {
    in_every_regime(|scene| {
        let (reader, writer) = io::pipe().unwrap();
        scene.add(&reader, 1, Readiness::READABLE, Mode::Level);
        scene.finds(&[]);
        write_byte(&writer);
        scene.io_uring.unwatch(reader.as_raw_fd()).unwrap();
        scene.finds(&[]);
        assert!(!scene.io_uring.lingers(reader.as_raw_fd()));
        scene.add(&reader, 2, Readiness::READABLE, Mode::Level);
        scene.finds(&[(2, Readiness::READABLE)]);
        scene.io_uring.unwatch(reader.as_raw_fd()).unwrap();
        scene.add(&reader, 3, Readiness::READABLE, Mode::Level);
        scene.finds(&[(3, Readiness::READABLE)]);
    });
}

#[test]
fn more_is_ready_than_any_queue_or_list_has_room_for() {
    const PIPES: u32 = 60;
    const LIMIT: usize = 7;
    in_every_regime(|scene| {
        scene.ready = ReadyList::with_limit(LIMIT);
        let pipes = pipes(PIPES as usize);
        for mode in [Mode::Level, Mode::Edge, Mode::OneShot] {
            for (number, (reader, writer)) in (0..).zip(&pipes) {
                scene.add(reader, number, Readiness::READABLE, mode);
                write_byte(writer);
            }
            let mut seen = vec![0; PIPES as usize];
            for _ in 0..PIPES.div_ceil(LIMIT as u32) + 1 {
                for (token, _) in scene.look() {
                    seen[token.index()] += 1;
                }
            }
            assert!(seen.iter().all(|&times| times > 0), "{mode:?}: {seen:?}");
            // An edge for which there was no room may be told twice.
            if mode == Mode::OneShot {
                assert!(seen.iter().all(|&times| times == 1), "{mode:?}: {seen:?}");
            }
            for (reader, _) in &pipes {
                take_byte(reader);
                scene.io_uring.remove(reader.as_raw_fd()).unwrap();
            }
            scene.finds(&[]);
        }
    });
}

#[test]
fn more_changes_are_made_than_the_queue_has_room_for() {
    const PIPES: u32 = 300;
    in_every_regime(|scene| {
        let pipes = pipes(PIPES as usize);
        for round in 0..3 {
            for (number, (reader, _)) in (0..).zip(&pipes) {
                scene.add(reader, number, Readiness::READABLE, Mode::Level);
            }
            scene.finds(&[]);
            for (_, writer) in &pipes {
                write_byte(writer);
            }
            assert_eq!(scene.look().len(), PIPES as usize, "in round {round}");
            for (reader, _) in &pipes {
                take_byte(reader);
            }
            scene.finds(&[]);
            for (reader, _) in &pipes {
                scene.io_uring.unwatch(reader.as_raw_fd()).unwrap();
            }
            scene.finds(&[]);
            assert_eq!(scene.io_uring.outstanding, 0);
        }
    });
}

/// Each wait leaves the list full, and cancelled requests behind it.
#[test]
fn cancelled_requests_do_not_heap_up() {
    in_every_regime(|scene| {
        scene.ready = ReadyList::with_limit(1);
        let pipes = pipes(200);
        let (_ready_reader, ready_writer) = io::pipe().unwrap();
        scene.add(&ready_writer, 999, Readiness::WRITABLE, Mode::Level);
        for _ in 0..60 {
            for (number, (reader, _)) in (0..).zip(&pipes) {
                scene.add(reader, number, Readiness::READABLE, Mode::Level);
            }
            scene.finds(&[(999, Readiness::WRITABLE)]);
            for (reader, _) in &pipes {
                scene.io_uring.unwatch(reader.as_raw_fd()).unwrap();
            }
            assert!(scene.io_uring.lingering <= MOST_LINGERING + pipes.len());
        }
    });
}

fn ended(mut peer: &UnixStream) -> bool {
    peer.set_nonblocking(true).unwrap();
    peer.read(&mut [0]).is_ok_and(|count| count == 0)
}

fn await_end(mut peer: &UnixStream) {
    peer.set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    while let Err(error) = peer.read(&mut [0]) {
        assert_eq!(error.kind(), std::io::ErrorKind::Interrupted);
    }
}

#[test]
fn the_peer_sees_the_end_of_what_is_closed_after_it_was_removed() {
    in_every_regime(|scene| {
        for mode in [Mode::Level, Mode::Edge, Mode::OneShot] {
            let (ours, theirs) = UnixStream::pair().unwrap();
            scene.add(&ours, 1, Readiness::READABLE, mode);
            scene.finds(&[]);
            scene.io_uring.remove(ours.as_raw_fd()).unwrap();
            drop(ours);
            assert!(ended(&theirs));
        }
    });
}

#[test]
fn what_was_unwatched_lingers_until_the_next_wait() {
    in_every_regime(|scene| {
        let (ours, theirs) = UnixStream::pair().unwrap();
        scene.add(&ours, 1, Readiness::READABLE, Mode::Level);
        scene.finds(&[]);
        scene.io_uring.unwatch(ours.as_raw_fd()).unwrap();
        assert!(scene.io_uring.lingers(ours.as_raw_fd()));
        scene.finds(&[]);
        assert!(!scene.io_uring.lingers(ours.as_raw_fd()));
        drop(ours);
        assert!(ended(&theirs));
    });
}

#[test]
fn what_completes_while_another_is_removed_is_not_lost() {
    in_every_regime(|scene| {
        let (first, first_writer) = io::pipe().unwrap();
        let (second, _second_writer) = io::pipe().unwrap();
        for mode in [Mode::Level, Mode::Edge, Mode::OneShot] {
            scene.add(&first, 1, Readiness::READABLE, mode);
            scene.add(&second, 2, Readiness::READABLE, mode);
            scene.finds(&[]);
            write_byte(&first_writer);
            scene.io_uring.remove(second.as_raw_fd()).unwrap();
            scene.finds(&[(1, Readiness::READABLE)]);
            take_byte(&first);
            scene.finds(&[]);
            scene.io_uring.remove(first.as_raw_fd()).unwrap();
        }
    });
}

/// Twice in one list would be two keys.
#[test]
fn many_edges_are_one_report() {
    in_every_regime(|scene| {
        let (reader, writer) = io::pipe().unwrap();
        scene.add(&reader, 1, Readiness::READABLE, Mode::Edge);
        scene.finds(&[]);
        thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..1000 {
                    write_byte(&writer);
                }
            });
            let mut edges = 0;
            while edges < 10 {
                let found = scene.wait(Some(Duration::from_millis(1)));
                assert!(found.len() <= 1, "{found:?}");
                edges += found.len();
                if found.is_empty() {
                    break;
                }
            }
        });
    });
}

#[test]
fn a_wait_ends_when_something_becomes_ready() {
    in_every_regime(|scene| {
        let (reader, writer) = io::pipe().unwrap();
        scene.add(&reader, 1, Readiness::READABLE, Mode::Level);
        for _ in 0..100 {
            thread::scope(|scope| {
                scope.spawn(|| write_byte(&writer));
                let found = scene.wait_for_something();
                assert_eq!(found, [(token(1), Readiness::READABLE)]);
            });
            take_byte(&reader);
        }
    });
}

#[test]
fn a_closed_descriptor_is_dead() {
    const NOBODYS: RawFd = 1_000_000;
    in_every_regime(|scene| {
        let added = scene
            .io_uring
            .add(NOBODYS, token(1), Readiness::READABLE, Mode::Level);
        added.unwrap();
        scene.finds(&[(1, Readiness::DEAD)]);
        scene.io_uring.unwatch(NOBODYS).unwrap();
        scene.finds(&[]);
    });
}

/// No kernel refuses one on demand.
#[test]
fn what_is_refused_is_not_watched_but_the_bell() {
    in_every_regime(|scene| {
        let (reader, writer) = io::pipe().unwrap();
        let fd = reader.as_raw_fd();
        write_byte(&writer);
        for (refused, found) in [
            (token(1), vec![]),
            (Token::WAKE, vec![(Token::WAKE, Readiness::READABLE)]),
        ] {
            let added = scene
                .io_uring
                .add(fd, refused, Readiness::READABLE, Mode::Level);
            added.unwrap();
            scene.ready.clear();
            scene.io_uring.refuse(fd, libc::ENOMEM, &mut scene.ready);
            let refusal = scene.ready.take().unwrap();
            assert_eq!((refusal.token, refusal.refusal), (refused, libc::ENOMEM));
            assert_eq!(scene.look(), found);
            scene.io_uring.remove(fd).unwrap();
        }
    });
}

/// Nothing may be left with the thread that has watched until now.
#[test]
fn another_thread_goes_on_where_one_has_left_off() {
    in_every_regime(|scene| {
        let (level, level_writer) = io::pipe().unwrap();
        let (one_shot, one_shot_writer) = io::pipe().unwrap();
        let (ours, theirs) = UnixStream::pair().unwrap();
        scene.add(&level, 1, Readiness::READABLE, Mode::Level);
        scene.add(&one_shot, 2, Readiness::READABLE, Mode::OneShot);
        scene.add(&ours, 3, Readiness::READABLE, Mode::Level);
        scene.finds(&[]);
        for _ in 0..3 {
            write_byte(&level_writer);
            thread::scope(|scope| {
                scope.spawn(|| {
                    for _ in 0..3 {
                        scene.finds(&[(1, Readiness::READABLE)]);
                    }
                });
            });
            scene.finds(&[(1, Readiness::READABLE)]);
            take_byte(&level);
            scene.finds(&[]);
        }
        write_byte(&one_shot_writer);
        scene.finds(&[(2, Readiness::READABLE)]);
        thread::scope(|scope| {
            scope.spawn(|| {
                scene.finds(&[]);
                scene.io_uring.remove(ours.as_raw_fd()).unwrap();
            });
        });
        drop(ours);
        await_end(&theirs);
    });
}

#[test]
fn whichever_thread_ends_it_the_peers_see_the_end_of_what_is_closed_then() {
    let _no_copies = nobody_forks();
    for regime in Regime::BEST_FIRST {
        for by_another in [false, true] {
            let Ok(ring) = Ring::open_as(regime, Sizes::USUAL) else {
                continue;
            };
            let mut scene = Scene::new(ring, 16);
            let (ours, theirs) = UnixStream::pair().unwrap();
            scene.add(&ours, 1, Readiness::READABLE, Mode::Level);
            scene.finds(&[]);
            let end = move || {
                drop(scene);
                drop(ours);
            };
            if by_another {
                thread::spawn(end).join().unwrap();
            } else {
                end();
            }
            // The kernel may take longer than is waited for it.
            if by_another {
                await_end(&theirs);
            } else {
                assert!(ended(&theirs), "{regime:?}");
            }
        }
    }
}

#[test]
fn nothing_is_asked_of_the_kernel_in_silence() {
    let Ok(ring) = Ring::open_as(Regime::Deferred, Sizes::USUAL) else {
        return;
    };
    let mut scene = Scene::new(ring, 16);
    let (reader, writer) = io::pipe().unwrap();
    scene.add(&reader, 1, Readiness::READABLE, Mode::Level);
    assert!(!scene.io_uring.is_silent());
    scene.finds(&[]);
    assert!(scene.io_uring.is_silent());
    write_byte(&writer);
    assert!(!scene.io_uring.is_silent());
    scene.finds(&[(1, Readiness::READABLE)]);
    assert!(!scene.io_uring.is_silent(), "it may be ready still");
    take_byte(&reader);
    scene.finds(&[]);
    assert!(scene.io_uring.is_silent());
    thread::scope(|scope| {
        scope.spawn(|| assert!(!scene.io_uring.is_silent(), "it is another thread's"));
    });
}

#[test]
fn rounds_and_serials_may_come_again() {
    in_every_regime(|scene| {
        scene.io_uring.round = u32::MAX - 2;
        scene.io_uring.serial = u32::MAX - 5;
        let pipes = pipes(2);
        for (number, (reader, _)) in (0..).zip(&pipes) {
            scene.add(reader, number, Readiness::READABLE, Mode::Level);
        }
        for _ in 0..5 {
            for (number, (reader, writer)) in (0..).zip(&pipes) {
                write_byte(writer);
                scene.finds(&[(number, Readiness::READABLE)]);
                take_byte(reader);
                scene.finds(&[]);
            }
        }
    });
}
