//! What the backend makes of a kernel, in both flavours of the double.

use std::fs::File;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;

use super::*;
use crate::backend::Ready;
use crate::sys::kqueue::double::{self, Flavour};
use crate::sys::kqueue::types::{EV_ADD, EVFILT_READ};
use crate::sys::testing::{allow_many_descriptors, nobody_forks};

const BOTH: Readiness = Readiness::READABLE.union(Readiness::WRITABLE);
const BROKEN: Readiness = Readiness::WRITABLE.union(Readiness::ERROR);
/// Longer than anything that is awaited takes.
const LONG: Duration = Duration::from_secs(20);

fn on_both_kernels(test: impl Fn()) {
    allow_many_descriptors();
    let _no_copies = nobody_forks();
    for flavour in [Flavour::FreeBsd, Flavour::NetBsd] {
        println!("on {flavour:?}");
        double::choose_flavour(Some(flavour));
        test();
    }
    double::choose_flavour(None);
}

fn token(index: u32) -> Token {
    Token::new(index, 7)
}

impl Kqueue {
    /// Adds it under the token of that index.
    fn watch(&mut self, what: &impl AsRawFd, index: u32, wanted: Readiness, mode: Mode) {
        self.add(what.as_raw_fd(), token(index), wanted, mode)
            .unwrap();
    }

    fn watch_again(&mut self, what: &impl AsRawFd, index: u32, wanted: Readiness, mode: Mode) {
        self.modify(what.as_raw_fd(), token(index), wanted, mode)
            .unwrap();
    }

    /// What one wait finds, by token.
    fn find(&mut self, limit: usize, timeout: Duration) -> Vec<Ready> {
        let mut ready = ReadyList::with_limit(limit);
        self.wait(&mut ready, Some(timeout)).unwrap();
        let mut all: Vec<_> = std::iter::from_fn(|| ready.take()).collect();
        all.sort_by_key(|answer| answer.token);
        all
    }

    fn look(&mut self) -> Vec<(Token, Readiness)> {
        let found = self.find(64, Duration::ZERO);
        found.iter().map(readiness).collect()
    }
}

fn readiness(answer: &Ready) -> (Token, Readiness) {
    assert_eq!(answer.refusal, 0, "{answer:?}");
    (answer.token, answer.readiness)
}

fn pair() -> (UnixStream, UnixStream) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    ours.set_nonblocking(true).unwrap();
    theirs.set_nonblocking(true).unwrap();
    (ours, theirs)
}

fn fill(mut into: &UnixStream) {
    while into.write(&[0; 4096]).is_ok() {}
}

fn drain(mut from: &UnixStream) {
    while from.read(&mut [0; 4096]).is_ok_and(|count| count > 0) {}
}

fn readable_pipe() -> (PipeReader, PipeWriter) {
    let (reader, mut writer) = io::pipe().unwrap();
    writer.write_all(b"x").unwrap();
    (reader, writer)
}

fn broken_pipe() -> PipeWriter {
    io::pipe().unwrap().1
}

/// What macOS and the double refuse.
fn device() -> File {
    File::open("/dev/null").unwrap()
}

#[test]
fn a_wait_is_one_call_whatever_the_number_of_changes() {
    on_both_kernels(|| {
        let mut kqueue = Kqueue::open().unwrap();
        let pipes: Vec<_> = (0..100).map(|_| readable_pipe()).collect();
        let look = |kqueue: &mut Kqueue, expected: usize| {
            let before = double::calls();
            assert_eq!(kqueue.find(1024, Duration::ZERO).len(), expected);
            assert_eq!(double::calls() - before, 1);
        };
        look(&mut kqueue, 0);
        for (index, (reader, _)) in (0..).zip(&pipes) {
            kqueue.watch(reader, index, Readiness::READABLE, Mode::Level);
        }
        look(&mut kqueue, 100);
        look(&mut kqueue, 100);
        kqueue.unwatch(pipes[0].0.as_raw_fd()).unwrap();
        look(&mut kqueue, 99);
        for (index, (reader, _)) in (0..).zip(&pipes) {
            kqueue.watch_again(reader, index, Readiness::READABLE, Mode::OneShot);
        }
        look(&mut kqueue, 100);
        look(&mut kqueue, 0);
    });
}

