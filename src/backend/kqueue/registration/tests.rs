//! What the kernel is told of a registration, and what its events mean.

use super::*;
use crate::sys::kqueue::types::EV_RECEIPT;

const FD: RawFd = 3;
const BOTH: Readiness = Readiness::READABLE.union(Readiness::WRITABLE);
const ADD: Flags = EV_ADD | EV_ENABLE;

fn wanting(wanted: Readiness, mode: Mode) -> Registration {
    let mut registration = Registration::default();
    registration.want(Token::new(0, 1), wanted, mode);
    registration
}

/// What the kernel is told.
fn changes(registration: &mut Registration) -> Vec<(Filter, Flags)> {
    let mut changes = Vec::new();
    registration.push_changes(FD, &mut changes);
    changes
        .iter()
        .map(|change| {
            assert_eq!((change.ident(), change.user_data()), (3, 1));
            assert_eq!(change.flags() & EV_RECEIPT, 0);
            (change.filter(), change.flags())
        })
        .collect()
}

fn report(registration: &mut Registration, side: Side, round: u32) -> Option<Readiness> {
    let mut ready = ReadyList::with_limit(8);
    let generation = registration.token().generation();
    let event = Event::new(3, side.filter(), 0, 0, generation);
    registration.report(side, &event, &mut ready, round);
    ready.take().map(|answer| answer.readiness)
}

#[test]
fn both_directions_are_added_enabled_and_deleted() {
    let mut registration = wanting(BOTH, Mode::Level);
    assert!(!registration.is_in_kernel());
    let added = [(EVFILT_READ, ADD), (EVFILT_WRITE, ADD)];
    assert_eq!(changes(&mut registration), added);
    assert_eq!(changes(&mut registration), []);
    assert!(registration.is_in_kernel());
    registration.want_nothing();
    let deleted = [(EVFILT_READ, EV_DELETE), (EVFILT_WRITE, EV_DELETE)];
    assert_eq!(changes(&mut registration), deleted);
    assert!(!registration.is_in_kernel());
}

#[test]
fn what_is_taken_back_before_the_kernel_learns_of_it_is_never_told() {
    let mut registration = wanting(BOTH, Mode::Edge);
    registration.want_nothing();
    assert_eq!(changes(&mut registration), []);
    registration.want(Token::new(0, 1), BOTH, Mode::Level);
    registration.want(Token::new(0, 1), Readiness::WRITABLE, Mode::Level);
    assert_eq!(changes(&mut registration), [(EVFILT_WRITE, ADD)]);
}

#[test]
fn an_edge_that_is_wanted_again_is_looked_for_anew() {
    let mut registration = wanting(Readiness::READABLE, Mode::Edge);
    let added = [(EVFILT_READ, ADD | EV_CLEAR)];
    assert_eq!(changes(&mut registration), added);
    registration.want(Token::new(0, 1), Readiness::READABLE, Mode::Edge);
    assert_eq!(changes(&mut registration), added);
}

#[test]
fn another_mode_is_another_event() {
    let mut registration = wanting(Readiness::READABLE, Mode::Level);
    changes(&mut registration);
    for (mode, flag) in [
        (Mode::Edge, EV_CLEAR),
        (Mode::OneShot, EV_DISPATCH),
        (Mode::Level, 0),
    ] {
        registration.want(Token::new(0, 1), Readiness::READABLE, mode);
        let replaced = [(EVFILT_READ, EV_DELETE), (EVFILT_READ, ADD | flag)];
        assert_eq!(changes(&mut registration), replaced);
    }
}

#[test]
fn a_one_shot_that_has_reported_is_silent_in_both_directions_until_it_is_wanted_again() {
    let mut registration = wanting(BOTH, Mode::OneShot);
    changes(&mut registration);
    assert_eq!(
        report(&mut registration, Side::Write, 1),
        Some(Readiness::WRITABLE)
    );
    assert_eq!(report(&mut registration, Side::Read, 2), None);
    let mut registration = wanting(BOTH, Mode::OneShot);
    changes(&mut registration);
    report(&mut registration, Side::Write, 1);
    assert_eq!(changes(&mut registration), [(EVFILT_READ, EV_DISABLE)]);
    assert_eq!(changes(&mut registration), []);

    registration.want(Token::new(0, 1), BOTH, Mode::OneShot);
    let armed = ADD | EV_DISPATCH;
    assert_eq!(
        changes(&mut registration),
        [(EVFILT_READ, armed), (EVFILT_WRITE, armed)]
    );
    assert_eq!(
        report(&mut registration, Side::Read, 3),
        Some(Readiness::READABLE)
    );
}

