//! A byte that two threads hand to each other and back.

use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nioselect::Backend;

use super::Setting;
use super::by_turns::{Side, by_turns};
use super::processors::{Pinned, Two};
use super::quartiles::quantile;
use super::row::Row;
use super::watched::{Ends, Watching, channel_of, read_byte, watch, write_byte};
use crate::mechanism::Mechanism;

/// How many round trips are timed in a round.
const TRIPS: usize = 1000;

pub(super) fn measure(setting: &Setting, two: Two) -> io::Result<Vec<Row>> {
    let plain = Mechanism::plain(Backend::Epoll);
    let start = |mechanism, spin, place| Game::start(mechanism, spin, place, setting);
    let (none, spin) = (Duration::ZERO, setting.spin);
    let mut games = [
        start(plain, none, Some(two))?,
        start(Mechanism::DOORBELL, none, Some(two))?,
        start(plain, spin, Some(two))?,
        start(Mechanism::DOORBELL, spin, Some(two))?,
        start(plain, none, None)?,
        start(Mechanism::DOORBELL, spin, None)?,
    ];
    let sides = games
        .iter_mut()
        .map(|game| -> Side<'_, f64> { Box::new(|| game.round()) });
    let times = by_turns(sides.collect(), setting.rounds)?;
    let spin = format!("spin {} us", spin.as_micros());
    let row = |name: String, side: usize, beside: &'static str, other: usize| {
        let name = format!("ping-pong: {name}");
        Row::new(name, &times[side], beside, &times[other])
    };
    let blocks = "no spin, no doorbell";
    let blocks_anywhere = "no spin, no doorbell, anywhere";
    Ok(vec![
        row(format!("{spin}, doorbell"), 3, blocks, 0).aim(0.6),
        row(format!("{spin}, no doorbell"), 2, blocks, 0),
        row("no spin, doorbell".to_owned(), 1, blocks, 0),
        row(format!("{spin}, doorbell"), 3, blocks_anywhere, 4),
        row(format!("{spin}, doorbell, anywhere"), 5, blocks_anywhere, 4),
    ])
}

/// One who sends a byte, and waits for it to come back from a thread that does nothing else.
struct Game {
    selector: Watching,
    end: UnixStream,
    place: Option<Two>,
    partner: Option<JoinHandle<io::Result<()>>>,
}

impl Game {
    /// Where the system likes, unless there is a place.
    fn start(
        mechanism: Mechanism,
        spin: Duration,
        place: Option<Two>,
        setting: &Setting,
    ) -> io::Result<Self> {
        let ends = Ends::open()?;
        let selector = watch(
            &mechanism.builder().spin(spin),
            &ends.among(&setting.channels)?,
        )?;
        let Ends {
            watched: end,
            other,
        } = ends;
        let partner = thread::Builder::new().spawn(move || {
            let outcome = send_back(mechanism, spin, place, &other);
            // So that nobody waits for it any more.
            let _ = other.shutdown(Shutdown::Both);
            outcome
        })?;
        Ok(Self {
            selector,
            end,
            place,
            partner: Some(partner),
        })
    }

    /// The median of the round trips, in nanoseconds.
    fn round(&mut self) -> io::Result<f64> {
        let _pinned = self.place.map(|[here, _]| Pinned::to(here)).transpose()?;
        let mut trips = Vec::with_capacity(TRIPS);
        for _ in 0..TRIPS {
            let start = Instant::now();
            write_byte(&self.end)?;
            receive(&mut self.selector, &self.end)?;
            trips.push(start.elapsed().as_nanos() as f64);
        }
        trips.sort_by(f64::total_cmp);
        Ok(quantile(&trips, 0.5))
    }
}

fn receive(selector: &mut Watching, end: &UnixStream) -> io::Result<()> {
    // It may have been found when the selector began to watch.
    while selector.selected_keys().is_empty() {
        selector.select()?;
    }
    selector.selected_keys().clear();
    read_byte(end)
}

fn send_back(
    mechanism: Mechanism,
    spin: Duration,
    place: Option<Two>,
    end: &UnixStream,
) -> io::Result<()> {
    let _pinned = place.map(|[_, there]| Pinned::to(there)).transpose()?;
    let mut selector = watch(&mechanism.builder().spin(spin), &[channel_of(end)?])?;
    loop {
        match receive(&mut selector, end) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            received => received?,
        }
        write_byte(end)?;
    }
}

impl Drop for Game {
    fn drop(&mut self) {
        let _ = self.end.shutdown(Shutdown::Both);
        if let Some(partner) = self.partner.take() {
            // A failure of its has been noticed by what it did not send back.
            let _ = partner.join();
        }
    }
}
