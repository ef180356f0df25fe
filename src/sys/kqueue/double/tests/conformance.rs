//! What manual pages and kernels say beyond the transcripts.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::net::{Shutdown, UdpSocket};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::Duration;

use super::super::{Flavour, calls};
use super::call::{EV_ONESHOT, Kqueue, NOW, call, call_in_place, entry, last_errno, with_udata};
use super::threads::{interrupt, waits};
use crate::sys::kqueue::types::{
    EV_ADD, EV_CLEAR, EV_DELETE, EV_DISABLE, EV_ENABLE, EV_EOF, EV_ERROR, EV_RECEIPT, EVFILT_READ,
    EVFILT_USER, EVFILT_WRITE, Kevent, NOTE_TRIGGER,
};
use crate::sys::testing::{FIRST_RESERVED, from_number_on, nobody_forks};

const LONG: Duration = Duration::from_secs(60);

fn on_both(test: impl Fn(Flavour)) {
    let _no_copies = nobody_forks();
    for flavour in [Flavour::FreeBsd, Flavour::NetBsd] {
        println!("on {flavour:?}");
        test(flavour);
    }
}

fn read(fd: &impl AsRawFd, flags: u32) -> Kevent {
    entry(fd.as_raw_fd() as usize, EVFILT_READ, flags)
}

fn write(fd: &impl AsRawFd, flags: u32) -> Kevent {
    entry(fd.as_raw_fd() as usize, EVFILT_WRITE, flags)
}

/// A pair of which `.0` is readable.
fn readable() -> (UnixStream, UnixStream) {
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    theirs.write_all(b"x").unwrap();
    (ours, theirs)
}

fn idents(events: &[Kevent]) -> Vec<usize> {
    events.iter().map(|event| event.ident).collect()
}

fn file(name: &str) -> File {
    let path = std::env::temp_dir().join(format!("nioselect-{}-{name}", std::process::id()));
    let file = File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(&path)
        .unwrap();
    fs::remove_file(path).unwrap();
    file
}

#[test]
fn without_room_for_events_nothing_is_waited_for() {
    on_both(|flavour| {
        let kq = Kqueue::open(flavour);
        let (ours, _theirs) = readable();
        assert_eq!(call(kq.number, &[], 0, LONG).0, 0);
        assert_eq!(call(kq.number, &[read(&ours, EV_ADD)], 0, LONG).0, 0);
        assert_eq!(kq.collect().len(), 1);
    });
}

#[test]
fn receipts_keep_events_back() {
    on_both(|flavour| {
        let kq = Kqueue::open(flavour);
        let (ours, _theirs) = readable();
        kq.change(read(&ours, EV_ADD)).unwrap();
        let (count, receipts) = call(kq.number, &[write(&ours, EV_ADD | EV_RECEIPT)], 8, LONG);
        assert_eq!(count, 1);
        assert_eq!((receipts[0].flags, receipts[0].data), (EV_ERROR, 0));
        assert_eq!(kq.collect().len(), 2);
    });
}

#[test]
fn the_first_result_that_has_no_room_is_the_last_change() {
    on_both(|flavour| {
        let kq = Kqueue::open(flavour);
        let (ours, _theirs) = readable();
        let bad = entry(usize::MAX >> 33, EVFILT_READ, EV_ADD);
        let changes = [bad, bad, read(&ours, EV_ADD)];
        assert_eq!(call(kq.number, &changes, 1, NOW).0, -1);
        assert_eq!(last_errno(), libc::EBADF);
        assert_eq!(kq.collect().len(), 0);

        let changes = [read(&ours, EV_ADD | EV_RECEIPT), write(&ours, EV_ADD)];
        assert_eq!(call(kq.number, &changes, 0, NOW).0, 0);
        assert_eq!(kq.collect().len(), 1, "the second has not been made");
    });
}

#[test]
fn a_list_can_be_changes_and_results_at_once() {
    on_both(|flavour| {
        let kq = Kqueue::open(flavour);
        let (ours, _theirs) = readable();
        let mut list = [
            read(&ours, EV_ADD),
            write(&ours, EV_DELETE),
            write(&ours, EV_ADD),
        ];
        // The error of the second takes the place of the first.
        assert_eq!(call_in_place(kq.number, &mut list), 1);
        assert_eq!((list[0].filter, list[0].flags), (EVFILT_WRITE, EV_ERROR));
        assert_eq!(list[0].data, libc::ENOENT.into());
        assert_eq!(kq.collect().len(), 2);
    });
}

