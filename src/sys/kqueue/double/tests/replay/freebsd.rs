//! The cases as they were run on FreeBSD, where there were no pipes and UNIX domain sockets.

use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::time::Duration;

use socket2::Socket;

use super::super::call::{Kqueue, NOW, call, call_in_place, entry, with_udata};
use super::probe::{
    BAD, Probe, any_port, begin_connect, error_name, fill, names, read, receipt_texts, taken_error,
    until, write,
};
use super::shared;
use crate::sys::kqueue::types::{
    EV_ADD, EV_CLEAR, EV_DELETE, EV_DISABLE, EV_ENABLE, EV_ERROR, EV_RECEIPT, EVFILT_READ,
    EVFILT_USER, EVFILT_WRITE, Kevent, NOTE_TRIGGER,
};

pub(super) fn run(probe: &mut Probe) {
    let header = format!(
        "FreeBSD 13 kqueue fd={} sizeof={}",
        probe.kq.number,
        size_of::<Kevent>()
    );
    probe.say(header);
    connection(probe);
    clear(probe);
    clear_write(probe);
    let pair = probe.tcp_pair();
    shared::oneshot(probe, &pair.ours, &pair.theirs);
    drop(pair);
    let pair = probe.tcp_pair();
    shared::dispatch(probe, &pair.ours, &pair.theirs);
    drop(pair);
    receipts(probe);
    closing(probe);
    duplicate(probe);
    user(probe);
    nested(probe);
    ends(probe);
    connecting(probe);
    listening(probe);
    datagrams(probe);
    probe.say("16 fairness");
    let pairs: Vec<_> = (0..10).map(|_| probe.unix_pair()).collect();
    shared::fairness(probe, &pairs);
    drop(pairs);
    probe.say("17 ADD|DISABLE");
    let pair = probe.tcp_pair();
    shared::disabled_from_the_start(probe, &pair.ours, &pair.theirs);
    drop(pair);
    let pair = probe.tcp_pair();
    shared::rearming(probe, &pair.ours, &pair.theirs);
    drop(pair);
    let pair = probe.tcp_pair();
    shared::isolated_rearming(probe, &pair.ours, &pair.theirs);
}

fn connection(probe: &mut Probe) {
    probe.say("3 TCP pair READ+WRITE");
    let pair = probe.tcp_pair();
    let (ours, theirs) = (&pair.ours, pair.theirs);
    probe.add(ours, EVFILT_READ);
    probe.add(ours, EVFILT_WRITE);
    probe.wait("writable only");
    write(&theirs, b"hello");
    until(ours, libc::POLLIN);
    probe.wait("both");
    theirs.shutdown(Shutdown::Write).unwrap();
    until(ours, libc::POLLRDHUP);
    probe.wait("peer SHUT_WR with 5 pending");
    read(ours, 5);
    probe.wait("peer SHUT_WR drained");
    drop(theirs);
    probe.wait("peer closed (graceful)");
    write(ours, b"anybody?");
    until(ours, libc::POLLHUP);
    probe.wait("after our write -> RST");
    probe.say_error(ours);
    probe.change(ours, EVFILT_READ, EV_DELETE);
    probe.wait("READ deleted, WRITE left");
    shared::delete_twice(probe, ours, EVFILT_WRITE);
}

fn clear(probe: &mut Probe) {
    probe.say("4 EV_CLEAR");
    let pair = probe.tcp_pair();
    let (ours, theirs) = (&pair.ours, &pair.theirs);
    shared::clear(probe, ours, theirs);
    probe.change(ours, EVFILT_READ, EV_ADD | EV_CLEAR);
    probe.wait("after re-EV_ADD with data pending");
    probe.change(ours, EVFILT_READ, EV_DISABLE);
    write(theirs, b"3");
    probe.wait("disabled");
    probe.change(ours, EVFILT_READ, EV_ENABLE);
    probe.wait("EV_ENABLE with data pending");
    probe.change(ours, EVFILT_READ, EV_DISABLE);
    probe.change(ours, EVFILT_READ, EV_ADD | EV_CLEAR);
    probe.wait("EV_ADD on disabled (implies enable)");
}

fn clear_write(probe: &mut Probe) {
    probe.say("4b EV_CLEAR WRITE");
    let pair = probe.tcp_pair();
    let (ours, theirs) = (pair.ours, pair.theirs);
    probe.change(&ours, EVFILT_WRITE, EV_ADD | EV_CLEAR);
    probe.wait("WRITE edge initially");
    probe.wait("again");
    fill(&ours);
    probe.wait("buffer filled");
    drain(&theirs, &ours);
    probe.wait("peer drained");
    drop(ours);
    probe.wait("closed: knotes auto-removed");
}

