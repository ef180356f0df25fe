//! How the time of `select_now` grows with the number of keys.

use std::num::NonZeroUsize;

use clap::Args;

use crate::channel;
use crate::engine::{Engine, Job, Nioselect};
use crate::error::Error;
use crate::limit;
use crate::machine;
use crate::measure::{Spread, take_turns};
use crate::mechanism::Mechanism;
use crate::output::{say, show};
use crate::progress::Progress;
use crate::table::{Table, number};

/// Times `select_now` for 10, 100, 1000 and more keys, as many as there may be descriptors, for
/// each backend, and for epoll with a doorbell.
///
/// It shows which mechanism looks at every key whenever it is asked: poll and select do; epoll,
/// io_uring and real-time signals look only at those that have something to tell. Each key takes
/// one descriptor. The selected keys are taken out of the selected set by each call. Times are
/// medians of the rounds.
#[derive(Args, Debug)]
pub struct Options {
    /// How many of the keys are ready all the time
    #[arg(long, value_name = "N", default_value_t = 0)]
    ready: usize,

    /// How many keys at most [default: what the descriptor limit allows, up to 100000]
    #[arg(long, value_name = "N")]
    keys: Option<NonZeroUsize>,

    /// How many rounds, in each of which every backend has its turn
    #[arg(long, value_name = "N", default_value = "11")]
    rounds: NonZeroUsize,
}

const FEWEST: usize = 10;

/// Where the descriptor limit is out of all proportion to the memory, the benchmark must not try
/// it out.
pub const MOST_UNASKED: usize = 100_000;

/// Runs the benchmark and prints the table.
///
/// # Errors
///
/// [`Error::Request`] if so many keys do not fit; [`Error::System`] if the system fails.
pub fn run(options: &Options) -> Result<(), Error> {
    let most = most_keys(options)?;
    say(machine::describe())?;
    say(format_args!(
        "ns per select_now, {} keys ready, {} rounds\n",
        options.ready, options.rounds
    ))?;
    let mechanisms = Mechanism::available();

    let progress = Progress::new();
    let mut rows: Vec<(usize, Vec<f64>)> = Vec::new();
    for keys in steps(most).filter(|&keys| keys >= options.ready) {
        progress.step(format_args!("{keys} keys"));
        rows.push((keys, medians(&mechanisms, keys, options)?));
    }
    drop(progress);
    show(table(&mechanisms, &rows))?;
    Ok(())
}

fn most_keys(options: &Options) -> Result<usize, Error> {
    let most = match options.keys {
        Some(asked) => asked.get(),
        None => limit::channels_that_fit(1)
            .min(MOST_UNASKED)
            .max(options.ready),
    };
    limit::check_ready(options.ready, most)?;
    limit::check(most, 1)?;
    Ok(most)
}

/// Powers of ten, and at last the most.
fn steps(most: usize) -> impl Iterator<Item = usize> {
    let powers = std::iter::successors(Some(FEWEST), |keys| keys.checked_mul(10));
    powers.take_while(move |&keys| keys < most).chain([most])
}

fn medians(mechanisms: &[Mechanism], keys: usize, options: &Options) -> Result<Vec<f64>, Error> {
    let channels = channel::open(keys, options.ready)?;
    let mut engines: Vec<Box<dyn Engine>> = Vec::new();
    for &mechanism in mechanisms {
        engines.push(Box::new(Nioselect::over(mechanism, &channels)?));
    }
    let measured = take_turns(&mut engines, Job::Look, options.rounds.get())?;
    Ok(measured
        .into_iter()
        .map(|times| Spread::of(times).median)
        .collect())
}

/// Beside each time stands how many times that of the first row it is.
fn table(mechanisms: &[Mechanism], rows: &[(usize, Vec<f64>)]) -> Table {
    let mut header = vec!["keys".to_owned()];
    let growth = rows.first().map_or(0, |(keys, _)| *keys);
    for mechanism in mechanisms {
        header.extend([mechanism.to_string(), format!("vs {growth} keys")]);
    }
    let mut table = Table::new(0, header);
    for (keys, times) in rows {
        let mut cells = vec![keys.to_string()];
        for (time, first) in times.iter().zip(&rows[0].1) {
            cells.extend([number(*time), format!("{}x", number(time / first))]);
        }
        table.add(cells);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_step_is_the_most() {
        assert!(steps(20_000).eq([10, 100, 1000, 10_000, 20_000]));
        assert!(steps(1000).eq([10, 100, 1000]));
    }
}