#[test]
fn what_is_changed_again_and_again_is_told_once() {
    let mut kqueue = Kqueue::open().unwrap();
    let (ours, _theirs) = pair();
    for _ in 0..100 {
        kqueue.watch(&ours, 0, BOTH, Mode::Level);
        kqueue.unwatch(ours.as_raw_fd()).unwrap();
    }
    kqueue.gather_changes();
    assert!(kqueue.changes.is_empty());
    kqueue.watch(&ours, 0, Readiness::READABLE, Mode::Level);
    for _ in 0..100 {
        kqueue.watch_again(&ours, 0, BOTH, Mode::Edge);
        kqueue.watch_again(&ours, 0, Readiness::READABLE, Mode::Level);
    }
    kqueue.gather_changes();
    assert_eq!(kqueue.changes.len(), 1);
}

#[test]
fn what_the_kernel_does_not_know_is_removed_without_a_call() {
    let mut kqueue = Kqueue::open().unwrap();
    let (ours, _theirs) = pair();
    kqueue.watch(&ours, 0, BOTH, Mode::Level);
    let before = double::calls();
    assert!(!kqueue.lingers(ours.as_raw_fd()));
    kqueue.remove(ours.as_raw_fd()).unwrap();
    kqueue.remove(12_345).unwrap();
    assert_eq!(double::calls(), before);
    assert_eq!(kqueue.look(), []);
}

#[test]
fn what_is_unwatched_lingers_until_the_next_call() {
    on_both_kernels(|| {
        let mut kqueue = Kqueue::open().unwrap();
        let (ours, _theirs) = pair();
        kqueue.watch(&ours, 0, BOTH, Mode::Level);
        kqueue.look();
        kqueue.unwatch(ours.as_raw_fd()).unwrap();
        assert!(kqueue.lingers(ours.as_raw_fd()));
        let before = double::calls();
        kqueue.remove(ours.as_raw_fd()).unwrap();
        assert_eq!(double::calls() - before, 1);
        assert!(!kqueue.lingers(ours.as_raw_fd()));

        kqueue.watch(&ours, 1, BOTH, Mode::Level);
        kqueue.look();
        kqueue.unwatch(ours.as_raw_fd()).unwrap();
        assert_eq!(kqueue.look(), []);
        assert!(!kqueue.lingers(ours.as_raw_fd()));
    });
}

#[test]
fn both_directions_are_one_entry() {
    on_both_kernels(|| {
        let mut kqueue = Kqueue::open().unwrap();
        let (ours, mut theirs) = pair();
        theirs.write_all(b"x").unwrap();
        kqueue.watch(&ours, 0, BOTH, Mode::Level);
        for _ in 0..2 {
            assert_eq!(kqueue.look(), [(token(0), BOTH)]);
        }
    });
}

#[test]
fn an_event_of_another_generation_is_stale() {
    on_both_kernels(|| {
        let mut kqueue = Kqueue::open().unwrap();
        let (reader, _writer) = readable_pipe();
        kqueue.watch(&reader, 0, Readiness::READABLE, Mode::Level);
        assert_eq!(kqueue.look(), [(token(0), Readiness::READABLE)]);
        let ident = index(reader.as_raw_fd());
        let mut of_another = [Event::new(ident, EVFILT_READ, EV_ADD, 0, 8)];
        kqueue.queue.submit(&mut of_another).unwrap();
        assert_eq!(of_another[0].outcome(), Some(0));
        assert_eq!(kqueue.look(), []);
    });
}

