//! The cases as they were run on NetBSD, which had no `EVFILT_USER` then.

use std::net::Shutdown;
use std::os::fd::{AsRawFd, RawFd};
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};

use super::super::super::linux;
use super::super::call::{Kqueue, NOW, call, entry, with_udata};
use super::super::threads::waits;
use super::probe::{
    BAD, Probe, any_port, begin_connect, error_name, fill, read, receipt_texts, report, until,
    write,
};
use super::shared;
use crate::sys::kqueue::types::{
    EV_ADD, EV_CLEAR, EV_DELETE, EV_DISABLE, EV_ENABLE, EV_RECEIPT, EVFILT_READ, EVFILT_USER,
    EVFILT_WRITE, Kevent, NOTE_TRIGGER,
};

/// How long a wait lasts that another thread is to end, or not to end.
const LONG: Duration = Duration::from_secs(30);
const SHORT: Duration = Duration::from_millis(100);

pub(super) fn run(probe: &mut Probe) {
    probe.say("rump_init=0");
    probe.say(format!("sizeof(struct kevent)={}", size_of::<Kevent>()));
    // SAFETY: no memory is passed.
    let cloexec = unsafe { libc::fcntl(probe.kq.number, libc::F_GETFD) };
    probe.say(format!("kqueue fd={} cloexec={cloexec}", probe.kq.number));
    pipe_for_reading(probe);
    pipe_for_writing(probe);
    connection(probe);
    clear(probe);
    let (ours, theirs) = probe.unix_pair();
    shared::oneshot(probe, &ours, &theirs);
    drop((ours, theirs));
    let (ours, theirs) = probe.unix_pair();
    shared::dispatch(probe, &ours, &theirs);
    drop((ours, theirs));
    receipts(probe);
    closing(probe);
    reuse(probe);
    duplicate(probe);
    user(probe);
    let readable = added_by_another_thread(probe);
    closed_by_another_thread(probe);
    nested(probe);
    drop(readable);
    tcp(probe);
    connecting(probe);
    listening(probe);
    datagrams(probe);
    probe.say("16 nevents limit fairness");
    let pairs: Vec<_> = (0..10).map(|_| probe.unix_pair()).collect();
    shared::fairness(probe, &pairs);
    drop(pairs);
    probe.say("17 ADD|ENABLE/ADD|DISABLE initial");
    let (ours, theirs) = probe.unix_pair();
    shared::disabled_from_the_start(probe, &ours, &theirs);
    drop((ours, theirs));
    timeouts(probe);
    let (ours, theirs) = probe.unix_pair();
    shared::rearming(probe, &ours, &theirs);
    drop((ours, theirs));
    let (ours, theirs) = probe.unix_pair();
    shared::isolated_rearming(probe, &ours, &theirs);
    drop((ours, theirs));
    refused_again_and_again(probe);
    graceful_ends(probe);
}

fn pipe_for_reading(probe: &mut Probe) {
    probe.say("1 pipe READ level");
    let (reader, writer) = probe.pipe();
    probe.add(&reader, EVFILT_READ);
    probe.wait("empty");
    write(&writer, b"abc");
    probe.wait("3 bytes");
    probe.wait("again (level)");
    read(&reader, 3);
    probe.wait("drained");
    drop(writer);
    probe.wait("writer closed -> READ|EOF");
    probe.change(&reader, EVFILT_READ, EV_DELETE);
    probe.wait("deleted");
}

fn pipe_for_writing(probe: &mut Probe) {
    probe.say("2 pipe WRITE");
    let (reader, writer) = probe.pipe();
    probe.add(&writer, EVFILT_WRITE);
    probe.wait("empty pipe writable");
    fill(&writer);
    probe.wait("full");
    drop(reader);
    probe.wait("reader closed -> WRITE|EOF");
}