#[test]
fn what_is_wrong_is_told() {
    on_both(|flavour| {
        let kq = Kqueue::open(flavour);
        let (ours, _theirs) = readable();
        assert_eq!(kq.change(entry(0, 77, EV_ADD)), Err(libc::EINVAL));
        assert_eq!(kq.change(read(&ours, EV_ENABLE)), Err(libc::ENOENT));
        assert_eq!(call(ours.as_raw_fd(), &[], 1, NOW).0, -1);
        assert_eq!(last_errno(), libc::EBADF);
        let closed = from_number_on(&ours, FIRST_RESERVED + 800);
        let number = closed.as_raw_fd() as usize;
        kq.change(read(&closed, EV_ADD)).unwrap();
        drop(closed);
        let delete = entry(number, EVFILT_READ, EV_DELETE);
        assert_eq!(kq.change(delete), Err(libc::EBADF));
    });
}

#[test]
fn devices_that_are_always_ready_are_refused() {
    on_both(|flavour| {
        let kq = Kqueue::open(flavour);
        let null = File::open("/dev/null").unwrap();
        assert_eq!(kq.change(read(&null, EV_ADD)), Err(libc::EINVAL));
        assert_eq!(kq.change(write(&kq_fd(&kq), EV_ADD)), Err(libc::EINVAL));
    });
}

/// The kqueue as a descriptor that can be watched.
fn kq_fd(kq: &Kqueue) -> impl AsRawFd + '_ {
    struct Number(i32);
    impl AsRawFd for Number {
        fn as_raw_fd(&self) -> i32 {
            self.0
        }
    }
    Number(kq.number)
}

#[test]
fn a_pipe_without_reader_is_refused_by_its_own_error() {
    for (flavour, errno) in [
        (Flavour::FreeBsd, libc::EPIPE),
        (Flavour::NetBsd, libc::EBADF),
    ] {
        let kq = Kqueue::open(flavour);
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        assert_eq!(kq.change(write(&writer, EV_ADD)), Err(errno));
        kq.change(read(&writer, EV_ADD)).unwrap();
        let events = kq.collect();
        assert_eq!(
            events[0].flags & EV_EOF,
            EV_EOF,
            "the other direction has ended"
        );
    }
}

/// One that is queued is reported once more, with the room that it had.
#[test]
fn freebsd_lets_go_of_a_writer_whose_pipe_loses_its_reader() {
    for is_full in [false, true] {
        let kq = Kqueue::open(Flavour::FreeBsd);
        let (reader, writer) = io::pipe().unwrap();
        // SAFETY: no memory is passed.
        unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) };
        while is_full && (&writer).write(&[0; 4096]).is_ok() {}
        kq.change(write(&writer, EV_ADD)).unwrap();
        kq.change(read(&writer, EV_ADD)).unwrap();
        assert_eq!(kq.collect().len(), usize::from(!is_full));
        drop(reader);
        let told = |filter| {
            let events = kq.collect().into_iter();
            events
                .filter(|event| event.filter == filter)
                .map(|event| event.flags)
                .collect::<Vec<_>>()
        };
        let last = [EV_EOF | EV_ONESHOT];
        assert_eq!(told(EVFILT_WRITE), &last[usize::from(is_full)..]);
        assert_eq!(told(EVFILT_WRITE), []);
        assert_eq!(told(EVFILT_READ), [EV_EOF]);
    }
}

#[test]
fn a_regular_file_is_writable_and_readable_until_its_end() {
    on_both(|flavour| {
        let kq = Kqueue::open(flavour);
        let mut file = file(&format!("{flavour:?}"));
        file.write_all(b"abc").unwrap();
        kq.change(read(&file, EV_ADD)).unwrap();
        assert!(kq.collect().is_empty());
        file.seek(SeekFrom::Start(1)).unwrap();
        assert_eq!(kq.collect()[0].data, 2);
        file.read_exact(&mut [0; 2]).unwrap();
        assert!(kq.collect().is_empty());
        kq.change(write(&file, EV_ADD)).unwrap();
        for _ in 0..2 {
            let events = kq.collect();
            assert_eq!(events.len(), 1);
            assert_eq!(events[0].filter, EVFILT_WRITE);
        }
    });
}

