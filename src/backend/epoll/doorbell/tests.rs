//! What only shows from within: the order of settling, asking and trusting.

use super::refusals::LONGEST_PATIENCE;
use super::*;

/// No descriptor, for a refusal comes first.
const NONE: RawFd = -1;

fn lacking() -> Error {
    Error::system("io_uring_setup", io::Error::from_raw_os_error(libc::EMFILE))
}

#[test]
fn what_was_refused_is_asked_for_ever_more_rarely() {
    let mut doorbell = Doorbell::new(Policy::On);
    let mut before = 0;
    for _ in 0..40 {
        doorbell.idle = doorbell.refusals.patience();
        doorbell.refused(&lacking());
        let idle_looks_to_come = doorbell.refusals.patience() - doorbell.idle;
        assert!(idle_looks_to_come >= before);
        before = idle_looks_to_come;
    }
    assert_eq!(before, LONGEST_PATIENCE);
}

#[test]
fn whoever_expects_to_look_often_does_not_get_it_sooner() {
    let mut doorbell = Doorbell::new(Policy::On);
    doorbell.refused(&lacking());
    doorbell.listen(NONE);
    assert_eq!(doorbell.rings, 0);
    let why = doorbell.refusals.why().expect("it stands");
    assert!(why.contains("io_uring_setup"));
    assert!(!doorbell.refusals.is_final());
}

#[cfg(has_io_uring)]
mod with_a_pipe {
    use std::io::{PipeReader, PipeWriter, Read, Write};
    use std::os::fd::{AsRawFd, OwnedFd};

    use super::*;
    use crate::sys::epoll::{self, Change};

    struct Watched {
        epoll: OwnedFd,
        doorbell: Doorbell,
        source: PipeReader,
        sink: PipeWriter,
    }

    impl Watched {
        fn new() -> Self {
            let epoll = epoll::create().unwrap();
            let (source, sink) = io::pipe().unwrap();
            let readable = libc::EPOLLIN.cast_unsigned();
            epoll::control(&epoll, Change::Add, source.as_raw_fd(), readable, 0).unwrap();
            Self {
                epoll,
                doorbell: Doorbell::new(Policy::Eager),
                source,
                sink,
            }
        }

        /// Before the kernel is asked.
        fn begins_to_look(&mut self) {
            self.doorbell.before_look(self.epoll.as_raw_fd());
        }

        fn has_found_nothing(&mut self) {
            self.doorbell.after_look(true);
        }

        /// Has it trust silence. False if there can be no doorbell here.
        fn arm(&mut self) -> bool {
            for _ in 0..3 {
                self.begins_to_look();
                self.has_found_nothing();
            }
            let is_to_be_had = self.doorbell.statistics().state == State::Armed;
            assert_eq!(self.doorbell.is_silent(), is_to_be_had);
            is_to_be_had
        }

        fn make_ready(&mut self) {
            self.sink.write_all(b"x").unwrap();
        }

        /// By a look, which finds what is ready, and takes it.
        fn take(&mut self) {
            self.begins_to_look();
            self.doorbell.after_look(false);
            self.source.read_exact(&mut [0]).unwrap();
        }
    }

    #[test]
    fn what_comes_when_the_kernel_has_just_been_asked_is_not_settled_away() {
        let mut watched = Watched::new();
        watched.begins_to_look();
        watched.has_found_nothing();
        watched.begins_to_look();
        watched.make_ready();
        watched.has_found_nothing();
        assert!(!watched.doorbell.is_silent());
    }

    /// Settling clears the bit, so that the kernel must be asked whether there is something.
    #[test]
    fn what_has_rung_is_not_forgotten_by_whoever_settles() {
        let mut watched = Watched::new();
        watched.arm();
        watched.make_ready();
        watched.doorbell.listen(watched.epoll.as_raw_fd());
        assert!(!watched.doorbell.is_silent());
    }

    /// What is found is delivered first, and settled in the next idle stretch.
    #[test]
    fn whoever_looks_because_it_has_rung_does_not_settle() {
        let mut watched = Watched::new();
        if !watched.arm() {
            return;
        }
        watched.make_ready();
        watched.begins_to_look();
        let wire = watched.doorbell.wire.as_ref().expect("it is armed");
        assert!(!wire.is_silent());
        watched.has_found_nothing();
        assert!(!watched.doorbell.is_silent());
    }

    #[test]
    fn a_wait_ends_the_trust() {
        let mut watched = Watched::new();
        watched.arm();
        watched.doorbell.before_wait();
        assert!(!watched.doorbell.is_silent());
    }

    /// How long it was waited for what was refused has nothing to do with how soon it is settled.
    #[test]
    fn what_was_refused_before_it_was_there_does_not_delay_it_any_more() {
        let mut watched = Watched::new();
        for _ in 0..6 {
            watched.doorbell.refused(&lacking());
        }
        for _ in 0..100 {
            watched.begins_to_look();
            watched.has_found_nothing();
        }
        if watched.doorbell.statistics().state != State::Armed {
            return;
        }
        for _ in 0..3 {
            watched.make_ready();
            watched.take();
            assert!(watched.arm());
        }
    }
}
