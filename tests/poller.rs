//! The poller, as the author of a binding uses it.
#![allow(unsafe_code)]

mod common;

use std::io::Write;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

use common::{assert_poller_silent, look, on_every_backend};
use nioselect::poller::{Kind, Options, Poller, Token};
use nioselect::{Backend, Error, Mode, Ops};

fn stream() -> (UnixStream, UnixStream) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    ours.set_nonblocking(true).unwrap();
    (ours, theirs)
}

#[test]
fn a_token_ends_with_its_registration() {
    on_every_backend(|backend| {
        let mut poller = Poller::open(backend).unwrap();
        let (ours, mut theirs) = stream();
        theirs.write_all(b"x").unwrap();
        let old = poller
            .register(ours, Kind::Connected, Ops::READ, Mode::Level)
            .unwrap();
        assert_eq!(look(&mut poller), [(old, Ops::READ)]);
        let ours = poller.deregister(old).unwrap();
        assert!(poller.is_empty());
        assert_poller_silent(&mut poller);

        let new = poller
            .register(ours, Kind::Connected, Ops::READ, Mode::Level)
            .unwrap();
        let foreign = Token::from_bits(u64::MAX);
        for stale in [old, foreign] {
            let answers = [
                poller.set_interest(stale, Ops::READ),
                poller.set_kind(stale, Kind::Connected),
                poller.set_mode(stale, Mode::Level),
                poller.deregister(stale).map(drop),
            ];
            for answer in answers {
                let error = answer.unwrap_err();
                assert!(matches!(error, Error::NotRegistered(token) if token == stale));
            }
            assert!(poller.source(stale).is_none());
        }
        assert_eq!(Token::from_bits(new.to_bits()), new);
        assert_eq!(look(&mut poller), [(new, Ops::READ)]);
    });
}

#[test]
fn a_deregistered_source_comes_back_and_the_kernel_has_forgotten_it() {
    on_every_backend(|backend| {
        let mut poller = Poller::open(backend).unwrap();
        let (ours, mut theirs) = stream();
        let number = ours.as_raw_fd();
        let _duplicate = ours.try_clone().unwrap();
        let token = poller
            .register(ours, Kind::Connected, Ops::READ, Mode::Level)
            .unwrap();
        theirs.write_all(b"x").unwrap();
        assert_eq!(look(&mut poller).len(), 1);
        let ours = poller.deregister(token).unwrap();
        assert_eq!(ours.as_raw_fd(), number);
        assert_poller_silent(&mut poller);
        drop(ours);
        assert_poller_silent(&mut poller);
    });
}

#[test]
fn one_descriptor_has_one_registration() {
    on_every_backend(|backend| {
        let (ours, _theirs) = stream();
        let mut poller = Poller::open(backend).unwrap();
        let twice = [ours.as_fd(), ours.as_fd()];
        let register = |poller: &mut Poller<_>, source| {
            poller.register(source, Kind::Connected, Ops::WRITE, Mode::Level)
        };
        let token = register(&mut poller, twice[0]).unwrap();
        let refused = register(&mut poller, twice[1]).unwrap_err();
        let number = ours.as_raw_fd();
        assert!(matches!(refused, Error::AlreadyRegistered { fd } if fd == number));
        assert_eq!(look(&mut poller), [(token, Ops::WRITE)]);
        poller.deregister(token).unwrap();
        register(&mut poller, twice[1]).unwrap();
        assert_eq!(poller.len(), 1);
    });
}

#[test]
fn kinds_and_interest_are_checked_and_applied() {
    on_every_backend(|backend| {
        let mut poller = Poller::open(backend).unwrap();
        let (ours, _theirs) = stream();
        let (other, _peer) = stream();
        let refused = poller
            .register(other, Kind::PipeSource, Ops::WRITE, Mode::Level)
            .unwrap_err();
        assert!(matches!(refused, Error::InvalidOps { .. }));
        assert!(poller.is_empty());

        let both = Ops::WRITE | Ops::CONNECT;
        let token = poller
            .register(ours, Kind::Unconnected, both, Mode::Level)
            .unwrap();
        assert_eq!(look(&mut poller), [], "it has not begun to connect");
        poller.set_kind(token, Kind::Connecting).unwrap();
        assert_eq!(look(&mut poller), [(token, Ops::CONNECT)]);
        poller.set_kind(token, Kind::Connected).unwrap();
        assert_eq!(look(&mut poller), [(token, Ops::WRITE)]);
        poller.set_interest(token, Ops::CONNECT).unwrap();
        assert_eq!(look(&mut poller), []);
        let answers = [
            poller.set_interest(token, Ops::ACCEPT),
            poller.set_kind(token, Kind::Datagram),
        ];
        for answer in answers {
            assert!(matches!(answer.unwrap_err(), Error::InvalidOps { .. }));
        }
        poller.set_interest(token, Ops::WRITE).unwrap();
        assert_eq!(look(&mut poller), [(token, Ops::WRITE)]);
    });
}

