//! What the kernel has after each step, by its own word.

use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::fd::{AsRawFd, RawFd};

use super::*;
use crate::backend::Ready;
use crate::sys::testing::{FIRST_RESERVED, at_number};

const READABLE: Readiness = Readiness::READABLE;
const WRITABLE: Readiness = Readiness::WRITABLE;

fn token(fd: RawFd) -> Token {
    Token::new(u32::try_from(fd).unwrap(), 1)
}

fn add(mechanism: &mut DevPoll, fd: &impl AsRawFd, wanted: Readiness) {
    let fd = fd.as_raw_fd();
    mechanism.add(fd, token(fd), wanted, Mode::Level).unwrap();
}

fn full_pipe() -> (PipeReader, PipeWriter) {
    let (reader, writer) = io::pipe().unwrap();
    (&writer).write_all(b"x").unwrap();
    (reader, writer)
}

fn wait(mechanism: &mut DevPoll, limit: usize) -> io::Result<Vec<Ready>> {
    let mut ready = ReadyList::with_limit(limit);
    mechanism.wait(&mut ready, Some(Duration::ZERO))?;
    Ok(std::iter::from_fn(|| ready.take()).collect())
}

fn look(mechanism: &mut DevPoll) -> Vec<(Token, Readiness)> {
    let ready = wait(mechanism, 16).unwrap();
    assert!(ready.iter().all(|ready| ready.refusal == 0));
    ready
        .iter()
        .map(|ready| (ready.token, ready.readiness))
        .collect()
}

/// What the kernel watches it for.
fn watched(mechanism: &DevPoll, fd: &impl AsRawFd) -> Option<Readiness> {
    let events = mechanism.device.watched_for(fd.as_raw_fd()).unwrap()?;
    Some(Readiness::of_revents(events))
}

#[test]
fn the_kernel_has_what_is_wanted_however_it_changes() {
    let mut mechanism = DevPoll::open().unwrap();
    let (reader, _writer) = io::pipe().unwrap();
    let fd = reader.as_raw_fd();
    for wanted in [READABLE, READABLE | WRITABLE, WRITABLE, READABLE, WRITABLE] {
        mechanism
            .modify(fd, token(fd), wanted, Mode::Level)
            .unwrap();
        assert_eq!(look(&mut mechanism), []);
        assert_eq!(watched(&mechanism, &reader), Some(wanted));
    }
    mechanism.unwatch(fd).unwrap();
    look(&mut mechanism);
    assert_eq!(watched(&mechanism, &reader), None);
}

#[test]
fn a_removal_is_known_to_the_kernel_at_once_and_unwatching_with_the_next_wait() {
    let mut mechanism = DevPoll::open().unwrap();
    let (reader, _writer) = full_pipe();
    let fd = reader.as_raw_fd();
    add(&mut mechanism, &reader, READABLE);
    assert!(!mechanism.lingers(fd), "the kernel has not heard of it");
    look(&mut mechanism);
    assert!(mechanism.lingers(fd));

    mechanism.unwatch(fd).unwrap();
    assert_eq!(watched(&mechanism, &reader), Some(READABLE));
    assert!(mechanism.lingers(fd));
    mechanism.remove(fd).unwrap();
    assert_eq!(watched(&mechanism, &reader), None);
    assert!(!mechanism.lingers(fd));

    add(&mut mechanism, &reader, READABLE);
    mechanism.remove(fd).unwrap();
    assert_eq!(look(&mut mechanism), []);
    assert_eq!(watched(&mechanism, &reader), None);
}

#[test]
fn a_closed_descriptor_is_dead_until_it_is_unwatched() {
    let mut mechanism = DevPoll::open().unwrap();
    let (reader, _writer) = full_pipe();
    let number = FIRST_RESERVED + 10;
    let copy = at_number(&reader, number);
    add(&mut mechanism, &copy, READABLE);
    assert_eq!(look(&mut mechanism), [(token(number), READABLE)]);
    drop(copy);
    for _ in 0..2 {
        assert_eq!(look(&mut mechanism), [(token(number), Readiness::DEAD)]);
    }
    mechanism.unwatch(number).unwrap();
    assert_eq!(look(&mut mechanism), []);
    assert!(!mechanism.lingers(number));
}