#[test]
fn a_descriptor_that_is_reported_after_very_many_waits_is_reported_for_itself() {
    let mut kqueue = Kqueue::open().unwrap();
    let (reader, mut writer) = io::pipe().unwrap();
    kqueue.watch(&reader, 0, Readiness::READABLE, Mode::Edge);
    writer.write_all(b"x").unwrap();
    assert_eq!(kqueue.look(), [(token(0), Readiness::READABLE)]);
    kqueue.round = u32::MAX;
    writer.write_all(b"x").unwrap();
    assert_eq!(kqueue.look(), [(token(0), Readiness::READABLE)]);
}

/// Once with room for what is refused in the list of events, and once without.
#[test]
fn what_is_refused_is_named_and_hinders_nobody() {
    on_both_kernels(|| {
        for (limit, calls) in [(64, 2), (1, 3)] {
            let mut kqueue = Kqueue::open().unwrap();
            let (first, second) = (readable_pipe(), readable_pipe());
            let devices = [device(), device(), device()];
            kqueue.watch(&first.0, 0, Readiness::READABLE, Mode::Level);
            for (index, device) in (1..).zip(&devices) {
                kqueue.watch(device, index, BOTH, Mode::Level);
            }
            kqueue.watch(&second.0, 4, Readiness::READABLE, Mode::Level);

            let before = double::calls();
            let found = kqueue.find(limit, LONG);
            assert_eq!(double::calls() - before, calls);
            let (refused, ready): (Vec<_>, Vec<_>) =
                found.into_iter().partition(|answer| answer.refusal != 0);
            assert_eq!(ready.len(), 2.min(limit));
            let named: Vec<_> = refused
                .iter()
                .map(|answer| (answer.token, answer.refusal))
                .collect();
            assert_eq!(named, [1, 2, 3].map(|index| (token(index), libc::EINVAL)));

            kqueue.look();
            assert_eq!(
                kqueue.look(),
                [0, 4].map(|index| (token(index), Readiness::READABLE))
            );
            for device in &devices {
                assert!(!kqueue.lingers(device.as_raw_fd()));
            }
        }
    });
}

#[test]
fn a_closed_descriptor_is_dead_once() {
    on_both_kernels(|| {
        let mut kqueue = Kqueue::open().unwrap();
        // A number that nobody else gets meanwhile.
        const NUMBER: RawFd = 15_000;
        kqueue.add(NUMBER, token(0), BOTH, Mode::Level).unwrap();
        let (reader, _writer) = readable_pipe();
        kqueue.watch(&reader, 1, Readiness::READABLE, Mode::Level);
        let good = (token(1), Readiness::READABLE);
        assert_eq!(kqueue.look(), [(token(0), Readiness::DEAD), good]);
        assert_eq!(kqueue.look(), [good]);
    });
}

#[test]
fn a_pipe_that_nobody_reads_is_ready_and_fails_for_as_long_as_it_is_wanted() {
    on_both_kernels(|| {
        let mut kqueue = Kqueue::open().unwrap();
        let writer = broken_pipe();
        kqueue.watch(&writer, 0, Readiness::WRITABLE, Mode::Level);
        for _ in 0..3 {
            let found = kqueue.find(64, LONG);
            assert_eq!(
                found.iter().map(readiness).collect::<Vec<_>>(),
                [(token(0), BROKEN)]
            );
        }
        kqueue.unwatch(writer.as_raw_fd()).unwrap();
        assert_eq!(kqueue.look(), []);

        kqueue.watch(&writer, 1, Readiness::WRITABLE, Mode::Level);
        assert_eq!(kqueue.look(), [(token(1), BROKEN)]);
        kqueue.remove(writer.as_raw_fd()).unwrap();
        assert_eq!(kqueue.look(), []);
    });
}