#[test]
fn only_differences_reach_the_kernel() {
    on_every_backend(|backend| {
        let mut poller = Poller::open(backend).unwrap();
        let (ours, _theirs) = stream();
        let token = poller
            .register(ours, Kind::Connected, Ops::READ, Mode::Level)
            .unwrap();
        let mut changes_by = |interests: &[Ops]| {
            let before = poller.statistics().changes;
            for &interest in interests {
                poller.set_interest(token, interest).unwrap();
            }
            look(&mut poller);
            poller.statistics().changes - before
        };
        assert_eq!(changes_by(&[]), 1, "the registration itself");
        assert_eq!(changes_by(&[]), 0);
        assert_eq!(changes_by(&[Ops::READ]), 0);
        assert_eq!(changes_by(&[Ops::WRITE, Ops::empty(), Ops::READ]), 0);
        assert_eq!(changes_by(&[Ops::WRITE, Ops::READ | Ops::WRITE]), 1);
        assert_eq!(changes_by(&[Ops::empty()]), 1);
        assert_eq!(changes_by(&[Ops::READ, Ops::empty()]), 0);
        assert_eq!(changes_by(&[Ops::CONNECT]), 0, "which is never ready");

        let (other, _peer) = stream();
        let before = poller.statistics().changes;
        let silent = poller
            .register(other, Kind::Connected, Ops::empty(), Mode::Level)
            .unwrap();
        look(&mut poller);
        poller.deregister(silent).unwrap();
        assert_eq!(poller.statistics().changes, before);
    });
}

#[test]
fn a_wait_reports_no_more_than_its_capacity() {
    on_every_backend(|backend| {
        for capacity in [1, 3, 5, 6] {
            let mut poller = Options::new().capacity(capacity).open(backend).unwrap();
            let mut peers = Vec::new();
            for _ in 0..5 {
                let (ours, theirs) = stream();
                poller
                    .register(ours, Kind::Connected, Ops::WRITE, Mode::Level)
                    .unwrap();
                peers.push(theirs);
            }
            assert_eq!(look(&mut poller).len(), capacity.min(5));
            poller.waker().wake();
            assert_eq!(look(&mut poller).len(), capacity.min(5));
        }
    });
}

#[test]
fn a_wakeup_ends_one_wait() {
    on_every_backend(|backend| {
        let mut poller: Poller<UnixStream> = Poller::open(backend).unwrap();
        let waker = poller.waker();
        waker.wake();
        waker.wake();
        let woken = |poller: &mut Poller<_>, timeout| {
            poller
                .wait(timeout, |_, _: &UnixStream, _| ())
                .unwrap()
                .woken
        };
        assert!(woken(&mut poller, None));
        assert!(!woken(&mut poller, Some(Duration::ZERO)));
        for _ in 0..100 {
            thread::scope(|scope| {
                scope.spawn(|| waker.wake());
                assert!(woken(&mut poller, None));
            });
            assert!(!woken(&mut poller, Some(Duration::ZERO)));
        }
        drop(poller);
        waker.wake();
    });
}

/// A source that says that it has a descriptor which has been closed behind its back.
struct Liar(RawFd);

impl Liar {
    fn close(&self) {
        // SAFETY: the number came from `honest`, which gave up owning it.
        drop(unsafe { OwnedFd::from_raw_fd(self.0) });
    }
}

impl AsFd for Liar {
    fn as_fd(&self) -> BorrowedFd<'_> {
        // SAFETY: not kept, for this is what the tests are about. Nothing is done with the
        // number but what the kernel can refuse.
        unsafe { BorrowedFd::borrow_raw(self.0) }
    }
}

/// A source that can begin to lie, at a number so large that nobody else gets it meanwhile.
fn honest(source: impl AsFd, number: RawFd) -> Liar {
    let moved = rustix::io::fcntl_dupfd_cloexec(source, number).unwrap();
    Liar(std::os::fd::IntoRawFd::into_raw_fd(moved))
}

/// Two that are in order, with the liar between them.
struct Company {
    poller: Poller<Liar>,
    tokens: [Token; 3],
    peers: Vec<UnixStream>,
}

impl Company {
    fn with(backend: Backend, number: RawFd, mode: Mode) -> Self {
        let mut poller = Poller::open(backend).unwrap();
        let mut peers = Vec::new();
        let tokens = [0, 1, 2].map(|offset| {
            let (ours, theirs) = UnixStream::pair().unwrap();
            ours.set_nonblocking(true).unwrap();
            peers.push(theirs);
            let source = honest(&ours, number + offset);
            poller
                .register(source, Kind::Connected, Ops::READ, mode)
                .unwrap()
        });
        Self {
            poller,
            tokens,
            peers,
        }
    }