#[test]
fn a_removal_and_the_addition_after_it_are_in_one_write() {
    let entries: Vec<_> = (0..4)
        .flat_map(|fd| {
            let addition = PollFd {
                events: libc::POLLIN,
                ..removal(fd)
            };
            [removal(fd), addition]
        })
        .collect();
    assert_eq!(length_of_next_write(&entries, 100), 8);
    assert_eq!(length_of_next_write(&entries, 8), 8);
    assert_eq!(length_of_next_write(&entries, 5), 4);
    assert_eq!(length_of_next_write(&entries, 4), 4);
    assert_eq!(length_of_next_write(&entries, 1), 1, "there is no way");
    let removals: Vec<_> = (0..4).map(removal).collect();
    assert_eq!(length_of_next_write(&removals, 3), 3);
}

#[test]
fn more_than_there_is_room_for_comes_first_the_next_time() {
    let mut mechanism = DevPoll::open().unwrap();
    let pipes: Vec<_> = (0..5).map(|_| full_pipe()).collect();
    for (reader, _) in &pipes {
        add(&mut mechanism, reader, READABLE);
    }
    let mut seen = Vec::new();
    for _ in 0..5 {
        let round = wait(&mut mechanism, 2).unwrap();
        assert_eq!(round.len(), 2);
        seen.extend(round.iter().map(|ready| ready.token.index()));
    }
    let twice = seen.split_off(5);
    assert_eq!(seen, twice);
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 5);
}

/// Asked for while its number was not open, it was never watched, and so never removed.
#[test]
fn what_a_number_was_asked_for_before_it_was_open_is_not_reported_for_ever() {
    let mut mechanism = DevPoll::open().unwrap();
    let (reader, _writer) = full_pipe();
    let number = FIRST_RESERVED + 11;
    mechanism
        .add(number, token(1), READABLE, Mode::Level)
        .unwrap();
    look(&mut mechanism);
    mechanism.remove(number).unwrap();
    let reopened = at_number(&reader, number);
    mechanism
        .add(number, token(2), WRITABLE, Mode::Level)
        .unwrap();
    assert_eq!(look(&mut mechanism), []);
    assert_eq!(look(&mut mechanism), []);
    assert_eq!(watched(&mechanism, &reopened), Some(WRITABLE));
}

#[cfg(target_os = "linux")]
mod refusals {
    use super::*;
    use crate::doubles::devpoll::{FailingDriver, calls, fail_next_write};

    #[test]
    fn one_that_is_refused_does_not_hinder_the_others() {
        let mut mechanism = DevPoll::open().unwrap();
        let pipes: Vec<_> = (0..5).map(|_| full_pipe()).collect();
        let bad = &pipes[2].0;
        let failing = FailingDriver::of(bad.as_raw_fd(), libc::ENXIO);
        for (reader, _) in &pipes {
            add(&mut mechanism, reader, READABLE);
        }
        let ready = wait(&mut mechanism, 16).unwrap();
        let refused: Vec<_> = ready.iter().filter(|ready| ready.refusal != 0).collect();
        assert_eq!(refused.len(), 1);
        assert_eq!(refused[0].token, token(bad.as_raw_fd()));
        assert_eq!(refused[0].refusal, libc::ENXIO);
        assert_eq!(ready.len(), 5, "and the others are ready");
        assert!(!mechanism.lingers(bad.as_raw_fd()));
        assert_eq!(look(&mut mechanism).len(), 4);

        drop(failing);
        add(&mut mechanism, bad, READABLE);
        assert_eq!(look(&mut mechanism).len(), 5);
    }

    #[test]
    fn one_that_is_refused_more_is_not_watched_any_more() {
        let mut mechanism = DevPoll::open().unwrap();
        let (reader, _writer) = full_pipe();
        add(&mut mechanism, &reader, READABLE);
        assert_eq!(look(&mut mechanism).len(), 1);
        let _failing = FailingDriver::of(reader.as_raw_fd(), libc::EIO);
        add(&mut mechanism, &reader, READABLE | WRITABLE);
        let ready = wait(&mut mechanism, 16).unwrap();
        assert_eq!((ready.len(), ready[0].refusal), (1, libc::EIO));
        assert_eq!(watched(&mechanism, &reader), None);
        assert_eq!(look(&mut mechanism), []);
    }

