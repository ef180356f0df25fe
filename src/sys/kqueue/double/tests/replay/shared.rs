//! The cases that are the same on both kernels.

use std::os::fd::AsRawFd;

use socket2::Socket;

use super::super::call::{EV_ONESHOT, call_in_place, entry, with_udata};
use super::probe::{Probe, read, write};
use crate::sys::kqueue::types::{
    EV_ADD, EV_CLEAR, EV_DELETE, EV_DISABLE, EV_DISPATCH, EV_ENABLE, EV_RECEIPT, EVFILT_READ,
    EVFILT_WRITE, Kevent,
};

/// Deleting what is no longer there.
pub(super) fn delete_twice(probe: &mut Probe, fd: &impl AsRawFd, filter: u32) {
    probe.change(fd, filter, EV_DELETE);
    probe.change(fd, filter, EV_DELETE);
}

/// The first part of the cases of `EV_CLEAR`.
pub(super) fn clear(probe: &mut Probe, ours: &Socket, theirs: &Socket) {
    probe.change(ours, EVFILT_READ, EV_ADD | EV_CLEAR);
    write(theirs, b"1");
    probe.wait("1st byte");
    probe.wait("again (edge: expect 0)");
    write(theirs, b"2");
    probe.wait("2nd byte w/o reading");
    probe.wait("again");
    read(ours, 1);
    probe.wait("partial read, no new data");
}

pub(super) fn oneshot(probe: &mut Probe, ours: &Socket, theirs: &Socket) {
    probe.say("5 EV_ONESHOT");
    probe.change(ours, EVFILT_READ, EV_ADD | EV_ONESHOT);
    write(theirs, b"1");
    probe.wait("fires");
    probe.wait("again");
    probe.change(ours, EVFILT_READ, EV_DELETE);
}

pub(super) fn dispatch(probe: &mut Probe, ours: &Socket, theirs: &Socket) {
    probe.say("6 EV_DISPATCH");
    probe.change(ours, EVFILT_READ, EV_ADD | EV_DISPATCH);
    write(theirs, b"1");
    probe.wait("fires");
    probe.wait("again (disabled)");
    probe.change(ours, EVFILT_READ, EV_ENABLE);
    probe.wait("re-enabled via EV_ENABLE");
    probe.change(ours, EVFILT_READ, EV_ENABLE | EV_DISPATCH);
    probe.wait("re-enabled via EV_ENABLE|EV_DISPATCH");
    probe.change(ours, EVFILT_READ, EV_ADD | EV_DISPATCH);
    probe.wait("re-EV_ADD of dispatched");
}

/// Ten that are ready, three at a time. They stay ready for as long as they are in the list.
pub(super) fn fairness(probe: &mut Probe, pairs: &[(Socket, Socket)]) {
    for (index, (ours, theirs)) in pairs.iter().enumerate() {
        write(theirs, b"1");
        let change = entry(ours.as_raw_fd() as usize, EVFILT_READ, EV_ADD);
        probe.change_ident(&with_udata(change, index));
    }
    for _ in 0..4 {
        probe.say_order();
    }
    for (ours, _) in pairs {
        probe.change(ours, EVFILT_READ, EV_DELETE);
    }
}

pub(super) fn disabled_from_the_start(probe: &mut Probe, ours: &Socket, theirs: &Socket) {
    write(theirs, b"1");
    probe.change(ours, EVFILT_READ, EV_ADD | EV_DISABLE);
    probe.wait("ADD|DISABLE");
    probe.change(ours, EVFILT_READ, EV_ENABLE);
    probe.wait("ENABLE");
}

pub(super) fn rearming(probe: &mut Probe, ours: &Socket, theirs: &Socket) {
    probe.say("20 re-arm with EV_ADD|EV_ENABLE");
    write(theirs, b"1");
    probe.change(ours, EVFILT_READ, EV_ADD | EV_DISPATCH);
    probe.wait("dispatch fires");
    for label in ["ADD|ENABLE|DISPATCH re-arm", "and again"] {
        probe.change(ours, EVFILT_READ, EV_ADD | EV_ENABLE | EV_DISPATCH);
        probe.wait(label);
    }
    probe.change(ours, EVFILT_READ, EV_DELETE);

    probe.change(ours, EVFILT_READ, EV_ADD | EV_CLEAR | EV_DISABLE);
    probe.wait("ADD|CLEAR|DISABLE");
    probe.change(ours, EVFILT_READ, EV_ADD | EV_ENABLE | EV_CLEAR);
    probe.wait("ADD|ENABLE|CLEAR on disabled");
    let change = entry(ours.as_raw_fd() as usize, EVFILT_READ, EV_ADD | EV_ENABLE);
    probe.change_ident(&with_udata(change, 5));
    let events = probe.wait("level re-add of CLEAR knote: CLEAR dropped?");
    probe.wait("again");
    say_udata(probe, &events);
    probe.change(ours, EVFILT_READ, EV_DELETE);

    probe.change(ours, EVFILT_READ, EV_ADD | EV_ONESHOT);
    probe.change(ours, EVFILT_READ, EV_ADD);
    probe.wait("ONESHOT re-added without ONESHOT");
    probe.wait("again (sticky ONESHOT?)");
}

pub(super) fn say_udata(probe: &mut Probe, events: &[Kevent]) {
    let udata = events.first().map_or(0, |event| event.udata as usize);
    probe.say(format!("    udata={udata:#x}"));
}

pub(super) fn isolated_rearming(probe: &mut Probe, ours: &Socket, theirs: &Socket) {
    const WAYS: [(u32, &str); 3] = [
        (EV_ENABLE, "EV_ENABLE alone"),
        (EV_ADD, "EV_ADD alone"),
        (EV_ADD | EV_ENABLE, "EV_ADD|EV_ENABLE"),
    ];
    probe.say("21 isolated re-arm of a dispatched / disabled knote");
    write(theirs, b"1");
    for (first, kept, label) in [
        (EV_ADD | EV_DISPATCH, EV_DISPATCH, "dispatch fires"),
        (EV_ADD | EV_DISABLE, 0, "ADD|DISABLE"),
    ] {
        for (way, name) in WAYS {
            probe.change(ours, EVFILT_READ, first);
            probe.wait(label);
            let kept = if way & EV_ADD == 0 { 0 } else { kept };
            probe.change(ours, EVFILT_READ, way | kept);
            probe.wait(&format!("  then {name}"));
            probe.change(ours, EVFILT_READ, EV_DELETE);
        }
    }
    let ident = ours.as_raw_fd() as usize;
    let mut list = [
        entry(ident, EVFILT_READ, EV_ADD | EV_RECEIPT),
        entry(ident, EVFILT_WRITE, EV_DELETE | EV_RECEIPT),
    ];
    let count = call_in_place(probe.kq.number, &mut list);
    let [first, second] = list.map(|receipt| receipt.data);
    probe.say(format!(
        "    in-place receipts n={count} data={first},{second}"
    ));
    probe.change(ours, EVFILT_READ, EV_DELETE);
    assert_eq!(probe.kq.collect().len(), 0);
}
