//! What is /dev/poll's own: how many system calls it takes, what its drivers refuse, and how many
//! descriptors it can have.
#![cfg(any(target_os = "linux", target_os = "solaris", target_os = "illumos"))]

mod common;

use std::collections::BTreeSet;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};

use common::{assert_poller_silent, look, may_have_descriptors};
use nioselect::poller::{Kind, Options, Poller, Token};
use nioselect::{Backend, Mode, Ops};

/// One test that needs many descriptors at a time.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn poller() -> Poller<OwnedFd> {
    Poller::open(Backend::DevPoll).unwrap()
}

fn register(poller: &mut Poller<OwnedFd>, source: OwnedFd, mode: Mode) -> Token {
    poller
        .register(source, Kind::Connected, Ops::READ, mode)
        .unwrap()
}

/// Registers so many, which are idle.
fn register_many(
    poller: &mut Poller<OwnedFd>,
    number: usize,
    mode: Mode,
) -> (Vec<Token>, UnixStream) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let copies = (0..number).map(|_| ours.try_clone().unwrap().into());
    let tokens = copies.map(|copy| register(poller, copy, mode)).collect();
    (tokens, theirs)
}

#[test]
fn it_can_run_wherever_the_system_has_it() {
    assert!(Backend::DevPoll.is_of_this_system());
    assert!(Backend::available().contains(&Backend::DevPoll));
}

#[test]
fn nineteen_thousand_descriptors_are_served_in_turn() {
    const NUMBER: usize = 19_000;
    let _alone = alone();
    if !may_have_descriptors(NUMBER as u64 + 200) {
        return;
    }
    let mut poller = poller();
    let (tokens, mut idle) = register_many(&mut poller, NUMBER, Mode::Level);
    assert_eq!(look(&mut poller), []);
    assert_poller_silent(&mut poller);

    let (ours, mut theirs) = UnixStream::pair().unwrap();
    let ready = register(&mut poller, ours.into(), Mode::Level);
    theirs.write_all(b"x").unwrap();
    assert_eq!(look(&mut poller), [(ready, Ops::READ)]);
    poller.deregister(ready).unwrap();

    idle.write_all(b"x").unwrap();
    let mut rounds = 0;
    let mut seen = BTreeSet::new();
    while seen.len() < NUMBER {
        seen.extend(look(&mut poller).into_iter().map(|(token, _)| token));
        rounds += 1;
    }
    assert_eq!(rounds, NUMBER.div_ceil(Options::DEFAULT_CAPACITY));

    for &token in &tokens {
        poller.set_interest(token, Ops::empty()).unwrap();
    }
    assert_poller_silent(&mut poller);
    for token in tokens {
        poller.deregister(token).unwrap();
    }
    assert!(poller.is_empty());
}

#[cfg(target_os = "linux")]
mod on_the_double {
    use std::os::fd::AsRawFd;
    use std::time::Duration;

    use nioselect::doubles::devpoll::{Calls, FailingDriver, calls, fail_next_write};
    use nioselect::{Error, Selector};

    use super::*;
    use crate::common::unix_pair;

    /// The writes and polls of what `act` does.
    fn calls_of<R>(act: impl FnOnce() -> R) -> (u64, u64) {
        let Calls { writes, polls, .. } = calls();
        act();
        let after = calls();
        (after.writes - writes, after.polls - polls)
    }

    #[test]
    fn a_wait_is_one_call_and_one_with_any_number_of_changes_two() {
        const NUMBER: usize = 3000;
        let _alone = alone();
        // So many entries one write may have.
        if !may_have_descriptors(2 * NUMBER as u64 + 200) {
            return;
        }
        let mut poller = poller();
        let (tokens, _idle) = register_many(&mut poller, NUMBER, Mode::Level);
        assert_eq!(calls_of(|| look(&mut poller)), (1, 1), "registrations");
        assert_eq!(calls_of(|| look(&mut poller)), (0, 1), "no change");

        let both = Ops::READ | Ops::WRITE;
        for interest in [both, Ops::READ, Ops::WRITE, Ops::empty(), Ops::READ] {
            for changed in [1, NUMBER] {
                for &token in &tokens[..changed] {
                    poller.set_interest(token, interest).unwrap();
                }
                assert_eq!(
                    calls_of(|| look(&mut poller)),
                    (1, 1),
                    "{interest} for {changed}"
                );
            }
        }
        for &token in &tokens {
            poller.set_interest(token, both).unwrap();
            poller.set_interest(token, Ops::READ).unwrap();
        }
        assert_eq!(calls_of(|| look(&mut poller)), (0, 1), "nothing differs");
        let token = tokens[0];
        assert_eq!(
            calls_of(|| poller.deregister(token).unwrap()),
            (1, 0),
            "before it is closed"
        );
    }

