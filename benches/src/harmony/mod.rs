//! `select_now` over many silent TCP connections.
//!
//! The question of a mail to the Apache Harmony developers in 2007: how long do so many calls of
//! `selectNow` take over so many connections, with poll(2) and with epoll(7)?

mod connections;
mod contender;
mod doorbell;
mod jvm;
mod result;
mod rust;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use nioselect::Backend;

use crate::error::Error;
use crate::limit;
use crate::machine;
use crate::mechanism::Mechanism;
use crate::output::{say, show};
use crate::progress::Progress;
use crate::report::Report;
use connections::Connections;
use contender::Contender;
use result::{Row, Workload};
use rust::Rust;

/// Opens many silent TCP connections over loopback, registers the accepted ends with one selector
/// and calls `select_now` many times, for each backend, and for epoll with a doorbell.
///
/// The connections are made once and watched by every backend in turn: no selector takes part in
/// connecting, so its time is the same in each row. In every round each backend opens a selector
/// and registers all channels with it. Registering is timed up to and including the first
/// `select_now`, which is what tells the kernel; then come the iterations. Times are medians of
/// the rounds.
///
/// With `--jvm`, the same is done in Java: by the JDK's poll provider, by its default provider and
/// by that of this project with each backend, each in a JVM of its own that is warmed up once and
/// has its turn in every round. With a doorbell there are two: one as it is by default, and one
/// that is told to leave the monitors alone while the doorbell answers. Channels belong to the
/// provider there, and connecting does too.
#[derive(Args, Debug)]
pub struct Options {
    /// How many connections, at two descriptors each
    #[arg(long, value_name = "N", default_value = "2000")]
    channels: NonZeroUsize,

    /// How many calls of `select_now` in each round
    #[arg(long, value_name = "N", default_value = "10000")]
    iterations: NonZeroUsize,

    /// A backend's name, epoll+doorbell, or all
    #[arg(long, value_name = "NAME", default_value = "all", value_parser = parse_backends)]
    backend: Backends,

    /// How many rounds, in each of which every backend has its turn
    #[arg(long, value_name = "N", default_value = "5")]
    rounds: NonZeroUsize,

    /// Write the result to this file, too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,

    #[command(flatten)]
    jvm: jvm::JvmOptions,
}

#[derive(Clone, Copy, Debug)]
enum Backends {
    All,
    One(Mechanism),
}

fn parse_backends(name: &str) -> Result<Backends, String> {
    if name == "all" {
        return Ok(Backends::All);
    }
    let one = name.parse().map(Backends::One);
    one.map_err(|error: String| format!("{error}, all"))
}

/// Runs the benchmark and prints the table.
///
/// # Errors
///
/// [`Error::Request`] if so many channels do not fit, the backend asked for cannot run here, or a
/// JDK or jar that is needed is missing; [`Error::Child`] if a JVM fails; [`Error::System`] if the
/// system does.
pub fn run(options: &Options) -> Result<(), Error> {
    let mechanisms = runnable(options.backend)?;
    limit::check(options.channels.get(), Connections::DESCRIPTORS_EACH)?;
    let plans = options.jvm.plans(&mechanisms)?;
    let report = Report::create(options.json.as_deref())?;
    let workload = Workload {
        channels: options.channels.get(),
        iterations: options.iterations.get(),
        rounds: options.rounds.get(),
    };
    say(machine::describe())?;
    if let (Backends::All, Some(others)) = (options.backend, of_other_systems()) {
        say(format_args!("Not on this system: {others}."))?;
    }
    let rows = measure(&workload, &mechanisms, &plans)?;
    show(result::table(&workload, &rows))?;
    report.write(&result::json(&workload, &rows))
}

fn of_other_systems() -> Option<String> {
    let all = Backend::ALL.iter();
    let others = all.filter(|backend| !backend.is_of_this_system());
    let names: Vec<_> = others.map(|backend| backend.name()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// What to measure. Those of this system that cannot run are named on standard error.
fn runnable(asked: Backends) -> Result<Vec<Mechanism>, Error> {
    let mut runnable = Vec::new();
    match asked {
        Backends::One(mechanism) => {
            probe(mechanism).map_err(Error::Request)?;
            runnable.push(mechanism);
        }
        Backends::All => {
            for mechanism in Mechanism::all_of_this_system() {
                match probe(mechanism) {
                    Ok(()) => runnable.push(mechanism),
                    Err(message) => eprintln!("{message}"),
                }
            }
        }
    }
    Ok(runnable)
}

fn probe(mechanism: Mechanism) -> Result<(), String> {
    let outcome = mechanism.probe();
    outcome.map_err(|why| format!("{mechanism} cannot run here: {why}"))
}

fn measure(
    workload: &Workload,
    mechanisms: &[Mechanism],
    plans: &[jvm::Plan],
) -> Result<Vec<Row>, Error> {
    let progress = Progress::new();
    progress.step(format_args!("connecting {} channels", workload.channels));
    let connections = Connections::open(workload.channels)?;
    let mut contenders: Vec<Box<dyn Contender + '_>> = Vec::new();
    for &mechanism in mechanisms {
        contenders.push(Box::new(Rust::new(mechanism, &connections)));
    }
    for plan in plans {
        progress.step(format_args!("warming up {plan}"));
        if let Some(jvm) = plan.start(workload)? {
            contenders.push(Box::new(jvm));
        }
    }
    contender::measure(workload, &mut contenders, &progress)
}
