use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::Ordering;

use nioselect::doorbell::State;

use super::*;

const READ: Ops = Ops::READ;
const CONNECTED: i32 = 2;
const ONCE: i32 = 6;
const OFF: jint = 2;
const EAGER: jint = 3;

/// A poller as Java has it.
struct Opened {
    handle: jlong,
}

impl Opened {
    fn new() -> Self {
        Self::with_doorbell(OFF)
    }

    fn with_doorbell(policy: jint) -> Self {
        Self {
            handle: open(0, policy, 0).unwrap(),
        }
    }

    fn shared(&self) -> NonNull<Shared> {
        // SAFETY: the handle is open.
        unsafe { &*(self.handle as *const JavaPoller) }.shared
    }

    fn write(&self, changes: &[Change]) -> jint {
        // SAFETY: no call is in progress.
        let shared = unsafe { self.shared().as_mut() };
        shared.changes[..changes.len()].copy_from_slice(changes);
        changes.len() as jint
    }

    fn select(&self, changes: &[Change]) -> jint {
        let count = self.write(changes);
        // SAFETY: the handle is open, and no other thread has it.
        unsafe { select(self.handle, count, 0) }.unwrap()
    }

    fn change(&self, changes: &[Change]) {
        let count = self.write(changes);
        // SAFETY: as for select.
        unsafe { change(self.handle, count) }.unwrap();
    }

    fn event(&self) -> u64 {
        // SAFETY: no call is in progress.
        unsafe { self.shared().as_ref() }.events[0]
    }

    fn refusal(&self) -> u64 {
        // SAFETY: no call is in progress.
        unsafe { self.shared().as_ref() }.refusal
    }

    /// The words that Java may look at after a look that has found nothing.
    fn silence(&self) -> Option<[u32; 2]> {
        // SAFETY: no call is in progress.
        let addresses = unsafe { self.shared().as_ref() }.silence;
        let read = |address: u64| {
            let word = ptr::with_exposed_provenance::<AtomicU32>(address as usize);
            // SAFETY: the last look has left the address, and nothing has been called since. A
            // relaxed load does no more than read.
            unsafe { &*word }.load(Ordering::Relaxed)
        };
        (addresses != [0; 2]).then(|| addresses.map(read))
    }

    fn state(&self) -> State {
        // SAFETY: the handle is open.
        let poller = unsafe { &*(self.handle as *const JavaPoller) };
        poller.poller.doorbell().state
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // SAFETY: nobody else has the handle.
        unsafe { close(self.handle) }.unwrap();
    }
}

fn put(index: u32, stream: &UnixStream, kind: i32, ops: Ops) -> Change {
    let fd = stream.as_raw_fd();
    let ops = ops.bits().into();
    Change {
        index,
        fd,
        kind,
        ops,
    }
}

fn readable_pair() -> (UnixStream, UnixStream) {
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    theirs.write_all(b"x").unwrap();
    (ours, theirs)
}

#[test]
fn an_event_carries_javas_index() {
    let (ours, _theirs) = readable_pair();
    let poller = Opened::new();
    assert_eq!(poller.select(&[put(7, &ours, CONNECTED, READ)]), 1);
    assert_eq!(poller.event(), event(7, READ));
    assert_eq!(poller.select(&[]), 1, "it is level-triggered");
}

#[test]
fn what_is_removed_can_be_registered_under_another_index_at_once() {
    let (ours, _theirs) = readable_pair();
    let poller = Opened::new();
    assert_eq!(poller.select(&[put(0, &ours, CONNECTED, READ)]), 1);
    let changes = [
        put(0, &ours, REMOVE, Ops::empty()),
        put(1, &ours, CONNECTED, READ),
    ];
    assert_eq!(poller.select(&changes), 1);
    assert_eq!(poller.event(), event(1, READ));
    poller.change(&[put(1, &ours, REMOVE, Ops::empty())]);
    assert_eq!(poller.select(&[]), 0);
}

#[test]
fn once_is_once() {
    let (ours, _theirs) = readable_pair();
    let poller = Opened::new();
    assert_eq!(poller.select(&[put(0, &ours, ONCE, READ)]), 1);
    assert_eq!(poller.select(&[]), 0);
}

#[test]
fn a_wakeup_is_told_once_and_a_waker_outlives_its_poller() {
    let poller = Opened::new();
    // SAFETY: the handle is open.
    let waker = unsafe { open_waker(poller.handle) }.unwrap();
    // SAFETY: the waker is open until the end of this test.
    unsafe { wake(waker) }.unwrap();
    assert_eq!(poller.select(&[]), WOKEN);
    assert_eq!(poller.select(&[]), 0);
    drop(poller);
    // SAFETY: as above.
    unsafe { wake(waker).and_then(|_| close_waker(waker)) }.unwrap();
}