/// Reads what is there, and what comes while `writer` has no room.
fn drain(reader: &Socket, writer: &Socket) {
    use std::io::Read;
    reader.set_nonblocking(true).unwrap();
    loop {
        match (&mut &*reader).read(&mut [0; 1 << 16]) {
            Ok(_) => {}
            Err(_) if super::super::super::linux::poll(writer.as_raw_fd(), libc::POLLOUT) == 0 => {}
            Err(_) => return,
        }
    }
}

fn receipts(probe: &mut Probe) {
    probe.say("7 EV_RECEIPT / errors");
    let pair = probe.tcp_pair();
    let ours = pair.ours.as_raw_fd() as usize;
    let bad = BAD as usize;
    let (count, receipts) = call(
        probe.kq.number,
        &[
            entry(ours, EVFILT_READ, EV_ADD | EV_RECEIPT),
            entry(bad, EVFILT_READ, EV_ADD | EV_RECEIPT),
            entry(ours, EVFILT_WRITE, EV_DELETE | EV_RECEIPT),
        ],
        32,
        NOW,
    );
    probe.say(format!(
        "    receipts n={count}{}",
        receipt_texts(&receipts)
    ));
    write(&pair.theirs, b"1");
    until(&pair.ours, libc::POLLIN);
    probe.wait("READ armed; is EV_RECEIPT sticky?");
    let (count, receipts) = call(
        probe.kq.number,
        &[
            entry(bad, EVFILT_READ, EV_ADD),
            entry(ours, EVFILT_WRITE, EV_ADD),
        ],
        32,
        NOW,
    );
    let receipts = receipt_texts(&receipts);
    probe.say(format!(
        "    no receipt, room in eventlist: n={count}{receipts}"
    ));
    probe.wait("was 2nd change applied?");
    let (count, _) = call(probe.kq.number, &[entry(bad, EVFILT_READ, EV_ADD)], 0, NOW);
    probe.say(format!("    no eventlist: n={count} {}", error_name()));
    let mut list = [
        entry(ours, EVFILT_READ, EV_ADD | EV_RECEIPT),
        entry(ours, EVFILT_WRITE, EV_ADD | EV_RECEIPT),
    ];
    let count = call_in_place(probe.kq.number, &mut list);
    let [first, second] = list;
    assert_eq!(second.flags, EV_ERROR);
    let flags = names(first.flags);
    probe.say(format!(
        "    in-place changelist==eventlist: n={count} [{flags}data={}] [data={}]",
        first.data, second.data
    ));
}

fn closing(probe: &mut Probe) {
    probe.say("8 close without EV_DELETE");
    let pair = probe.tcp_pair();
    let old = pair.ours.as_raw_fd();
    probe.add(&pair.ours, EVFILT_READ);
    write(&pair.theirs, b"1");
    until(&pair.ours, libc::POLLIN);
    drop(pair.ours);
    probe.wait("closed registered fd");
    drop(pair.theirs);
    drop(pair.listener);
    let pair = probe.tcp_pair();
    let (new, theirs) = (pair.ours.as_raw_fd(), pair.theirs.as_raw_fd());
    probe.say(format!("    old fd {old} new fds {new} {theirs}"));
    write(&pair.theirs, b"1");
    until(&pair.ours, libc::POLLIN);
    probe.wait("new socket, unregistered");
    let answer = probe.change(&pair.ours, EVFILT_READ, EV_DELETE);
    probe.say(format!("    EV_DELETE on unregistered -> {answer}"));
}

fn duplicate(probe: &mut Probe) {
    probe.say("8c dup'd then closed");
    let pair = probe.tcp_pair();
    probe.add(&pair.ours, EVFILT_READ);
    let duplicate = probe.place(pair.ours.try_clone().unwrap());
    drop(pair.ours);
    write(&pair.theirs, b"1");
    until(&duplicate, libc::POLLIN);
    probe.wait("orig closed, dup alive, data");
}