#[test]
fn what_the_kernel_has_deleted_is_added_anew_if_it_is_to_be_reported_again() {
    use crate::sys::kqueue::types::{EV_EOF, EV_ONESHOT};

    for (mode, added) in [
        (Mode::Level, &[(EVFILT_WRITE, ADD)][..]),
        (Mode::OneShot, &[]),
    ] {
        let mut registration = wanting(Readiness::WRITABLE, mode);
        changes(&mut registration);
        let mut ready = ReadyList::with_limit(8);
        let last = Event::new(3, EVFILT_WRITE, EV_EOF | EV_ONESHOT, 0, 1);
        registration.report(Side::Write, &last, &mut ready, 1);
        assert_eq!(ready.take().unwrap().readiness, Readiness::WRITABLE);
        assert!(!registration.is_in_kernel());
        assert_eq!(changes(&mut registration), added, "{mode:?}");
    }
}

#[test]
fn an_event_of_another_generation_is_dropped() {
    let mut registration = wanting(BOTH, Mode::Level);
    changes(&mut registration);
    let mut ready = ReadyList::with_limit(8);
    let stale = Event::new(3, EVFILT_READ, 0, 0, 2);
    registration.report(Side::Read, &stale, &mut ready, 1);
    assert!(ready.is_empty());
}

#[test]
fn what_a_failed_call_has_left_open_is_told_again_whatever_the_kernel_has() {
    let mut registration = wanting(BOTH, Mode::OneShot);
    changes(&mut registration);
    registration.doubt(Side::Read);
    assert!(registration.is_in_kernel());
    assert_eq!(
        changes(&mut registration),
        [(EVFILT_READ, EV_DELETE), (EVFILT_READ, ADD | EV_DISPATCH)]
    );
    registration.doubt(Side::Read);
    registration.want_nothing();
    assert_eq!(
        changes(&mut registration),
        [(EVFILT_READ, EV_DELETE), (EVFILT_WRITE, EV_DELETE)]
    );
}

#[test]
fn a_pipe_that_hears_by_reading_reports_nothing_but_the_end_of_its_reader() {
    use crate::sys::kqueue::types::EV_EOF;

    let mut registration = wanting(Readiness::WRITABLE, Mode::Level);
    registration.is_deaf_sink = Some(true);
    let added = [(EVFILT_READ, ADD), (EVFILT_WRITE, ADD)];
    assert_eq!(changes(&mut registration), added);
    let mut ready = ReadyList::with_limit(8);
    let end = Event::new(3, EVFILT_READ, EV_EOF, 0, 1);
    registration.report(Side::Read, &end, &mut ready, 2);
    assert_eq!(ready.take().unwrap().readiness, BROKEN);
}

#[test]
fn a_pipe_that_tells_its_writers_what_is_to_be_read_is_asked_for_it_no_more() {
    let mut registration = wanting(Readiness::WRITABLE, Mode::Level);
    registration.is_deaf_sink = Some(true);
    changes(&mut registration);
    let mut ready = ReadyList::with_limit(8);
    let data = Event::new(3, EVFILT_READ, 0, 0, 1);
    assert!(registration.report(Side::Read, &data, &mut ready, 1));
    assert!(ready.is_empty());
    let no_more = [(EVFILT_READ, EV_DELETE)];
    assert_eq!(changes(&mut registration), no_more);
    assert_eq!(changes(&mut registration), []);
}

#[test]
fn one_end_is_no_hang_up_and_an_error_concerns_both() {
    use crate::sys::kqueue::types::EV_EOF;

    let end = |fflags| Event::new(3, EVFILT_READ, EV_EOF, fflags, 1);
    assert_eq!(answer(Side::Read, &end(0)), Readiness::READABLE);
    assert_eq!(
        answer(Side::Read, &end(54)),
        Readiness::READABLE | Readiness::ERROR
    );
    let notes = Event::new(3, EVFILT_READ, 0, 54, 1);
    assert_eq!(answer(Side::Read, &notes), Readiness::READABLE);
}
