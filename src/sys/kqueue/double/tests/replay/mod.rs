//! The program whose output is in `tests/kqueue-transcripts/`, once more: its cases run on the
//! double, and what is printed is compared line by line.

mod compare;
mod freebsd;
mod netbsd;
mod probe;
mod shared;

use super::super::Flavour;
use crate::sys::testing::{FIRST_RESERVED, nobody_forks};
use compare::{Exception, assert_same};
use probe::Probe;

/// Everything that is not as it was measured.
const EXCEPTIONS: &[Exception] = &[
    Exception {
        flavour: Flavour::FreeBsd,
        measured: "FreeBSD 13 kqueue fd=#0 sizeof=64",
        ours: "FreeBSD 13 kqueue fd=#0 sizeof=40",
        why: "the structure is NetBSD's in both flavours, which are chosen at run time",
    },
    Exception {
        flavour: Flavour::FreeBsd,
        measured: "buffer filled -> 1 [id=#0 WRITE EV_CLEAR data=(space) ff=0]",
        ours: "buffer filled -> 0",
        why: "FreeBSD wakes a writer whenever the peer acknowledges, Linux only when it has been \
              without room and a third is free",
    },
    Exception {
        flavour: Flavour::NetBsd,
        measured: "2 datagrams -> 2 [id=#0 WRITE EV_ADD data=(space) ff=0] \
                   [id=#0 READ EV_ADD data=35 ff=0]",
        ours: "2 datagrams -> 2 [id=#0 WRITE EV_ADD data=(space) ff=0] \
               [id=#0 READ EV_ADD data=19 ff=0]",
        why: "NetBSD adds up all datagrams and their addresses, Linux tells the size of the first",
    },
];

#[test]
fn it_prints_what_freebsd_printed() {
    let _no_copies = nobody_forks();
    let mut probe = Probe::start(Flavour::FreeBsd, FIRST_RESERVED + 400);
    freebsd::run(&mut probe);
    assert_same(
        "freebsd13-fstack.txt",
        &probe.lines,
        Flavour::FreeBsd,
        EXCEPTIONS,
    );
}

#[test]
fn it_prints_what_netbsd_printed() {
    let _no_copies = nobody_forks();
    let mut probe = Probe::start(Flavour::NetBsd, FIRST_RESERVED + 600);
    netbsd::run(&mut probe);
    assert_same(
        "netbsd-7.99.34-rump.txt",
        &probe.lines,
        Flavour::NetBsd,
        EXCEPTIONS,
    );
}