fn connection(probe: &mut Probe) {
    probe.say("3 socketpair READ+WRITE same fd: two events or one");
    let (ours, theirs) = probe.unix_pair();
    probe.add(&ours, EVFILT_READ);
    probe.add(&ours, EVFILT_WRITE);
    probe.wait("writable only");
    write(&theirs, b"hello");
    probe.wait("both");
    theirs.shutdown(Shutdown::Write).unwrap();
    probe.wait("peer SHUT_WR with 5 pending");
    read(&ours, 5);
    probe.wait("peer SHUT_WR drained");
    drop(theirs);
    probe.wait("peer closed");
    probe.change(&ours, EVFILT_READ, EV_DELETE);
    probe.wait("READ deleted, WRITE left");
    shared::delete_twice(probe, &ours, EVFILT_WRITE);
}

fn clear(probe: &mut Probe) {
    probe.say("4 EV_CLEAR");
    let (ours, theirs) = probe.unix_pair();
    shared::clear(probe, &ours, &theirs);
    probe.say("  re-EV_ADD of EV_CLEAR knote with data pending");
    probe.change(&ours, EVFILT_READ, EV_ADD | EV_CLEAR);
    probe.wait("after re-add");
    probe.say("  EV_DISABLE / EV_ENABLE");
    probe.change(&ours, EVFILT_READ, EV_DISABLE);
    write(&theirs, b"3");
    probe.wait("disabled");
    probe.change(&ours, EVFILT_READ, EV_ENABLE);
    probe.wait("enabled with data pending");
}

fn receipts(probe: &mut Probe) {
    probe.say("7 EV_RECEIPT with bad fd in batch");
    let (socket, theirs) = probe.unix_pair();
    let (ours, bad) = (socket.as_raw_fd() as usize, BAD as usize);
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
    let receipts = receipt_texts(&receipts);
    probe.say(format!("    receipts n={count} errno=0{receipts}"));
    write(&theirs, b"1");
    probe.wait("READ still armed");
    let (count, receipts) = call(probe.kq.number, &[entry(bad, EVFILT_READ, EV_ADD)], 32, NOW);
    let receipts = receipt_texts(&receipts);
    probe.say(format!(
        "    no receipt, room in eventlist: n={count} errno=0{receipts}"
    ));
    let (count, _) = call(probe.kq.number, &[entry(bad, EVFILT_READ, EV_ADD)], 0, NOW);
    probe.say(format!("    no eventlist: n={count} {}", error_name()));
}

fn closing(probe: &mut Probe) {
    probe.say("8 close without EV_DELETE");
    let (ours, theirs) = probe.pipe();
    probe.add(&ours, EVFILT_READ);
    write(&theirs, b"1");
    drop(ours);
    probe.wait("closed registered fd, peer data pending");
    drop(theirs);
    let (ours, theirs) = probe.unix_pair();
    probe.add(&ours, EVFILT_READ);
    let duplicate = ours.try_clone().unwrap();
    drop(ours);
    write(&theirs, b"1");
    probe.wait("after peer write");
    drop(duplicate);
}

fn reuse(probe: &mut Probe) {
    probe.say("8b close + fd reuse");
    let (ours, theirs) = probe.unix_pair();
    let old = ours.as_raw_fd();
    probe.add(&ours, EVFILT_READ);
    write(&theirs, b"1");
    drop((ours, theirs));
    let (ours, theirs) = probe.unix_pair();
    let new = ours.as_raw_fd();
    probe.say(format!("    old fd {old} new fd {new}"));
    write(&theirs, b"1");
    probe.wait("new socket on same fd number, unregistered");
    let answer = probe.change(&ours, EVFILT_READ, EV_DELETE);
    probe.say(format!("    EV_DELETE on new fd -> {answer}"));
    let add = with_udata(entry(new as usize, EVFILT_READ, EV_ADD), 0x22);
    let answer = probe.change_ident(&add);
    probe.say(format!("    EV_ADD on new fd -> {answer}"));
    let events = probe.wait("new registration");
    shared::say_udata(probe, &events);
}

