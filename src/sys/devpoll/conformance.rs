//! What the device does, rule by rule: the system's own, or the double where there is one.
//!
//! From poll(7d) and poll(4d), and where they say nothing, from the driver of illumos.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::{Device, POLLREMOVE, PollFd, descriptor_limit};
use crate::sys::poll::poll_one;
use crate::sys::testing::{FIRST_RESERVED, allow_many_descriptors, at_number, forks, nobody_forks};

const IN: libc::c_short = libc::POLLIN;
const OUT: libc::c_short = libc::POLLOUT;

/// Longer than anything that is awaited takes.
const LONG: Duration = Duration::from_secs(30);

fn entry(fd: &impl AsRawFd, events: libc::c_short) -> PollFd {
    PollFd {
        fd: fd.as_raw_fd(),
        events,
        revents: 0,
    }
}

/// A pipe with something to read.
fn full_pipe() -> (PipeReader, PipeWriter) {
    let (reader, writer) = io::pipe().unwrap();
    (&writer).write_all(b"x").unwrap();
    (reader, writer)
}

fn device_with(entries: &[PollFd]) -> Device {
    let device = Device::open().unwrap();
    device.write(entries).unwrap();
    device
}

/// Number and `revents` of what is ready now, in the order of the answer.
fn look(device: &Device, room: usize) -> Vec<(RawFd, libc::c_short)> {
    wait(device, room, Some(Duration::ZERO))
}

fn wait(device: &Device, room: usize, timeout: Option<Duration>) -> Vec<(RawFd, libc::c_short)> {
    let mut answers = vec![entry(&-1, 0); room];
    let count = device.poll(&mut answers, timeout).unwrap();
    let ready = answers[..count].iter();
    ready.map(|answer| (answer.fd, answer.revents)).collect()
}

#[test]
fn what_is_ready_is_reported_as_long_as_it_is() {
    let (mut reader, writer) = full_pipe();
    let (idle, _writer) = io::pipe().unwrap();
    let device = device_with(&[entry(&idle, IN), entry(&reader, IN), entry(&writer, OUT)]);
    let expected = [(reader.as_raw_fd(), IN), (writer.as_raw_fd(), OUT)];
    for _ in 0..3 {
        assert_eq!(look(&device, 8), expected);
    }
    reader.read_exact(&mut [0]).unwrap();
    assert_eq!(look(&device, 8), expected[1..]);
}

#[test]
fn an_answer_tells_what_was_asked_for_too() {
    let (reader, _writer) = full_pipe();
    let device = device_with(&[entry(&reader, IN | libc::POLLPRI)]);
    let mut answers = [entry(&-1, 0)];
    device.poll(&mut answers, Some(Duration::ZERO)).unwrap();
    assert_eq!(answers[0].fd, reader.as_raw_fd());
    assert_eq!(answers[0].events, IN | libc::POLLPRI);
    assert_eq!(answers[0].revents, IN);
}

#[test]
fn events_are_added_to_those_that_are_there() {
    let (reader, _writer) = io::pipe().unwrap();
    let fd = reader.as_raw_fd();
    let device = device_with(&[entry(&reader, IN)]);
    device.write(&[entry(&reader, OUT)]).unwrap();
    assert_eq!(device.watched_for(fd).unwrap(), Some(IN | OUT));
    device.write(&[entry(&reader, IN)]).unwrap();
    assert_eq!(device.watched_for(fd).unwrap(), Some(IN | OUT));

    let device = device_with(&[entry(&reader, IN), entry(&reader, OUT)]);
    assert_eq!(device.watched_for(fd).unwrap(), Some(IN | OUT));
}

#[test]
fn only_the_bare_removal_removes() {
    let (reader, _writer) = io::pipe().unwrap();
    let fd = reader.as_raw_fd();
    let device = device_with(&[entry(&reader, IN)]);
    device.write(&[entry(&reader, POLLREMOVE | OUT)]).unwrap();
    assert_eq!(
        device.watched_for(fd).unwrap(),
        Some(IN | OUT | POLLREMOVE),
        "it was an addition"
    );
    device.write(&[entry(&reader, POLLREMOVE)]).unwrap();
    assert_eq!(device.watched_for(fd).unwrap(), None);
}

