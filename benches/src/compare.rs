//! nioselect beside what it is built on and beside other libraries, in one run.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use nioselect::Backend;
use serde_json::{Value, json};

use crate::channel;
use crate::engine::{self, Job};
use crate::error::Error;
use crate::limit;
use crate::machine;
use crate::measure::{Spread, take_turns};
use crate::output::{say, show};
use crate::progress::Progress;
use crate::report::Report;
use crate::table::{Table, number};

/// Times the same jobs done by nioselect, by raw epoll calls, by mio, by polling, by nioselect with
/// a doorbell and by nioselect over each other backend.
///
/// All engines watch the same channels, level-triggered. mio is edge-triggered: to be told of a
/// channel again, it registers it again.
///
/// The jobs: "look" asks what is ready, without waiting, and visits it: which channel, ready for
/// what. "register + deregister" begins to watch one more channel, looks, ceases to watch it and
/// looks. "interest toggle" watches a channel for writing too, then only for reading again, and
/// looks. "wakeup" asks for a wakeup while nobody waits, and looks. "renew all watchers" ceases to
/// watch each channel and begins to watch it again, and looks; nioselect does that with the
/// callbacks of its monitor.
///
/// In every round each engine has its turn of a few milliseconds. The ratio is the time of
/// nioselect with its preferred backend, without a doorbell, divided by the engine's, for each
/// round; shown are the medians over the rounds, and the least and the greatest ratio.
#[derive(Args, Debug)]
pub struct Options {
    /// How many of the keys are ready, for each row of looking [default: 0,1,10,100,1000, as far as
    /// there are keys]
    #[arg(long, value_name = "N,...", value_delimiter = ',')]
    ready: Option<Vec<usize>>,

    /// How many keys
    #[arg(long, value_name = "N", default_value = "2000")]
    keys: NonZeroUsize,

    /// How many rounds
    #[arg(long, value_name = "N", default_value = "31")]
    rounds: NonZeroUsize,

    /// Write the result to this file, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Options {
    fn ready(&self) -> Vec<usize> {
        let fits = |&ready: &usize| ready <= self.keys.get();
        self.ready
            .clone()
            .unwrap_or_else(|| [0, 1, 10, 100, 1000].into_iter().filter(fits).collect())
    }
}

/// What one engine took for one job.
struct Row {
    job: &'static str,
    ready: usize,
    engine: String,
    nanoseconds: Spread,
    /// The preferred backend's time divided by the engine's.
    ratio: Spread,
}

/// Runs the benchmark and prints the table.
///
/// # Errors
///
/// [`Error::Request`] if so many keys do not fit, or more are to be ready than there are;
/// [`Error::System`] if the system fails.
pub fn run(options: &Options) -> Result<(), Error> {
    check(options)?;
    let report = Report::create(options.json.as_deref())?;
    say(machine::describe())?;
    say(format_args!(
        "{} keys, {} rounds, nioselect over {}, without a doorbell where its name has none\n",
        options.keys,
        options.rounds,
        Backend::preferred()?
    ))?;
    let rows = measure(options)?;
    show(table(&rows))?;
    report.write(&to_json(options, &rows))
}

fn check(options: &Options) -> Result<(), Error> {
    let keys = options.keys.get();
    for &ready in options.ready.iter().flatten() {
        limit::check_ready(ready, keys)?;
    }
    limit::check(keys, 1)
}

fn measure(options: &Options) -> Result<Vec<Row>, Error> {
    let progress = Progress::new();
    let looks = options.ready().into_iter();
    let looks = looks.map(|ready| ("look", Job::Look, ready));
    let others = [
        ("register + deregister", Job::Registration, 0),
        ("interest toggle", Job::InterestToggle, 0),
        ("wakeup", Job::Wakeup, 0),
        ("renew all watchers", Job::Renewal, 0),
    ];
    let mut rows = Vec::new();
    for (name, job, ready) in looks.chain(others) {
        progress.step(format_args!("{name}, {ready} ready"));
        rows.extend(measure_job(options, name, job, ready)?);
    }
    Ok(rows)
}

fn measure_job(
    options: &Options,
    name: &'static str,
    job: Job,
    ready: usize,
) -> Result<Vec<Row>, Error> {
    let channels = channel::open(options.keys.get(), ready)?;
    let mut engines = engine::all(&channels)?;
    let times = take_turns(&mut engines, job, options.rounds.get())?;
    let ours = &times[0];
    let rows = engines.iter().zip(&times).map(|(engine, theirs)| Row {
        job: name,
        ready,
        engine: engine.name().to_owned(),
        nanoseconds: Spread::of(theirs.iter().copied()),
        ratio: Spread::of(ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs)),
    });
    Ok(rows.collect())
}

fn table(rows: &[Row]) -> Table {
    let header = ["job", "engine", "ready", "ns", "first/this", "min", "max"];
    let mut table = Table::new(2, header);
    for row in rows {
        let ratio = row.ratio;
        table.add([
            row.job.to_owned(),
            row.engine.clone(),
            row.ready.to_string(),
            number(row.nanoseconds.median),
            number(ratio.median),
            number(ratio.min),
            number(ratio.max),
        ]);
    }
    table
}

fn to_json(options: &Options, rows: &[Row]) -> Value {
    let rows = rows.iter().map(|row| {
        json!({
            "job": row.job,
            "ready": row.ready,
            "engine": row.engine,
            "ns": row.nanoseconds.to_json(),
            "ratio": row.ratio.to_json(),
        })
    });
    json!({
        "benchmark": "compare",
        "keys": options.keys,
        "rounds": options.rounds,
        "rows": rows.collect::<Vec<_>>(),
    })
}
