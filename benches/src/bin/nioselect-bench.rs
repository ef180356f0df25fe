//! The command line of the benchmarks.

use std::io;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
#[cfg(target_os = "linux")]
use nioselect_bench::doorbell;
use nioselect_bench::error::Error;
use nioselect_bench::{compare, harmony, scaling};

/// Benchmarks of nioselect
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    benchmark: Benchmark,
}

#[derive(Debug, Subcommand)]
enum Benchmark {
    Harmony(harmony::Options),
    Scaling(scaling::Options),
    Compare(compare::Options),
    #[cfg(target_os = "linux")]
    Doorbell(doorbell::Options),
}

impl Benchmark {
    fn run(&self) -> Result<(), Error> {
        match self {
            Self::Harmony(options) => harmony::run(options),
            Self::Scaling(options) => scaling::run(options),
            Self::Compare(options) => compare::run(options),
            #[cfg(target_os = "linux")]
            Self::Doorbell(options) => doorbell::run(options),
        }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if cfg!(debug_assertions) {
        eprintln!("warning: a debug build says little about speed; measure with --release");
    }
    match arguments.benchmark.run() {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever was reading what is printed has seen enough.
        Err(Error::System(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}