    #[test]
    fn one_whose_driver_begins_to_fail_does_not_hinder_the_others() {
        let mut mechanism = DevPoll::open().unwrap();
        let pipes: Vec<_> = (0..3).map(|_| full_pipe()).collect();
        for (reader, _) in &pipes {
            add(&mut mechanism, reader, READABLE);
        }
        assert_eq!(look(&mut mechanism).len(), 3);
        let bad = pipes[1].0.as_raw_fd();
        let failing = FailingDriver::of(bad, libc::ENXIO);
        let ready = wait(&mut mechanism, 16).unwrap();
        assert_eq!(ready.len(), 3);
        assert_eq!(
            (ready[0].token, ready[0].refusal),
            (token(bad), libc::ENXIO)
        );
        assert_eq!(look(&mut mechanism).len(), 2);
        drop(failing);
        assert_eq!(look(&mut mechanism).len(), 2);
        assert_eq!(watched(&mechanism, &pipes[1].0), None);
    }

    #[test]
    fn a_bell_that_is_refused_is_tried_again() {
        let mut mechanism = DevPoll::open().unwrap();
        let (bell, _writer) = full_pipe();
        let fd = bell.as_raw_fd();
        mechanism
            .add(fd, Token::WAKE, READABLE, Mode::Level)
            .unwrap();
        let failing = FailingDriver::of(fd, libc::ENXIO);
        for _ in 0..2 {
            let ready = wait(&mut mechanism, 16).unwrap();
            assert_eq!((ready.len(), ready[0].refusal), (1, libc::ENXIO));
        }
        drop(failing);
        assert_eq!(look(&mut mechanism), [(Token::WAKE, READABLE)]);
    }

    #[test]
    fn a_write_that_was_interrupted_is_made_again() {
        let mut mechanism = DevPoll::open().unwrap();
        let (reader, _writer) = full_pipe();
        let fd = reader.as_raw_fd();
        add(&mut mechanism, &reader, READABLE);
        fail_next_write(libc::EINTR);
        let error = wait(&mut mechanism, 16).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Interrupted);
        assert!(mechanism.lingers(fd), "for all that is known");
        assert_eq!(look(&mut mechanism), [(token(fd), READABLE)]);

        fail_next_write(libc::EINTR);
        mechanism.remove(fd).unwrap();
        assert_eq!(watched(&mechanism, &reader), None);
    }

    #[test]
    fn a_write_that_fails_once_loses_nothing() {
        let mut mechanism = DevPoll::open().unwrap();
        let pipes: Vec<_> = (0..3).map(|_| full_pipe()).collect();
        for (reader, _) in &pipes {
            add(&mut mechanism, reader, READABLE | WRITABLE);
        }
        look(&mut mechanism);
        add(&mut mechanism, &pipes[0].0, WRITABLE);
        mechanism.unwatch(pipes[1].0.as_raw_fd()).unwrap();
        fail_next_write(libc::ENOMEM);
        let left = [(token(pipes[2].0.as_raw_fd()), READABLE)];
        assert_eq!(look(&mut mechanism), left);
        assert_eq!(watched(&mechanism, &pipes[0].0), Some(WRITABLE));
        assert_eq!(watched(&mechanism, &pipes[1].0), None);
    }

    #[test]
    fn a_removal_that_fails_is_an_error_and_can_be_tried_again() {
        let mut mechanism = DevPoll::open().unwrap();
        let (reader, _writer) = full_pipe();
        add(&mut mechanism, &reader, READABLE);
        look(&mut mechanism);
        fail_next_write(libc::ENOMEM);
        let error = mechanism.remove(reader.as_raw_fd()).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ENOMEM));
        assert!(mechanism.lingers(reader.as_raw_fd()));
        mechanism.remove(reader.as_raw_fd()).unwrap();
        assert_eq!(look(&mut mechanism), []);
    }

    #[test]
    fn a_one_shot_that_is_armed_again_between_two_waits_costs_no_write() {
        let mut mechanism = DevPoll::open().unwrap();
        let (reader, _writer) = full_pipe();
        add(&mut mechanism, &reader, READABLE);
        look(&mut mechanism);
        let before = calls();
        for _ in 0..3 {
            mechanism.unwatch(reader.as_raw_fd()).unwrap();
            add(&mut mechanism, &reader, READABLE);
            assert_eq!(look(&mut mechanism).len(), 1);
        }
        assert_eq!(calls().writes, before.writes);
        assert_eq!(calls().polls, before.polls + 3);
    }
}
