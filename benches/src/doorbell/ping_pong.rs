//! A byte that two threads hand to each other and back.

use std::io;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nioselect::Backend;

use super::Setting;
use super::by_turns::{Side, by_turns};
use super::row::Row;
use super::watched::{Ends, Watching, channel_of, read_byte, watch, write_byte};
use crate::measure::quantile;
use crate::mechanism::Mechanism;

/// How many round trips are timed in a round.
const TRIPS: usize = 1000;

pub(super) fn measure(setting: &Setting) -> io::Result<Vec<Row>> {
    let plain = Mechanism::plain(Backend::Epoll);
    let mut games = [
        Game::start(plain, Duration::ZERO, setting)?,
        Game::start(Mechanism::DOORBELL, Duration::ZERO, setting)?,
        Game::start(plain, setting.spin, setting)?,
        Game::start(Mechanism::DOORBELL, setting.spin, setting)?,
    ];
    let sides = games
        .iter_mut()
        .map(|game| -> Side<'_, f64> { Box::new(|| game.round()) });
    let times = by_turns(sides.collect(), setting.rounds)?;
    let [blocks, blocks_with_doorbell, spins, spins_with_doorbell] = &times[..] else {
        unreachable!("there are as many sides as games");
    };
    let spin = format!("spin {} us", setting.spin.as_micros());
    let row = |name: String, times: &[f64]| Row::new(name, times, "no spin, no doorbell", blocks);
    Ok(vec![
        row(format!("ping-pong: {spin}, doorbell"), spins_with_doorbell).aim(0.6),
        row(format!("ping-pong: {spin}, no doorbell"), spins),
        row(
            "ping-pong: no spin, doorbell".to_owned(),
            blocks_with_doorbell,
        ),
    ])
}

/// One who sends a byte, and waits for it to come back from a thread that does nothing else.
struct Game {
    selector: Watching,
    end: UnixStream,
    partner: Option<JoinHandle<io::Result<()>>>,
}

impl Game {
    fn start(mechanism: Mechanism, spin: Duration, setting: &Setting) -> io::Result<Self> {
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
            let selector = watch(&mechanism.builder().spin(spin), &[channel_of(&other)?])?;
            let outcome = send_back(selector, &other);
            // So that nobody waits for it any more.
            let _ = other.shutdown(Shutdown::Both);
            outcome
        })?;
        Ok(Self {
            selector,
            end,
            partner: Some(partner),
        })
    }

    /// The median of the round trips, in nanoseconds.
    fn round(&mut self) -> io::Result<f64> {
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
    while selector.select()? == 0 {}
    selector.selected_keys().clear();
    read_byte(end)
}

fn send_back(mut selector: Watching, end: &UnixStream) -> io::Result<()> {
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