fn duplicate(probe: &mut Probe) {
    probe.say("8c dup'd then closed");
    let (ours, theirs) = probe.unix_pair();
    probe.add(&ours, EVFILT_READ);
    let duplicate = probe.place(ours.try_clone().unwrap());
    drop(ours);
    write(&theirs, b"1");
    probe.wait("orig closed, dup alive, data (BSD: 0)");
    drop((duplicate, theirs));
    probe.wait("all closed");
}

fn user(probe: &mut Probe) {
    probe.say("9 EVFILT_USER");
    let trigger = Kevent {
        fflags: NOTE_TRIGGER,
        ..entry(7, EVFILT_USER, 0)
    };
    let answer = probe.change_ident(&entry(7, EVFILT_USER, EV_ADD | EV_CLEAR));
    probe.say(format!("    add -> {answer}"));
    probe.wait("not triggered");
    probe.change_ident(&trigger);
    probe.change_ident(&trigger);
    probe.wait("triggered twice");
    probe.wait("again (EV_CLEAR)");
    let kq = probe.kq.number;
    let waiting = waits(move || waited(kq, "cross-thread trigger while blocked", SHORT));
    probe.change_ident(&trigger);
    probe.say(waiting.join().unwrap());
}

fn added_by_another_thread(probe: &mut Probe) -> (Socket, Socket) {
    probe.say("9b add from other thread while blocked");
    let (ours, theirs) = probe.unix_pair();
    write(&theirs, b"1");
    let kq = probe.kq.number;
    let waiting = waits(move || waited(kq, "EV_ADD of ready fd wakes waiter", LONG));
    probe.add(&ours, EVFILT_READ);
    probe.say(waiting.join().unwrap());
    (ours, theirs)
}

fn closed_by_another_thread(probe: &mut Probe) {
    probe.say("9c close kq from another thread while blocked");
    let closed = Kqueue::open(probe.flavour);
    let kq = closed.number;
    let waiting = waits(move || waited(kq, "rump_sys_close(kq) during wait", SHORT));
    drop(closed);
    probe.say(waiting.join().unwrap());
}

/// The line of one wait.
fn waited(kq: RawFd, label: &str, timeout: Duration) -> String {
    let (count, events) = call(kq, &[], 32, timeout);
    report(label, count, &events)
}

/// The descriptor of an earlier case is still ready.
fn nested(probe: &mut Probe) {
    probe.say("10 kq fd itself pollable / nested");
    let readable = linux::poll(probe.kq.number, libc::POLLIN);
    probe.say(format!("    rump_sys_poll(kq) -> 1 revents={readable:#x}"));
    let outer = Kqueue::open(probe.flavour);
    let inner = std::mem::replace(&mut probe.kq, outer);
    probe.change_ident(&entry(inner.number as usize, EVFILT_READ, EV_ADD));
    probe.wait("kq nested in kq");
    probe.kq = inner;
}

fn tcp(probe: &mut Probe) {
    probe.say("11 TCP");
    let pair = probe.tcp_pair();
    let (ours, theirs) = (&pair.ours, pair.theirs);
    probe.add(ours, EVFILT_READ);
    probe.add(ours, EVFILT_WRITE);
    probe.wait("connected");
    write(&theirs, &[0; 1000]);
    until(ours, libc::POLLIN);
    probe.wait("1000 bytes");
    theirs.shutdown(Shutdown::Write).unwrap();
    until(ours, libc::POLLRDHUP);
    probe.wait("FIN with data");
    read(ours, 1000);
    probe.wait("FIN drained");
    theirs.set_linger(Some(Duration::ZERO)).unwrap();
    drop(theirs);
    until(ours, libc::POLLHUP);
    probe.wait("RST");
    probe.say_error(ours);
    drop((pair.ours, pair.listener));
    let pair = probe.tcp_pair();
    probe.add(&pair.ours, EVFILT_READ);
    probe.add(&pair.ours, EVFILT_WRITE);
    pair.ours.shutdown(Shutdown::Write).unwrap();
    probe.wait("own SHUT_WR");
    pair.ours.shutdown(Shutdown::Read).unwrap();
    probe.wait("own SHUT_RD");
}