    #[test]
    fn a_wait_that_is_woken_takes_no_more_calls() {
        let mut poller = poller();
        look(&mut poller);
        poller.waker().wake();
        let wait = || poller.wait(None, |_, _, _| ()).unwrap();
        assert_eq!(calls_of(wait), (0, 1));
    }

    #[test]
    fn one_shots_take_no_calls_of_their_own() {
        let mut poller = poller();
        let (tokens, mut theirs) = register_many(&mut poller, 100, Mode::OneShot);
        theirs.write_all(b"x").unwrap();
        for _ in 0..3 {
            let arm_and_look = || {
                for &token in &tokens {
                    poller.set_interest(token, Ops::READ).unwrap();
                }
                assert_eq!(look(&mut poller).len(), tokens.len());
            };
            let (writes, polls) = calls_of(arm_and_look);
            assert!(writes <= 1);
            assert_eq!(polls, 1);
        }
        assert_eq!(calls_of(|| assert_eq!(look(&mut poller), [])), (1, 1));
    }

    #[test]
    fn what_a_driver_refuses_is_named_and_does_not_hinder_the_others() {
        let mut poller = poller();
        let mut peers = Vec::new();
        let mut tokens = Vec::new();
        for _ in 0..5 {
            let (ours, mut theirs) = UnixStream::pair().unwrap();
            theirs.write_all(b"x").unwrap();
            tokens.push(register(&mut poller, ours.into(), Mode::Level));
            peers.push(theirs);
        }
        let bad = tokens[2];
        let number = poller.source(bad).unwrap().as_raw_fd();
        let failing = FailingDriver::of(number, libc::ENXIO);
        for _ in 0..3 {
            let mut seen = Vec::new();
            let refused = poller.wait(None, |token, _, ops| seen.push((token, ops)));
            seen.sort_unstable_by_key(|&(token, _)| token);
            let Err(Error::Refused {
                token,
                fd,
                call,
                source,
            }) = refused
            else {
                panic!("{refused:?}");
            };
            assert_eq!((token, fd, call), (bad, number, "write"));
            assert_eq!(source.raw_os_error(), Some(libc::ENXIO));
            let others = tokens.iter().filter(|&&token| token != bad);
            let expected: Vec<_> = others.map(|&token| (token, Ops::READ)).collect();
            assert_eq!(seen, expected);
        }
        drop(failing);
        assert_eq!(look(&mut poller).len(), 5);
        assert_eq!(calls_of(|| look(&mut poller)), (0, 1));
    }

    #[test]
    fn a_refused_registration_can_be_ended() {
        let mut poller = poller();
        let (ours, _theirs) = UnixStream::pair().unwrap();
        let bad = register(&mut poller, ours.into(), Mode::Level);
        let number = poller.source(bad).unwrap().as_raw_fd();
        let _failing = FailingDriver::of(number, libc::EIO);
        poller.wait(None, |_, _, _| ()).unwrap_err();
        poller.deregister(bad).unwrap();
        assert_poller_silent(&mut poller);
    }

    #[test]
    fn a_refused_key_of_a_selector_is_named() {
        let mut selector: Selector<&str> = Selector::builder()
            .backend(Backend::DevPoll)
            .open()
            .unwrap();
        let (good, mut theirs) = unix_pair();
        let (bad, _their_other) = unix_pair();
        good.register(&selector, Ops::READ, "good").unwrap();
        let key = bad.register(&selector, Ops::READ, "bad").unwrap();
        let failing = FailingDriver::of(bad.as_raw_fd(), libc::ENXIO);
        theirs.write_all(b"x").unwrap();
        let Err(Error::Refused { token, .. }) = selector.select() else {
            panic!("nothing was refused");
        };
        assert_eq!(selector.key_of(token), Some(&key));
        let ready: Vec<_> = selector
            .selected_keys()
            .drain()
            .map(|key| *key.attachment())
            .collect();
        assert_eq!(ready, ["good"]);
        drop(failing);
        assert_eq!(selector.select().unwrap(), 1);
    }

    #[test]
    fn a_write_that_a_signal_interrupts_is_made_again() {
        let mut poller = poller();
        let (tokens, mut theirs) = register_many(&mut poller, 3, Mode::Level);
        theirs.write_all(b"x").unwrap();
        for timeout in [Some(Duration::ZERO), None] {
            for &token in &tokens {
                poller.set_interest(token, Ops::empty()).unwrap();
            }
            look(&mut poller);
            for &token in &tokens {
                poller.set_interest(token, Ops::READ).unwrap();
            }
            fail_next_write(libc::EINTR);
            let mut reported = 0;
            while reported == 0 {
                reported = poller.wait(timeout, |_, _, _| ()).unwrap().reported;
            }
            assert_eq!(reported, 3);
        }
    }
}