#[test]
fn the_entries_of_one_write_are_applied_in_order() {
    let (reader, writer) = full_pipe();
    let (fd, other) = (reader.as_raw_fd(), writer.as_raw_fd());
    let device = device_with(&[entry(&reader, IN | OUT), entry(&writer, OUT)]);
    device
        .write(&[
            entry(&reader, POLLREMOVE),
            entry(&reader, OUT),
            entry(&writer, OUT),
            entry(&writer, POLLREMOVE),
        ])
        .unwrap();
    assert_eq!(device.watched_for(fd).unwrap(), Some(OUT));
    assert_eq!(device.watched_for(other).unwrap(), None);
    assert_eq!(look(&device, 8), []);
}

#[test]
fn the_removal_of_what_is_not_watched_is_ignored() {
    let (reader, writer) = full_pipe();
    let device = device_with(&[
        entry(&writer, POLLREMOVE),
        entry(&-1, POLLREMOVE),
        entry(&RawFd::MAX, POLLREMOVE),
        entry(&reader, IN),
    ]);
    assert_eq!(look(&device, 8), [(reader.as_raw_fd(), IN)]);
}

#[test]
fn a_number_that_is_not_open_is_ignored() {
    let (reader, _writer) = full_pipe();
    let closed = at_number(&reader, FIRST_RESERVED).as_raw_fd();
    let device = device_with(&[entry(&closed, IN), entry(&-1, IN), entry(&reader, IN)]);
    assert_eq!(look(&device, 8), [(reader.as_raw_fd(), IN)]);
    assert_eq!(device.watched_for(closed).unwrap(), None);
}

/// It cannot be removed either: it is not there.
#[test]
fn what_was_asked_for_a_number_that_was_not_open_comes_back_with_it() {
    let (reader, _writer) = full_pipe();
    let number = FIRST_RESERVED + 1;
    drop(at_number(&reader, number));
    let device = device_with(&[entry(&number, IN), entry(&number, POLLREMOVE)]);
    let reopened = at_number(&reader, number);
    assert_eq!(look(&device, 8), []);
    device.write(&[entry(&reopened, OUT)]).unwrap();
    assert_eq!(device.watched_for(number).unwrap(), Some(IN | OUT));
    assert_eq!(look(&device, 8), [(number, IN)]);
    device
        .write(&[entry(&reopened, POLLREMOVE), entry(&reopened, OUT)])
        .unwrap();
    assert_eq!(device.watched_for(number).unwrap(), Some(OUT));
}

#[test]
fn a_descriptor_that_is_closed_is_invalid_until_it_is_removed() {
    let (reader, _writer) = full_pipe();
    let number = FIRST_RESERVED + 2;
    let descriptor = at_number(&reader, number);
    let device = device_with(&[entry(&descriptor, IN)]);
    drop(descriptor);
    for _ in 0..3 {
        assert_eq!(look(&device, 8), [(number, libc::POLLNVAL)]);
    }
    device.write(&[entry(&number, OUT)]).unwrap();
    assert_eq!(look(&device, 8), [(number, libc::POLLNVAL)]);
    device.write(&[entry(&number, POLLREMOVE)]).unwrap();
    assert_eq!(look(&device, 8), []);
}

#[test]
fn a_number_that_is_used_again_is_polled_for_the_old_events() {
    let (reader, writer) = full_pipe();
    let number = FIRST_RESERVED + 3;
    let descriptor = at_number(&writer, number);
    let device = device_with(&[entry(&descriptor, IN)]);
    assert_eq!(look(&device, 8), []);
    drop(descriptor);
    let _other = at_number(&reader, number);
    assert_eq!(look(&device, 8), [(number, IN)]);
}