/// An address at which nobody listens, and what keeps others from it.
fn nobody() -> Socket {
    let nobody = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    nobody.bind(&any_port().into()).unwrap();
    nobody
}

fn connecting(probe: &mut Probe) {
    probe.say("12 connect refused (nonblocking)");
    let socket = probe.tcp();
    let answer = begin_connect(&socket, &nobody());
    probe.say(format!("    connect={answer}"));
    probe.add(&socket, EVFILT_WRITE);
    probe.add(&socket, EVFILT_READ);
    until(&socket, libc::POLLHUP);
    probe.wait("refused");
    probe.say_error(&socket);
    drop(socket);
    let socket = probe.tcp();
    probe.add(&socket, EVFILT_READ);
    probe.add(&socket, EVFILT_WRITE);
    probe.wait("unconnected TCP socket");
}

fn listening(probe: &mut Probe) {
    probe.say("13 listen socket: data=backlog");
    let listener = probe.listener();
    probe.add(&listener, EVFILT_READ);
    probe.wait("idle");
    let clients = [probe.tcp(), probe.tcp()];
    for client in &clients {
        begin_connect(client, &listener);
        until(client, libc::POLLOUT);
    }
    until(&listener, libc::POLLIN);
    probe.wait("two pending");
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
    probe.wait("2 datagrams");
    read(&receiver, 3);
    probe.wait("only zero-length left");
}

fn timeouts(probe: &mut Probe) {
    probe.say("18 timeouts");
    let begun = Instant::now();
    probe.wait_for("50ms", Duration::from_millis(50));
    let elapsed = begun.elapsed();
    assert!(elapsed >= Duration::from_millis(50), "{elapsed:?}");
    probe.say(format!("    elapsed {:.1} ms", elapsed.as_secs_f64() * 1e3));
    let begun = Instant::now();
    let (count, _) = call(probe.kq.number, &[], 32, Duration::from_micros(100));
    let elapsed = begun.elapsed();
    assert!(elapsed >= Duration::from_micros(100), "{elapsed:?}");
    let elapsed = elapsed.as_secs_f64() * 1e3;
    probe.say(format!("    100us -> {count} elapsed {elapsed:.3} ms"));
}

fn refused_again_and_again(probe: &mut Probe) {
    probe.say("22 connect refused, repeated waits");
    let socket = probe.tcp();
    probe.add(&socket, EVFILT_READ);
    probe.add(&socket, EVFILT_WRITE);
    begin_connect(&socket, &nobody());
    until(&socket, libc::POLLHUP);
    for label in ["refused, 1st wait", "2nd wait", "3rd wait"] {
        probe.wait(label);
    }
    probe.say_error(&socket);
    probe.wait("after SO_ERROR read");
    drop(socket);
    let socket = probe.tcp();
    probe.add(&socket, EVFILT_WRITE);
    begin_connect(&socket, &nobody());
    until(&socket, libc::POLLHUP);
    probe.wait("WRITE only, registered before connect");
    probe.say_error(&socket);
}

fn graceful_ends(probe: &mut Probe) {
    probe.say("23 TCP graceful peer close, and pipe reader close");
    let pair = probe.tcp_pair();
    probe.add(&pair.ours, EVFILT_READ);
    probe.add(&pair.ours, EVFILT_WRITE);
    drop(pair.theirs);
    until(&pair.ours, libc::POLLRDHUP);
    probe.wait("peer closed gracefully");
    drop((pair.ours, pair.listener));

    let (reader, writer) = probe.pipe();
    probe.add(&writer, EVFILT_WRITE);
    probe.wait("pipe writable");
    drop(reader);
    probe.wait("empty pipe, reader closed");
    probe.wait("again");
    drop(writer);

    let (reader, writer) = probe.pipe();
    probe.add(&writer, EVFILT_WRITE);
    fill(&writer);
    probe.wait("full pipe");
    drop(reader);
    probe.wait("full pipe, reader closed");
}