    fn close_the_middle(&self) {
        self.poller.source(self.tokens[1]).unwrap().close();
    }

    /// The others are as they were, and the liar does not spin.
    fn goes_on(mut self) {
        for index in [0, 2] {
            let token = self.tokens[index];
            assert_poller_silent(&mut self.poller);
            (&self.peers[index]).write_all(b"x").unwrap();
            assert_eq!(look(&mut self.poller), [(token, Ops::READ)]);
            self.poller.deregister(token).unwrap().close();
        }
        self.poller.deregister(self.tokens[1]).unwrap();
        assert_poller_silent(&mut self.poller);
    }
}

/// Whether the backend's kernel ignores a descriptor that was closed before it heard of it.
fn ignores_closed(backend: Backend) -> bool {
    backend == Backend::DevPoll
}

#[test]
fn a_descriptor_that_was_closed_before_the_first_wait_is_reported_once() {
    on_every_backend(|backend| {
        for mode in [Mode::Level, Mode::OneShot] {
            let mut company = Company::with(backend, 600, mode);
            company.close_the_middle();
            if ignores_closed(backend) {
                assert_eq!(look(&mut company.poller), []);
                company.goes_on();
                continue;
            }
            let failed = (company.tokens[1], Ops::READ);
            let mut seen = Vec::new();
            company
                .poller
                .wait(None, |token, _, ops| seen.push((token, ops)))
                .unwrap();
            assert_eq!(seen, [failed]);
            company.goes_on();
        }
    });
}

/// Whether the mechanism looks at a number whenever it waits. The others watch the open file, and
/// forget one that is closed without a word.
fn looks_at_numbers(backend: Backend) -> bool {
    matches!(backend, Backend::DevPoll | Backend::Poll | Backend::Select)
}

#[test]
fn a_descriptor_that_was_closed_between_waits_is_reported_at_most_once() {
    on_every_backend(|backend| {
        let mut company = Company::with(backend, 700, Mode::Level);
        assert_poller_silent(&mut company.poller);
        company.close_the_middle();
        let seen = look(&mut company.poller);
        let failed = (company.tokens[1], Ops::READ);
        if looks_at_numbers(backend) {
            assert_eq!(seen, [failed]);
        } else {
            assert!(seen.is_empty() || seen == [failed], "{seen:?}");
        }
        company.goes_on();
    });
}

#[test]
fn a_change_to_a_closed_descriptor_reports_it_once() {
    on_every_backend(|backend| {
        let mut company = Company::with(backend, 800, Mode::Level);
        assert_poller_silent(&mut company.poller);
        company.close_the_middle();
        company
            .poller
            .set_interest(company.tokens[1], Ops::READ | Ops::WRITE)
            .unwrap();
        let failed = (company.tokens[1], Ops::READ | Ops::WRITE);
        assert_eq!(look(&mut company.poller), [failed]);
        company.goes_on();
    });
}

/// Most mechanisms watch open files: the one that was closed has left, and the other under its
/// number is unknown until something is changed.
#[test]
fn a_descriptor_that_was_replaced_is_watched_from_the_next_change_on() {
    on_every_backend(|backend| {
        let mut company = Company::with(backend, 850, Mode::Level);
        assert_poller_silent(&mut company.poller);
        company.close_the_middle();
        let (replacement, mut peer) = stream();
        let _replacement = honest(&replacement, 851);
        peer.write_all(b"x").unwrap();
        let token = company.tokens[1];
        company
            .poller
            .set_interest(token, Ops::READ | Ops::WRITE)
            .unwrap();
        assert_eq!(look(&mut company.poller), [(token, Ops::READ | Ops::WRITE)]);
        company.poller.set_interest(token, Ops::READ).unwrap();
        assert_eq!(look(&mut company.poller), [(token, Ops::READ)]);
        company.poller.deregister(token).unwrap().close();
        assert_poller_silent(&mut company.poller);
    });
}

#[test]
fn closed_descriptors_keep_to_the_capacity_too() {
    on_every_backend(|backend| {
        let mut poller = Options::new().capacity(2).open(backend).unwrap();
        for number in 900..905 {
            let source = honest(UnixStream::pair().unwrap().0, number);
            source.close();
            poller
                .register(source, Kind::Connected, Ops::READ, Mode::Level)
                .unwrap();
        }
        let reported: Vec<_> = (0..4).map(|_| look(&mut poller).len()).collect();
        if ignores_closed(backend) {
            assert_eq!(reported, [0; 4]);
        } else {
            assert_eq!(reported, [2, 2, 1, 0]);
        }
    });
}