#[test]
fn a_pipe_that_nobody_reads_keeps_to_its_mode() {
    on_both_kernels(|| {
        for mode in [Mode::OneShot, Mode::Edge] {
            let mut kqueue = Kqueue::open().unwrap();
            let writer = broken_pipe();
            kqueue.watch(&writer, 0, Readiness::WRITABLE, mode);
            for _ in 0..2 {
                assert_eq!(kqueue.look(), [(token(0), BROKEN)], "{mode:?}");
                kqueue.look();
                assert_eq!(kqueue.look(), [], "{mode:?}");
                kqueue.watch_again(&writer, 0, Readiness::WRITABLE, mode);
            }
        }
    });
}

#[test]
fn a_pipe_whose_reader_leaves_is_reported_even_if_it_is_full() {
    on_both_kernels(|| {
        for is_full in [false, true] {
            let mut kqueue = Kqueue::open().unwrap();
            let (reader, writer) = io::pipe().unwrap();
            crate::sys::descriptor::set_nonblocking(std::os::fd::AsFd::as_fd(&writer), true)
                .unwrap();
            while is_full && (&writer).write(&[0; 4096]).is_ok() {}
            kqueue.watch(&writer, 0, Readiness::WRITABLE, Mode::OneShot);
            assert_eq!(kqueue.look().len(), usize::from(!is_full));
            kqueue.watch_again(&writer, 0, Readiness::WRITABLE, Mode::OneShot);
            drop(reader);
            let found = kqueue.find(64, LONG);
            let (_, seen) = readiness(&found[0]);
            assert!(seen.contains(Readiness::WRITABLE), "{seen:?}");
            assert_eq!(kqueue.look(), [], "a one-shot reports once");
        }
    });
}

/// Though FreeBSD tells it once, and of a full pipe neither kernel does by `EVFILT_WRITE`.
#[test]
fn a_pipe_whose_reader_has_left_is_reported_by_every_wait() {
    let _no_copies = nobody_forks();
    on_both_kernels(|| {
        for (is_full, wanted) in [
            (false, Readiness::WRITABLE),
            (true, Readiness::WRITABLE),
            (false, BOTH),
            (true, BOTH),
        ] {
            let mut kqueue = Kqueue::open().unwrap();
            let (reader, writer) = io::pipe().unwrap();
            crate::sys::descriptor::set_nonblocking(std::os::fd::AsFd::as_fd(&writer), true)
                .unwrap();
            while is_full && (&writer).write(&[0; 4096]).is_ok() {}
            kqueue.watch(&writer, 0, wanted, Mode::Level);
            assert_eq!(kqueue.look().len(), usize::from(!is_full));
            drop(reader);
            for _ in 0..4 {
                let found = kqueue.find(64, LONG);
                let found: Vec<_> = found.iter().map(readiness).collect();
                assert_eq!(found.len(), 1, "{is_full} {wanted:?}");
                assert!(
                    found[0].1.contains(BROKEN),
                    "{found:?} {is_full} {wanted:?}"
                );
            }
        }
    });
}

#[test]
fn a_full_pipe_that_is_written_to_only_later_tells_that_its_reader_leaves() {
    let _no_copies = nobody_forks();
    on_both_kernels(|| {
        let mut kqueue = Kqueue::open().unwrap();
        let (reader, writer) = io::pipe().unwrap();
        crate::sys::descriptor::set_nonblocking(std::os::fd::AsFd::as_fd(&writer), true).unwrap();
        while (&writer).write(&[0; 4096]).is_ok() {}
        kqueue.watch(&writer, 0, Readiness::READABLE, Mode::Level);
        assert_eq!(kqueue.look(), []);
        kqueue.watch_again(&writer, 0, Readiness::WRITABLE, Mode::Level);
        assert_eq!(kqueue.look(), []);
        drop(reader);
        let found = kqueue.find(64, LONG);
        assert!(!found.is_empty());
        let (_, seen) = readiness(&found[0]);
        assert!(seen.contains(Readiness::WRITABLE), "{seen:?}");
    });
}