#[test]
fn errors_and_hang_ups_need_not_be_asked_for() {
    let _no_copies = nobody_forks();
    let (reader, writer) = io::pipe().unwrap();
    let (other_reader, other_writer) = io::pipe().unwrap();
    let device = device_with(&[entry(&reader, OUT), entry(&other_writer, IN)]);
    assert_eq!(look(&device, 8), []);
    drop(writer);
    let hang_up = (reader.as_raw_fd(), libc::POLLHUP);
    assert_eq!(wait(&device, 8, Some(LONG)), [hang_up]);
    device.write(&[entry(&reader, POLLREMOVE)]).unwrap();
    drop(other_reader);
    let error = (other_writer.as_raw_fd(), libc::POLLERR);
    assert_eq!(wait(&device, 8, Some(LONG)), [error]);
}

#[test]
fn a_scan_begins_where_the_last_one_ran_out_of_room() {
    let pipes: Vec<_> = (0..5).map(|_| full_pipe()).collect();
    let mut numbers: Vec<_> = pipes.iter().map(|pipe| pipe.0.as_raw_fd()).collect();
    let entries: Vec<_> = pipes.iter().map(|pipe| entry(&pipe.0, IN)).collect();
    let device = device_with(&entries);
    numbers.sort_unstable();
    let seen: Vec<_> = (0..10)
        .flat_map(|_| look(&device, 2))
        .map(|(fd, _)| fd)
        .collect();
    let expected: Vec<_> = numbers.iter().copied().cycle().take(20).collect();
    assert_eq!(seen, expected);
}

#[test]
fn without_room_a_poll_only_sleeps() {
    let (reader, _writer) = full_pipe();
    let device = device_with(&[entry(&reader, IN)]);
    assert_eq!(look(&device, 0), []);
    let (started, timeout) = (Instant::now(), Duration::from_millis(20));
    assert_eq!(wait(&device, 0, Some(timeout)), []);
    assert!(started.elapsed() >= timeout);
}

#[test]
fn a_timeout_is_waited_out() {
    let (reader, _writer) = io::pipe().unwrap();
    let device = device_with(&[entry(&reader, IN)]);
    for timeout in [Duration::from_micros(1), Duration::from_millis(20)] {
        let started = Instant::now();
        assert_eq!(wait(&device, 8, Some(timeout)), []);
        assert!(started.elapsed() >= timeout);
    }
}

/// Runs `action` once `wait` sleeps, where the system tells whether it does.
fn during<R>(wait: impl FnOnce() -> R, action: impl FnOnce() + Send) -> R {
    let waiting = std::fs::canonicalize("/proc/thread-self/stat");
    thread::scope(|scope| {
        scope.spawn(|| {
            let end = Instant::now() + LONG;
            let sleeps =
                |stat| std::fs::read_to_string(stat).is_ok_and(|stat| stat.contains(") S "));
            while waiting.as_ref().is_ok_and(|stat| !sleeps(stat)) && Instant::now() < end {
                thread::yield_now();
            }
            action();
        });
        wait()
    })
}

#[test]
fn what_becomes_ready_ends_a_wait() {
    for timeout in [None, Some(LONG)] {
        let (reader, mut writer) = io::pipe().unwrap();
        let device = device_with(&[entry(&reader, IN)]);
        let seen = during(
            || wait(&device, 8, timeout),
            || writer.write_all(b"x").unwrap(),
        );
        assert_eq!(seen, [(reader.as_raw_fd(), IN)]);
    }
}

#[test]
fn an_addition_ends_a_wait() {
    let (reader, _writer) = full_pipe();
    let device = device_with(&[]);
    let seen = during(
        || wait(&device, 8, None),
        || device.write(&[entry(&reader, IN)]).unwrap(),
    );
    assert_eq!(seen, [(reader.as_raw_fd(), IN)]);
}

#[test]
fn any_number_of_threads_wait_and_all_are_woken() {
    let (idle, _writer) = io::pipe().unwrap();
    let (reader, _other_writer) = full_pipe();
    let expected = [(reader.as_raw_fd(), IN)];
    for _ in 0..50 {
        let device = device_with(&[entry(&idle, IN)]);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| assert_eq!(wait(&device, 8, None), expected));
            }
            // For nothing that is ready, so that they go to sleep again.
            device.write(&[entry(&idle, OUT)]).unwrap();
            device.write(&[entry(&reader, IN)]).unwrap();
        });
    }
}

