//! Taking times.

use std::io;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::engine::{Engine, Job};

/// How long one engine's part of a round takes: long against the clock's resolution, short
/// against what disturbs the machine.
const ROUND: Duration = Duration::from_millis(3);

/// The smallest, the middle and the largest of some values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spread {
    pub(crate) min: f64,
    /// The one in the middle, or the mean of the two in the middle.
    pub(crate) median: f64,
    pub(crate) max: f64,
}

impl Spread {
    /// The spread of at least one value.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        let last = values.len() - 1;
        Self {
            min: values[0],
            median: f64::midpoint(values[last / 2], values[last.div_ceil(2)]),
            max: values[last],
        }
    }

    pub(crate) fn to_json(self) -> Value {
        json!({ "min": self.min, "median": self.median, "max": self.max })
    }
}

/// How long an engine needs to do a job so many times.
///
/// # Errors
///
/// That of the engine.
pub fn time(engine: &mut dyn Engine, job: Job, times: u64) -> io::Result<Duration> {
    let start = Instant::now();
    engine.run(job, times)?;
    Ok(start.elapsed())
}

/// The nanoseconds that each engine needs for the job, one value for each round.
///
/// In every round each engine has its turn, and the next round begins with another one: what
/// disturbs the machine for a while meets all of them.
pub(crate) fn take_turns(
    engines: &mut [Box<dyn Engine>],
    job: Job,
    rounds: usize,
) -> io::Result<Vec<Vec<f64>>> {
    let mut times = Vec::with_capacity(engines.len());
    for engine in engines.iter_mut() {
        times.push(times_for_a_round(&mut **engine, job)?);
    }
    let mut measured = vec![Vec::with_capacity(rounds); engines.len()];
    for round in 0..rounds {
        for turn in 0..engines.len() {
            let index = (round + turn) % engines.len();
            let taken = time(&mut *engines[index], job, times[index])?;
            measured[index].push(nanoseconds_each(taken, times[index]));
        }
    }
    Ok(measured)
}

/// How often the job fits into a round. Finding out warms the caches up.
fn times_for_a_round(engine: &mut dyn Engine, job: Job) -> io::Result<u64> {
    let mut times = 1;
    loop {
        let taken = time(engine, job, times)?;
        if taken >= ROUND / 4 {
            let each = nanoseconds_each(taken, times);
            return Ok((ROUND.as_nanos() as f64 / each).ceil() as u64);
        }
        times *= 2;
    }
}

pub(crate) fn nanoseconds_each(taken: Duration, times: u64) -> f64 {
    taken.as_nanos() as f64 / times as f64
}

pub(crate) fn milliseconds(taken: Duration) -> f64 {
    taken.as_secs_f64() * 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        let spread = Spread::of([3.0, 1.0, 9.0]);
        assert_eq!((spread.min, spread.median, spread.max), (1.0, 3.0, 9.0));
        assert_eq!(Spread::of([1.0, 4.0, 2.0, 3.0]).median, 2.5);
        assert_eq!(Spread::of([7.0]).median, 7.0);
    }
}