fn user(probe: &mut Probe) {
    probe.say("9 EVFILT_USER");
    let trigger = |ident| Kevent {
        fflags: NOTE_TRIGGER,
        ..entry(ident, EVFILT_USER, 0)
    };
    let answer = probe.change_ident(&with_udata(entry(7, EVFILT_USER, EV_ADD | EV_CLEAR), 0x70));
    probe.say(format!("    add -> {answer}"));
    probe.wait("not triggered");
    probe.change_ident(&trigger(7));
    probe.change_ident(&trigger(7));
    let events = probe.wait("triggered twice");
    assert!(events[0].udata.is_null());
    probe.say("    udata=(nil) (trigger passed udata=0)");
    probe.wait("again (EV_CLEAR)");
    probe.change_ident(&with_udata(trigger(7), 0x77));
    let events = probe.wait("trigger with udata");
    shared::say_udata(probe, &events);
    probe.change_ident(&trigger(8));
    probe.say("   EVFILT_USER without EV_CLEAR");
    probe.change_ident(&entry(9, EVFILT_USER, EV_ADD));
    probe.change_ident(&trigger(9));
    probe.wait("triggered");
    probe.wait("again");
}

/// The kqueue is still readable, by the event of the case before.
fn nested(probe: &mut Probe) {
    probe.say("10 nested");
    let outer = Kqueue::open(probe.flavour);
    let inner = std::mem::replace(&mut probe.kq, outer);
    let answer = probe.change_ident(&entry(inner.number as usize, EVFILT_READ, EV_ADD));
    probe.say(format!("    add kq to k2 -> {answer}"));
    probe.wait("kq nested in kq");
    probe.kq = inner;
    probe.change_ident(&entry(9, EVFILT_USER, EV_DELETE));
}

fn ends(probe: &mut Probe) {
    probe.say("11 own shutdown / RST");
    let pair = probe.tcp_pair();
    probe.add(&pair.ours, EVFILT_READ);
    probe.add(&pair.ours, EVFILT_WRITE);
    pair.ours.shutdown(Shutdown::Write).unwrap();
    probe.wait("own SHUT_WR");
    pair.ours.shutdown(Shutdown::Read).unwrap();
    probe.wait("own SHUT_RD too");
    let first = taken_error(&pair.ours);
    drop(pair);
    let pair = probe.tcp_pair();
    probe.add(&pair.ours, EVFILT_READ);
    probe.add(&pair.ours, EVFILT_WRITE);
    reset(pair.theirs);
    until(&pair.ours, libc::POLLHUP);
    probe.wait("peer RST (linger 0)");
    let second = taken_error(&pair.ours);
    probe.say(format!("    SO_ERROR={first} then {second}"));
    probe.wait("after SO_ERROR read");
}

fn reset(socket: Socket) {
    socket.set_linger(Some(Duration::ZERO)).unwrap();
    drop(socket);
}

fn connecting(probe: &mut Probe) {
    probe.say("12 connect refused");
    let nobody = Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    nobody.bind(&any_port().into()).unwrap();
    let socket = probe.tcp();
    probe.add(&socket, EVFILT_READ);
    probe.add(&socket, EVFILT_WRITE);
    probe.wait("unconnected TCP socket");
    let answer = begin_connect(&socket, &nobody);
    probe.say(format!("    connect={answer}"));
    until(&socket, libc::POLLHUP);
    probe.wait("refused");
    probe.say_error(&socket);
    drop(socket);
    let listener = probe.listener();
    let socket = probe.tcp();
    probe.change(&socket, EVFILT_WRITE, EV_ADD | EV_CLEAR);
    begin_connect(&socket, &listener);
    until(&socket, libc::POLLOUT);
    probe.wait("registered before connect; connect ok");
    probe.say_error(&socket);
}

fn listening(probe: &mut Probe) {
    probe.say("13 listen");
    let listener = probe.listener();
    probe.add(&listener, EVFILT_READ);
    let mut clients = Vec::new();
    for label in ["1 pending", "2 pending"] {
        let client = probe.tcp();
        begin_connect(&client, &listener);
        until(&client, libc::POLLOUT);
        until(&listener, libc::POLLIN);
        probe.wait(label);
        clients.push(client);
    }
}

fn datagrams(probe: &mut Probe) {
    probe.say("14 UDP");
    let (receiver, sender) = (probe.udp(), probe.udp());
    probe.add(&receiver, EVFILT_READ);
    probe.add(&receiver, EVFILT_WRITE);
    probe.wait("idle");
    sender.connect(&receiver.local_addr().unwrap()).unwrap();
    write(&sender, b"one");
    write(&sender, b"");
    until(&receiver, libc::POLLIN);
    probe.wait("2 datagrams (3 and 0 bytes)");
}
