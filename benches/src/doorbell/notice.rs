//! How soon a thread that asks again and again has been told of another's write.

use std::hint;
use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nioselect::Backend;

use super::Setting;
use super::by_turns::{Side, by_turns};
use super::processors::{Pinned, Two};
use super::quartiles::quantile;
use super::row::Row;
use super::watched::{Ends, Watching, read_byte, watch, write_byte};
use crate::engine::RawEpoll;
use crate::mechanism::Mechanism;

/// How many writes are timed in a round.
const WRITES: u64 = 1000;

/// How long the writer waits at least: long enough for a doorbell to be settled again.
const PAUSE: Duration = Duration::from_micros(20);

/// By how many nanoseconds more at most, in steps that keep no time with anything.
const LONGEST_DELAY: u64 = 10_000;
const DELAY_STEP: u64 = 7919;

/// Nothing is waited for any more.
const ENDED: u64 = u64::MAX;

pub(super) fn measure(setting: &Setting, two: Two) -> io::Result<Vec<Row>> {
    let mut with_doorbell = Notice::by_selector(Mechanism::DOORBELL, setting)?;
    let mut without = Notice::by_selector(Mechanism::plain(Backend::Epoll), setting)?;
    let ends = Ends::open()?;
    let mut raw = Notice {
        finder: RawEpoll::over(&ends.among(&setting.channels)?)?,
        ends,
    };
    let sides: Vec<Side<'_, Percentiles>> = vec![
        Box::new(|| with_doorbell.round(two)),
        Box::new(|| without.round(two)),
        Box::new(|| raw.round(two)),
    ];
    let taken = by_turns(sides, setting.rounds)?;
    let p50 = |side: usize| -> Vec<f64> { taken[side].iter().map(|round| round.p50).collect() };
    let p90 = |side: usize| -> Vec<f64> { taken[side].iter().map(|round| round.p90).collect() };
    let raw = "epoll_wait(0)";
    Ok(vec![
        Row::new("notice: doorbell, 50 of 100", &p50(0), raw, &p50(2)).aim(1.2),
        Row::new("notice: doorbell, 90 of 100", &p90(0), raw, &p90(2)),
        Row::new("notice: no doorbell, 50 of 100", &p50(1), raw, &p50(2)),
        Row::new("notice: no doorbell, 90 of 100", &p90(1), raw, &p90(2)),
    ])
}

/// Within how many nanoseconds so many of 100 writes were noticed.
struct Percentiles {
    p50: f64,
    p90: f64,
}

/// What asks again and again.
trait Finder {
    fn finds(&mut self) -> io::Result<bool>;

    /// What has been found is no longer of interest.
    fn forget(&mut self);
}

impl Finder for Watching {
    #[inline]
    fn finds(&mut self) -> io::Result<bool> {
        Ok(self.select_now()? > 0)
    }

    fn forget(&mut self) {
        self.selected_keys().clear();
    }
}

impl Finder for RawEpoll {
    #[inline]
    fn finds(&mut self) -> io::Result<bool> {
        Ok(self.wait()? > 0)
    }

    fn forget(&mut self) {}
}

struct Notice<F> {
    finder: F,
    ends: Ends,
}

impl Notice<Watching> {
    fn by_selector(mechanism: Mechanism, setting: &Setting) -> io::Result<Self> {
        let ends = Ends::open()?;
        let channels = ends.among(&setting.channels)?;
        let finder = watch(&mechanism.builder(), &channels)?;
        Ok(Self { finder, ends })
    }
}

/// What the two threads tell each other, apart from the byte.
struct Shared {
    start: Instant,
    /// Nanoseconds after the start.
    written_at: AtomicU64,
    /// How many bytes have been read.
    read: AtomicU64,
}

impl Shared {
    fn now(&self) -> u64 {
        self.start.elapsed().as_nanos() as u64
    }
}

impl<F: Finder> Notice<F> {
    fn round(&mut self, [here, there]: Two) -> io::Result<Percentiles> {
        let _pinned = Pinned::to(here)?;
        let shared = Shared {
            start: Instant::now(),
            written_at: AtomicU64::new(0),
            read: AtomicU64::new(0),
        };
        let (shared, other) = (&shared, &self.ends.other);
        let (finder, watched) = (&mut self.finder, &self.ends.watched);
        let mut latencies = thread::scope(|scope| {
            let writer = scope.spawn(|| write_again_and_again(shared, other, there));
            let latencies = notice_again_and_again(shared, finder, watched);
            shared.read.store(ENDED, Ordering::Release);
            writer.join().expect("the writer does not panic")?;
            latencies
        })?;
        latencies.sort_by(f64::total_cmp);
        Ok(Percentiles {
            p50: quantile(&latencies, 0.5),
            p90: quantile(&latencies, 0.9),
        })
    }
}

/// The nanoseconds from before each write until it has been noticed.
fn notice_again_and_again(
    shared: &Shared,
    finder: &mut impl Finder,
    watched: &UnixStream,
) -> io::Result<Vec<f64>> {
    let mut latencies = Vec::with_capacity(WRITES as usize);
    for number in 1..=WRITES {
        while !finder.finds()? {}
        let noticed_at = shared.now();
        let written_at = shared.written_at.load(Ordering::Acquire);
        finder.forget();
        read_byte(watched)?;
        latencies.push(noticed_at.saturating_sub(written_at) as f64);
        shared.read.store(number, Ordering::Release);
    }
    Ok(latencies)
}

/// If it fails, the other thread finds a connection that has ended.
fn write_again_and_again(shared: &Shared, other: &UnixStream, place: usize) -> io::Result<()> {
    let outcome = Pinned::to(place).and_then(|_pinned| write_when_read(shared, other));
    if outcome.is_err() {
        let _ = other.shutdown(Shutdown::Both);
    }
    outcome
}

fn write_when_read(shared: &Shared, other: &UnixStream) -> io::Result<()> {
    for number in 0..WRITES {
        while shared.read.load(Ordering::Acquire) < number {
            hint::spin_loop();
        }
        if shared.read.load(Ordering::Acquire) == ENDED {
            break;
        }
        pause(number);
        shared.written_at.store(shared.now(), Ordering::Release);
        write_byte(other)?;
    }
    Ok(())
}

fn pause(number: u64) {
    let delay = Duration::from_nanos(number * DELAY_STEP % LONGEST_DELAY);
    let begun = Instant::now();
    while begun.elapsed() < PAUSE + delay {
        hint::spin_loop();
    }
}