#[test]
fn a_refusal_of_what_is_removed_is_not_told_of_its_successor() {
    let (ours, _theirs) = readable_pair();
    let file = File::open("/proc/self/exe").unwrap();
    let poller = Opened::new();
    let refused = |index| Change {
        fd: file.as_raw_fd(),
        ..put(index, &ours, CONNECTED, READ)
    };
    let twice = [refused(0), refused(1)];
    assert_eq!(poller.select(&twice), REFUSED);
    let told = poller.refusal() as u32;
    let other = 1 - told;
    let removed = put(other, &ours, REMOVE, Ops::empty());
    assert_eq!(
        poller.select(&[removed, put(other, &ours, CONNECTED, READ)]),
        1
    );
    assert_eq!(poller.event(), event(other, READ));
}

/// Idle; skipped where there can be no doorbell.
fn silent() -> Option<Opened> {
    let poller = Opened::with_doorbell(EAGER);
    for _ in 0..10 {
        assert_eq!(poller.select(&[]), 0);
    }
    match poller.state() {
        State::Armed => Some(poller),
        other => {
            println!("skipped: {other}");
            assert_eq!(poller.silence(), None);
            None
        }
    }
}

#[test]
fn the_words_are_0_until_something_is_ready() {
    let (ours, mut theirs) = UnixStream::pair().unwrap();
    let Some(poller) = silent() else { return };
    assert_eq!(poller.select(&[put(0, &ours, CONNECTED, READ)]), 0);
    assert_eq!(poller.silence(), Some([0; 2]));
    theirs.write_all(b"x").unwrap();
    let words = poller.silence().unwrap();
    assert_eq!(words[0], 0);
    assert_ne!(words[1], 0);
    assert_eq!(poller.select(&[]), 1);
}

#[test]
fn the_words_are_0_until_it_is_woken() {
    let Some(poller) = silent() else { return };
    assert_eq!(poller.silence(), Some([0; 2]));
    // SAFETY: the handle is open.
    let waker = unsafe { open_waker(poller.handle) }.unwrap();
    // SAFETY: the waker is open.
    unsafe { wake(waker) }.unwrap();
    assert_ne!(poller.silence().unwrap()[0], 0);
    assert_eq!(poller.select(&[]), WOKEN);
    // SAFETY: as above.
    unsafe { close_waker(waker) }.unwrap();
}

#[test]
fn a_poller_without_a_doorbell_leaves_no_words() {
    let poller = Opened::new();
    for _ in 0..100 {
        assert_eq!(poller.select(&[]), 0);
        assert_eq!(poller.silence(), None);
    }
}

#[test]
fn any_thread_reads_what_the_doorbell_has_done() {
    let Some(poller) = silent() else { return };
    // SAFETY: the handle is open.
    let waker = unsafe { open_waker(poller.handle) }.unwrap();
    // SAFETY: the waker is open.
    let number = |which| unsafe { doorbell(waker, which) };
    let read = std::thread::scope(|scope| {
        let reader = scope.spawn(|| [number(0), number(1), number(4)]);
        reader.join().unwrap()
    });
    assert_eq!(read, [Ok(2), Ok(1), Err(Errno(libc::EINVAL))]);
    assert!(number(2).unwrap() > 0);
    // SAFETY: as above.
    unsafe { close_waker(waker) }.unwrap();
}

#[test]
fn a_backend_that_is_not_there_is_invalid() {
    assert_eq!(open(99, OFF, 0), Err(Errno(libc::EINVAL)));
}

#[test]
fn neither_is_a_policy_of_the_doorbell_that_is_not_there_nor_a_time_before_now() {
    assert_eq!(open(0, 99, 0), Err(Errno(libc::EINVAL)));
    assert_eq!(open(0, OFF, -1), Err(Errno(libc::EINVAL)));
}

#[test]
fn a_refusal_is_told_once_beside_the_events_of_the_others() {
    let (ours, _theirs) = readable_pair();
    let file = File::open("/proc/self/exe").unwrap();
    let poller = Opened::new();
    let refused = Change {
        fd: file.as_raw_fd(),
        ..put(1, &ours, CONNECTED, READ)
    };
    let answer = poller.select(&[refused, put(0, &ours, CONNECTED, READ)]);
    assert_eq!(answer, 1 | REFUSED);
    assert_eq!(poller.event(), event(0, READ));
    assert_eq!(poller.refusal(), (libc::EPERM as u64) << 32 | 1);
    assert_eq!(poller.select(&[]), 1);
    poller.change(&[put(1, &ours, REMOVE, Ops::empty())]);
}
