//! Who has seen, in memory, that something was made ready finds it, however often the doorbell has
//! told before that there is nothing.

use super::common::LONG;
use super::common::handover::{Line, await_number};
use super::*;

use std::sync::{Mutex, MutexGuard, PoisonError};

use nioselect::poller::Token;
use rustix::event::{PollFd, PollFlags, poll};

/// How often something is handed over on each kind of line.
fn handovers() -> u32 {
    const USUAL: u32 = 3_000;
    match std::env::var("NIOSELECT_HANDOVERS") {
        Ok(number) => number.parse().expect("NIOSELECT_HANDOVERS is a number"),
        Err(_) => USUAL,
    }
}

/// A thread that makes something ready when it is told to, at any moment.
struct Writer {
    end: File,
    written: AtomicU32,
}

impl Writer {
    fn new(end: OwnedFd) -> Self {
        Self {
            end: end.into(),
            written: AtomicU32::new(0),
        }
    }

    fn write_when(&self, wanted: &AtomicU32, last: u32) {
        for number in 1..=last {
            await_number(wanted, number);
            // A prime, so that it comes at any moment.
            (0..number * 7919 % 300).for_each(|_| std::hint::spin_loop());
            (&self.end).write_all(&1_u64.to_ne_bytes()).unwrap();
            self.written.store(number, Ordering::Release);
        }
    }

    fn has_written(&self, number: u32) -> bool {
        self.written.load(Ordering::Acquire) == number
    }
}

/// What reads some lines, and what of them has been found ready.
struct Readers {
    poller: Poller<OwnedFd>,
    tokens: Vec<Token>,
    ends: Vec<File>,
    found: Vec<bool>,
}

impl Readers {
    fn new(ends: Vec<OwnedFd>) -> Self {
        let options = Options::new().doorbell(Policy::Eager);
        let mut poller = options.open(Backend::Epoll).unwrap();
        let copies = ends.iter().map(|end| end.try_clone().unwrap().into());
        let copies: Vec<File> = copies.collect();
        let register = |end| {
            let registered = poller.register(end, Kind::Other, Ops::READ, Mode::Level);
            registered.unwrap()
        };
        Self {
            tokens: ends.into_iter().map(register).collect(),
            poller,
            found: vec![false; copies.len()],
            ends: copies,
        }
    }

    fn look(&mut self) -> usize {
        let (tokens, found) = (&self.tokens, &mut self.found);
        let report = |token, _: &OwnedFd, _| {
            let place = tokens.iter().position(|&other| other == token);
            found[place.unwrap()] = true;
        };
        let waited = self.poller.wait(Some(Duration::ZERO), report).unwrap();
        waited.reported
    }

    fn find_nothing(&mut self) {
        let before = self.poller.doorbell().answered;
        for _ in 0..3 {
            assert_eq!(self.look(), 0);
        }
        assert!(self.poller.doorbell().answered > before);
    }

    /// What has not been found yet is found now, if poll(2) tells that it is there.
    fn find_when_it_is_there(&mut self, place: usize) -> bool {
        await_readable(&self.ends[place]);
        self.look();
        self.found[place]
    }

    /// Takes what `writers` have written; none is left.
    fn take(&mut self, place: usize, writers: u64) {
        let mut taken = 0;
        while taken < writers {
            let mut number = [0; 8];
            self.ends[place].read_exact(&mut number).unwrap();
            taken += u64::from_ne_bytes(number);
        }
        assert_eq!(taken, writers);
    }
}

fn await_readable(end: &File) {
    let mut end = [PollFd::new(end, PollFlags::IN)];
    let limit = LONG.try_into().unwrap();
    assert_eq!(poll(&mut end, Some(&limit)), Ok(1));
}

/// Each writer has the line of the same place, or all of them have the only one.
fn hand_over(lines: Vec<Line>, writers: usize) {
    let (name, is_immediate) = (lines[0].name, lines[0].is_immediate);
    let ends = lines.iter().cycle().take(writers);
    let ends = ends.map(|line| Writer::new(line.writing.try_clone().unwrap()));
    let ends: Vec<_> = ends.collect();
    let each = (writers / lines.len()) as u64;
    let mut readers = Readers::new(lines.into_iter().map(|line| line.reading).collect());
    let (wanted, last) = (AtomicU32::new(0), handovers());
    thread::scope(|scope| {
        for writer in &ends {
            scope.spawn(|| writer.write_when(&wanted, last));
        }
        for number in 1..=last {
            // Silent when it is written, or about to be.
            if number % 2 == 0 {
                readers.find_nothing();
            }
            readers.found.fill(false);
            wanted.store(number, Ordering::Release);
            let (mut missing, mut looks) = (ends.len(), 0);
            while missing > 0 {
                // In this order: what has been written by now is to be found.
                let written: Vec<_> = ends.iter().map(|end| end.has_written(number)).collect();
                readers.look();
                for writer in (0..ends.len()).filter(|&writer| written[writer]) {
                    let place = writer % readers.ends.len();
                    let found = readers.found[place]
                        || !is_immediate && readers.find_when_it_is_there(place);
                    assert!(found, "{name}, of {writers}: number {number} of {writer}");
                }
                missing = written.iter().filter(|&&written| !written).count();
                looks += 1;
                // There may be fewer processors than threads.
                if looks % 16 == 0 {
                    thread::yield_now();
                }
            }
            (0..readers.ends.len()).for_each(|place| readers.take(place, each));
        }
    });
}

/// One test at a time: they keep the processors busy.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn what_one_thread_makes_ready() {
    let _alone = alone();
    if can_be_had() {
        for line in Line::of_every_kind() {
            hand_over(vec![line], 1);
        }
    }
}

#[test]
fn what_two_threads_make_ready_at_the_same_moment() {
    let _alone = alone();
    if can_be_had() {
        let lines = Line::of_every_kind().into_iter();
        for (first, second) in lines.zip(Line::of_every_kind()) {
            hand_over(vec![first, second], 2);
        }
    }
}

#[test]
fn what_two_threads_write_into_one_line() {
    let _alone = alone();
    if can_be_had() {
        for line in Line::of_every_kind() {
            hand_over(vec![line], 2);
        }
    }
}