/// The scan does not ask about a one-shot again, so it must not be taken for ready too early.
#[test]
fn freebsd_does_not_ask_about_what_is_disabled() {
    let kq = Kqueue::open(Flavour::FreeBsd);
    let (mut ours, _theirs) = readable();
    let flags = EV_ADD | EV_DISABLE | EV_ONESHOT;
    kq.change(read(&ours, flags)).unwrap();
    assert!(kq.collect().is_empty());
    ours.read_exact(&mut [0]).unwrap();
    kq.change(read(&ours, EV_ENABLE)).unwrap();
    assert!(kq.collect().is_empty());
}

#[test]
fn who_can_write_hears_nothing_of_what_can_be_read() {
    on_both(|flavour| {
        let kq = Kqueue::open(flavour);
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        kq.change(write(&ours, EV_ADD | EV_CLEAR)).unwrap();
        assert_eq!(kq.collect().len(), 1);
        theirs.write_all(b"x").unwrap();
        assert!(kq.collect().is_empty());
    });
}

#[test]
fn a_unix_domain_socket_ends_where_it_was_shut_down() {
    on_both(|flavour| {
        let kq = Kqueue::open(flavour);
        let (ours, _theirs) = UnixStream::pair().unwrap();
        kq.change(write(&ours, EV_ADD)).unwrap();
        kq.change(read(&ours, EV_ADD)).unwrap();
        assert_eq!(kq.collect()[0].flags & EV_EOF, 0);
        ours.shutdown(Shutdown::Write).unwrap();
        let events = kq.collect();
        assert_eq!(events.len(), 1);
        assert_eq!(
            (events[0].filter, events[0].flags & EV_EOF),
            (EVFILT_WRITE, EV_EOF)
        );
    });
}

#[test]
fn a_signal_ends_a_wait_and_the_changes_are_made() {
    on_both(|flavour| {
        let kq = Kqueue::open(flavour);
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        let (number, ident) = (kq.number, ours.as_raw_fd() as usize);
        let waiting = waits(move || {
            let (count, _) = call(number, &[entry(ident, EVFILT_READ, EV_ADD)], 1, LONG);
            (count, last_errno())
        });
        interrupt(&waiting);
        assert_eq!(waiting.join().unwrap(), (-1, libc::EINTR));
        theirs.write_all(b"x").unwrap();
        assert_eq!(kq.collect().len(), 1);
    });
}

#[test]
fn data_and_changes_of_other_threads_end_a_wait() {
    on_both(|flavour| {
        let kq = Kqueue::open(flavour);
        let number = kq.number;
        let wait = move || idents(&call(number, &[], 8, LONG).1);
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        kq.change(read(&ours, EV_ADD | EV_ONESHOT)).unwrap();
        let waiting = waits(wait);
        theirs.write_all(b"x").unwrap();
        assert_eq!(waiting.join().unwrap(), [ours.as_raw_fd() as usize]);

        let (second, _theirs) = readable();
        kq.change(read(&second, EV_ADD | EV_DISABLE)).unwrap();
        let waiting = waits(wait);
        kq.change(read(&second, EV_ENABLE)).unwrap();
        assert_eq!(waiting.join().unwrap(), [second.as_raw_fd() as usize]);
    });
}

#[test]
fn a_user_event_ends_a_wait_and_takes_back_a_trigger_that_clears() {
    let kq = Kqueue::open(Flavour::FreeBsd);
    let number = kq.number;
    let trigger = Kevent {
        fflags: NOTE_TRIGGER,
        ..entry(0, EVFILT_USER, 0)
    };
    kq.change(entry(0, EVFILT_USER, EV_ADD | EV_CLEAR)).unwrap();
    let waiting = waits(move || call(number, &[], 8, LONG).0);
    kq.change(with_udata(trigger, 3)).unwrap();
    assert_eq!(waiting.join().unwrap(), 1);
    assert!(kq.collect().is_empty());

    kq.change(Kevent {
        flags: EV_CLEAR,
        ..trigger
    })
    .unwrap();
    assert!(kq.collect().is_empty());
}