#[test]
fn what_is_removed_during_a_wait_does_not_end_it() {
    let (reader, mut writer) = io::pipe().unwrap();
    let (other, mut other_writer) = io::pipe().unwrap();
    let device = device_with(&[entry(&reader, IN), entry(&other, IN)]);
    let seen = during(
        || wait(&device, 8, None),
        || {
            device.write(&[entry(&reader, POLLREMOVE)]).unwrap();
            writer.write_all(b"x").unwrap();
            other_writer.write_all(b"x").unwrap();
        },
    );
    assert_eq!(seen, [(other.as_raw_fd(), IN)]);
}

extern "C" fn do_nothing(_signal: libc::c_int) {}

#[test]
fn a_signal_handler_interrupts_a_wait_which_fills_in_nothing() {
    // SAFETY: zeroes are a valid `sigaction`: no flags, an empty mask.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = do_nothing as *const () as libc::sighandler_t;
    // SAFETY: the handler does nothing, which is async-signal-safe.
    let answer = unsafe { libc::sigaction(libc::SIGUSR2, &raw const action, std::ptr::null_mut()) };
    assert_eq!(answer, 0);
    // SAFETY: nothing is passed.
    let waiting = unsafe { libc::pthread_self() };

    let (reader, _writer) = io::pipe().unwrap();
    let device = device_with(&[entry(&reader, IN)]);
    let mut answers = [entry(&-7, 3)];
    let over = AtomicBool::new(false);
    let error = thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Acquire) {
                // SAFETY: the thread lives: it ends this scope.
                unsafe { libc::pthread_kill(waiting, libc::SIGUSR2) };
                thread::sleep(Duration::from_millis(1));
            }
        });
        let outcome = device.poll(&mut answers, Some(LONG));
        over.store(true, Ordering::Release);
        outcome.unwrap_err()
    });
    assert_eq!(error.raw_os_error(), Some(libc::EINTR));
    assert_eq!((answers[0].fd, answers[0].events), (-7, 3));
}

#[test]
fn a_device_tells_whether_it_watches_a_descriptor_and_for_what() {
    let (reader, writer) = full_pipe();
    let device = device_with(&[]);
    let fd = reader.as_raw_fd();
    assert_eq!(device.watched_for(fd).unwrap(), None);
    device.write(&[entry(&reader, IN | OUT)]).unwrap();
    assert_eq!(device.watched_for(fd).unwrap(), Some(IN | OUT));
    assert_eq!(device.watched_for(writer.as_raw_fd()).unwrap(), None);
    assert_eq!(device.watched_for(-1).unwrap(), None);
}

/// The error number of `act` in a child, 0 if it succeeds.
fn errno_in_child<T>(act: impl FnOnce() -> io::Result<T>) -> i32 {
    // SAFETY: the child makes the system calls of `act` and ends.
    match unsafe { libc::fork() } {
        0 => {
            let errno = act().map_or_else(|error| error.raw_os_error().unwrap_or(255), |_| 0);
            // SAFETY: ends the process, without what the parent has asked to run at exit.
            unsafe { libc::_exit(errno) }
        }
        child => {
            let mut status = 0;
            // SAFETY: `status` lives through the call, which fills it in.
            assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
            assert!(libc::WIFEXITED(status));
            libc::WEXITSTATUS(status)
        }
    }
}

#[test]
fn a_device_belongs_to_the_process_that_used_it_first() {
    let _alone = forks();
    let (reader, _writer) = full_pipe();
    let written = device_with(&[entry(&reader, IN)]);
    let polled = Device::open().unwrap();
    assert_eq!(look(&polled, 8), []);
    for device in [&written, &polled] {
        let write = || device.write(&[entry(&reader, POLLREMOVE)]);
        assert_eq!(errno_in_child(write), libc::EACCES);
        let poll = || device.poll(&mut [entry(&-1, 0)], Some(Duration::ZERO));
        assert_eq!(errno_in_child(poll), libc::EACCES);
        assert_eq!(errno_in_child(|| device.watched_for(0)), libc::EACCES);
    }
    assert_eq!(look(&written, 8), [(reader.as_raw_fd(), IN)]);

    let unused = Device::open().unwrap();
    let poll = || unused.poll(&mut [entry(&-1, 0)], Some(Duration::ZERO));
    assert_eq!(errno_in_child(poll), 0);
}

