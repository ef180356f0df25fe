//! What a doorbell saves, and what it costs.

mod by_turns;
mod cycle;
mod distance;
mod idle;
mod notice;
mod ping_pong;
mod processors;
mod quartiles;
mod row;
mod watched;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use crate::channel::{self, Channel};
use crate::error::Error;
use crate::limit;
use crate::machine;
use crate::mechanism::Mechanism;
use crate::output::{say, show};
use crate::progress::Progress;
use crate::report::Report;
use crate::table::{Table, number};
use processors::Two;
use row::Row;

/// Measures what the doorbell of a selector over epoll saves, and what it costs: each row beside
/// the same without it, in turn in the same run.
///
/// "idle" is a `select_now` that finds nothing. "notice" is how long it takes from the moment
/// before another thread's write(2) until a thread that asks again and again has been told; 50 and
/// 90 of 100 writes were noticed within that time. "cycle" is a byte written, found, read, and then
/// so many calls that find nothing, all by one thread; every selector that has a doorbell begins
/// with an armed one. "ping-pong" is a byte that two threads hand to each other and back through
/// sockets, each waiting by `select`, which looks again and again for a while before it blocks
/// where the row says "spin". The two threads of a pair have a processor each, but for the last
/// rows of "ping-pong", where the system puts them where it likes. How soon a write is noticed
/// depends on how far from each other the processors are, which is told by how long a word in
/// memory takes from one to the other and back.
///
/// In every round each side of a row has its turn. The ratio is that of the two times of a round:
/// shown are the medians over the rounds and, for the ratio, the quartiles. The aim is what this
/// project holds itself to.
#[derive(Args, Debug)]
pub struct Options {
    /// How many channels each selector watches
    #[arg(long, value_name = "N", default_value = "2000")]
    channels: NonZeroUsize,

    /// How many rounds, in each of which every side has its turn
    #[arg(long, value_name = "N", default_value = "31")]
    rounds: NonZeroUsize,

    /// For how long a wait that spins looks again and again before it blocks
    #[arg(long, value_name = "MICROSECONDS", default_value = "50")]
    spin: u32,

    /// Write the result to this file, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// What all measurements are given.
struct Setting {
    /// Silent for ever.
    channels: Vec<Channel>,
    rounds: usize,
    spin: Duration,
}

/// Runs the benchmark and prints the table.
///
/// # Errors
///
/// [`Error::Request`] if so many channels do not fit, or there is no doorbell here;
/// [`Error::System`] if the system fails.
pub fn run(options: &Options) -> Result<(), Error> {
    limit::check(options.channels.get(), 1)?;
    let probed = Mechanism::DOORBELL.probe();
    probed.map_err(|why| Error::Request(format!("there is nothing to measure: {why}")))?;
    let report = Report::create(options.json.as_deref())?;
    say(machine::describe())?;
    let two = processors::two()?;
    let distance = two.map(distance::between).transpose()?;
    say(format_args!(
        "{} channels, {} rounds; ns, medians of the rounds",
        options.channels, options.rounds
    ))?;
    if let Some(nanoseconds) = distance {
        say(format_args!(
            "a word in memory from one processor to the other and back: {} ns",
            number(nanoseconds)
        ))?;
    }
    say("")?;
    let rows = measure(options, two)?;
    show(table(&rows))?;
    say(NOTES)?;
    say(if two.is_some() {
        TWO_PROCESSORS
    } else {
        ONE_PROCESSOR
    })?;
    report.write(&to_json(options, distance, &rows))
}

const NOTES: &str = "
ratio: median over the rounds, of the two times of each. aim: what this project holds itself to.";

const TWO_PROCESSORS: &str =
    "notice: the farther apart the two processors are, the more the doorbell adds.";

const ONE_PROCESSOR: &str = "
notice, ping-pong: not measured. They need two processors, and this process may use one: a thread
that looks again and again would only keep the other from running.";

fn measure(options: &Options, two: Option<Two>) -> Result<Vec<Row>, Error> {
    let setting = Setting {
        channels: channel::open(options.channels.get(), 0)?,
        rounds: options.rounds.get(),
        spin: Duration::from_micros(options.spin.into()),
    };
    let progress = Progress::new();
    progress.step(format_args!("idle"));
    let mut rows = idle::measure(&setting)?;
    if let Some(two) = two {
        progress.step(format_args!("notice"));
        rows.extend(notice::measure(&setting, two)?);
    }
    progress.step(format_args!("cycle"));
    rows.extend(cycle::measure(&setting)?);
    if let Some(two) = two {
        progress.step(format_args!("ping-pong"));
        rows.extend(ping_pong::measure(&setting, two)?);
    }
    Ok(rows)
}

fn table(rows: &[Row]) -> Table {
    let mut table = Table::new(2, row::HEADER);
    for row in rows {
        table.add(row.cells());
    }
    table
}

fn to_json(options: &Options, distance: Option<f64>, rows: &[Row]) -> Value {
    json!({
        "benchmark": "doorbell",
        "channels": options.channels,
        "rounds": options.rounds,
        "spin_us": options.spin,
        "word_there_and_back_ns": distance,
        "rows": rows.iter().map(Row::to_json).collect::<Vec<_>>(),
    })
}