#[test]
fn a_number_that_was_replaced_is_clean_though_a_duplicate_lives() {
    on_both(|flavour| {
        let kq = Kqueue::open(flavour);
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        kq.change(read(&ours, EV_ADD)).unwrap();
        let duplicate = ours.try_clone().unwrap();
        let (other, mut others) = UnixStream::pair().unwrap();
        replace(&ours, other);
        theirs.write_all(b"x").unwrap();
        assert!(kq.collect().is_empty());
        assert_eq!(kq.change(read(&ours, EV_DELETE)), Err(libc::ENOENT));

        kq.change(read(&ours, EV_ADD)).unwrap();
        theirs.write_all(b"x").unwrap();
        assert!(kq.collect().is_empty(), "the old file is nobody's business");
        others.write_all(b"x").unwrap();
        assert_eq!(kq.collect().len(), 1);
        drop(duplicate);
        assert_eq!(kq.collect().len(), 1);
    });
}

/// dup2(2).
fn replace(old: &impl AsRawFd, new: impl Into<OwnedFd>) {
    let new = new.into();
    // SAFETY: `old` stays an open descriptor of its owner.
    let answer = unsafe { libc::dup2(new.as_raw_fd(), old.as_raw_fd()) };
    assert_eq!(answer, old.as_raw_fd());
}

#[test]
fn the_double_keeps_nothing_open() {
    on_both(|flavour| {
        let kq = Kqueue::open(flavour);
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        kq.change(read(&ours, EV_ADD)).unwrap();
        kq.change(write(&ours, EV_ADD)).unwrap();
        assert_eq!(kq.collect().len(), 1);
        drop(ours);
        assert_eq!(theirs.read(&mut [0]).unwrap(), 0);
        assert!(kq.collect().is_empty());
    });
}

#[test]
fn a_pending_error_of_a_datagram_socket_makes_it_ready_and_stays() {
    on_both(|flavour| {
        let kq = Kqueue::open(flavour);
        let ours = UdpSocket::bind("127.0.0.1:0").unwrap();
        let nobody = UdpSocket::bind("127.0.0.1:0").unwrap();
        ours.connect(nobody.local_addr().unwrap()).unwrap();
        drop(nobody);
        kq.change(read(&ours, EV_ADD)).unwrap();
        ours.send(b"x").unwrap();
        let (_, events) = call(kq.number, &[], 8, LONG);
        assert_eq!(events.len(), 1);
        assert_eq!(events[0].flags & EV_EOF, 0);
        let error = ours.take_error().unwrap().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionRefused);
        assert!(kq.collect().is_empty());
    });
}

#[test]
fn a_unix_listener_is_readable_while_somebody_waits() {
    on_both(|flavour| {
        let kq = Kqueue::open(flavour);
        let name = format!("nioselect-{}-{flavour:?}.sock", std::process::id());
        let path = std::env::temp_dir().join(name);
        let listener = UnixListener::bind(&path).unwrap();
        kq.change(read(&listener, EV_ADD)).unwrap();
        kq.change(write(&listener, EV_ADD)).unwrap();
        assert!(kq.collect().is_empty());
        let _client = UnixStream::connect(&path).unwrap();
        fs::remove_file(path).unwrap();
        let events = kq.collect();
        assert_eq!(events.len(), 1);
        assert_eq!((events[0].filter, events[0].data), (EVFILT_READ, 1));
        listener.accept().unwrap();
        assert!(kq.collect().is_empty());
    });
}

#[test]
fn a_closed_kqueue_is_unknown_and_its_number_free() {
    on_both(|flavour| {
        let kq = Kqueue::open(flavour);
        let outer = Kqueue::open(flavour);
        let (ours, _theirs) = readable();
        kq.change(read(&ours, EV_ADD)).unwrap();
        outer.change(read(&kq_fd(&kq), EV_ADD)).unwrap();
        assert_eq!(outer.collect().len(), 1);
        drop(kq);
        assert!(outer.collect().is_empty());
    });
}

#[test]
fn calls_are_counted_by_thread() {
    let kq = Kqueue::open(Flavour::FreeBsd);
    let before = calls();
    kq.collect();
    let number = kq.number;
    let thread = waits(move || call(number, &[], 1, NOW).0);
    assert_eq!(thread.join().unwrap(), 0);
    assert_eq!(calls() - before, 1);
}