#[test]
fn those_that_fail_by_themselves_and_the_others_take_turns() {
    on_both_kernels(|| {
        for limit in [1, 2, 3] {
            let mut kqueue = Kqueue::open().unwrap();
            let writers = [broken_pipe(), broken_pipe(), broken_pipe()];
            let pipes = [readable_pipe(), readable_pipe(), readable_pipe()];
            for (index, (writer, (reader, _))) in (0..).zip(writers.iter().zip(&pipes)) {
                kqueue.watch(writer, index, Readiness::WRITABLE, Mode::Level);
                kqueue.watch(reader, 10 + index, Readiness::READABLE, Mode::Level);
            }
            let mut seen = std::collections::BTreeSet::new();
            for _ in 0..20 {
                let found = kqueue.find(limit, Duration::ZERO);
                assert!((1..=limit).contains(&found.len()));
                seen.extend(found.iter().map(|answer| answer.token));
            }
            assert_eq!(seen.len(), 6, "limit {limit}");
        }
    });
}

#[test]
fn a_one_shot_is_silent_in_both_directions_until_it_is_armed_again() {
    on_both_kernels(|| {
        let mut kqueue = Kqueue::open().unwrap();
        let (ours, mut theirs) = pair();
        fill(&ours);
        theirs.write_all(b"x").unwrap();
        kqueue.watch(&ours, 0, BOTH, Mode::OneShot);
        assert_eq!(kqueue.look(), [(token(0), Readiness::READABLE)]);
        drain(&theirs);
        for _ in 0..2 {
            assert_eq!(kqueue.look(), []);
        }
        kqueue.watch_again(&ours, 0, BOTH, Mode::OneShot);
        assert_eq!(kqueue.look(), [(token(0), BOTH)]);
        drop(theirs);
        for _ in 0..2 {
            assert_eq!(kqueue.look(), []);
        }
        kqueue.watch_again(&ours, 0, Readiness::WRITABLE, Mode::OneShot);
        let found = kqueue.look();
        assert!(found[0].1.contains(Readiness::WRITABLE), "{found:?}");
    });
}

#[test]
fn the_bell_ends_a_wait_and_is_silent_afterwards() {
    on_both_kernels(|| {
        let mut kqueue = Kqueue::open().unwrap();
        let bell = kqueue.open_bell().unwrap();
        assert_eq!(kqueue.look(), []);
        for _ in 0..2 {
            bell.ring();
            bell.ring();
            let woken = [(Token::WAKE, Readiness::READABLE)];
            let found = kqueue.find(64, LONG);
            assert_eq!(found.iter().map(readiness).collect::<Vec<_>>(), woken);
            bell.quieten().unwrap();
            assert_eq!(kqueue.look(), []);
        }
        drop(kqueue);
        bell.ring();
    });
}

/// Nobody else would try again.
#[test]
fn a_bell_that_is_refused_is_tried_again() {
    on_both_kernels(|| {
        let mut kqueue = Kqueue::open().unwrap();
        let device = device();
        kqueue
            .add(
                device.as_raw_fd(),
                Token::WAKE,
                Readiness::READABLE,
                Mode::Edge,
            )
            .unwrap();
        for _ in 0..3 {
            let found = kqueue.find(64, LONG);
            let refusals: Vec<_> = found
                .iter()
                .map(|answer| (answer.token, answer.refusal))
                .collect();
            assert_eq!(refusals, [(Token::WAKE, libc::EINVAL)]);
        }
    });
}

#[test]
fn a_kernel_without_user_events_gets_a_bell_that_is_a_descriptor() {
    double::choose_flavour(Some(Flavour::NetBsd));
    let kqueue = Kqueue::open().unwrap();
    UserBell::hang(&kqueue.queue).unwrap_err();
    double::choose_flavour(Some(Flavour::FreeBsd));
    let kqueue = Kqueue::open().unwrap();
    UserBell::hang(&kqueue.queue).unwrap();
    double::choose_flavour(None);
}