#[test]
fn a_device_is_an_error_to_whoever_polls_it() {
    let device = device_with(&[]);
    let handle = device.0.as_fd();
    assert_eq!(poll_one(handle, IN, Some(LONG)).unwrap(), libc::POLLERR);
    let other = device_with(&[entry(&handle, IN)]);
    assert_eq!(look(&other, 8), [(handle.as_raw_fd(), libc::POLLERR)]);
}

#[test]
fn the_handle_is_closed_in_programs_that_are_executed() {
    let device = device_with(&[]);
    let flags = rustix::io::fcntl_getfd(device.0.as_fd()).unwrap();
    assert!(flags.contains(rustix::io::FdFlags::CLOEXEC));
}

#[test]
fn a_write_may_have_as_many_entries_as_there_may_be_descriptors() {
    // Not while the limit is compared with itself.
    allow_many_descriptors();
    let (reader, _writer) = full_pipe();
    let limit = descriptor_limit();
    if limit > 10_000_000 {
        return;
    }
    let mut entries = vec![entry(&reader, IN); limit];
    let device = device_with(&entries);
    entries.push(entry(&reader, OUT));
    let error = device.write(&entries).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::EINVAL));
    let events = device.watched_for(reader.as_raw_fd()).unwrap();
    assert_eq!(events, Some(IN), "nothing has been applied");
}

/// What the manual page says; the driver of illumos takes less room instead.
#[cfg(target_os = "linux")]
#[test]
fn a_poll_may_not_have_room_for_as_many_as_there_may_be_descriptors() {
    // Not while the limit is compared with itself.
    allow_many_descriptors();
    let device = device_with(&[]);
    let limit = descriptor_limit();
    if limit > 10_000_000 {
        return;
    }
    let mut answers = vec![entry(&-1, 0); limit];
    let error = device.poll(&mut answers, Some(Duration::ZERO)).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::EINVAL));
    let count = device.poll(&mut answers[1..], Some(Duration::ZERO));
    assert_eq!(count.unwrap(), 0);
}

/// Only the double has drivers that fail on demand.
#[cfg(target_os = "linux")]
#[test]
fn a_driver_that_fails_ends_a_write_after_the_entries_before_it() {
    let (first, _first_writer) = full_pipe();
    let (bad, _bad_writer) = full_pipe();
    let (last, _last_writer) = full_pipe();
    let failing = super::double::FailingDriver::of(bad.as_raw_fd(), libc::ENXIO);
    let device = Device::open().unwrap();
    let error = device
        .write(&[entry(&first, IN), entry(&bad, IN), entry(&last, IN)])
        .unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::ENXIO));
    assert_eq!(look(&device, 8), [(first.as_raw_fd(), IN)]);
    for other in [&bad, &last] {
        assert_eq!(device.watched_for(other.as_raw_fd()).unwrap(), None);
    }
    drop(failing);
    device.write(&[entry(&bad, IN)]).unwrap();
    assert_eq!(look(&device, 8).len(), 2);
}

#[cfg(target_os = "linux")]
#[test]
fn a_driver_that_fails_ends_a_poll_which_fills_in_nothing() {
    let (good, _good_writer) = full_pipe();
    let (bad, _bad_writer) = full_pipe();
    let device = device_with(&[entry(&good, IN), entry(&bad, IN)]);
    let _failing = super::double::FailingDriver::of(bad.as_raw_fd(), libc::EIO);
    let mut answers = [entry(&-7, 3); 3];
    let error = device.poll(&mut answers, Some(Duration::ZERO)).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::EIO));
    assert!(answers.iter().all(|answer| answer.fd == -7));
}
