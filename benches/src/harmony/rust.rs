//! The rows of this crate's selector.

use std::time::Instant;

use nioselect::{Backend, Ops, Selector, SocketChannel};

use super::connections::Connections;
use super::result::{Row, Workload};
use crate::error::Error;
use crate::measure::{Spread, milliseconds, nanoseconds_each};
use crate::progress::Progress;

/// Whether the backend can run here.
pub(super) fn probe(backend: Backend) -> nioselect::Result<()> {
    open(backend).map(drop)
}

fn open(backend: Backend) -> nioselect::Result<Selector<usize>> {
    Selector::builder().backend(backend).open()
}

/// What one round of one backend took.
struct Sample {
    register_ms: f64,
    select_now_ns: f64,
}

/// A row for each backend. The rounds of the backends take turns, so that what disturbs the
/// machine for a while meets all of them.
pub(super) fn measure(
    workload: &Workload,
    backends: &[Backend],
    connections: &Connections,
    progress: &Progress,
) -> Result<Vec<Row>, Error> {
    let mut samples: Vec<Vec<Sample>> = backends.iter().map(|_| Vec::new()).collect();
    for round in 1..=workload.rounds {
        for (backend, samples) in backends.iter().zip(&mut samples) {
            progress.step(format_args!(
                "round {round} of {}: {backend}",
                workload.rounds
            ));
            samples.push(sample(
                *backend,
                &connections.accepted,
                workload.iterations,
            )?);
        }
    }
    let rows = backends
        .iter()
        .zip(&samples)
        .map(|(&backend, samples)| Row {
            backend,
            connect_ms: milliseconds(connections.took),
            register_ms: Spread::of(samples.iter().map(|sample| sample.register_ms)).median,
            select_now_ns: Spread::of(samples.iter().map(|sample| sample.select_now_ns)),
        });
    Ok(rows.collect())
}

fn sample(
    backend: Backend,
    channels: &[SocketChannel],
    iterations: usize,
) -> Result<Sample, Error> {
    let mut selector = open(backend)?;
    let start = Instant::now();
    for (number, channel) in channels.iter().enumerate() {
        channel.register(&selector, Ops::READ, number)?;
    }
    let mut selected = selector.select_now()?;
    let registered = start.elapsed();

    let start = Instant::now();
    for _ in 0..iterations {
        selected += selector.select_now()?;
    }
    let iterated = start.elapsed();
    assert_eq!(
        selected, 0,
        "{backend} has selected a channel on which nobody sends"
    );
    Ok(Sample {
        register_ms: milliseconds(registered),
        select_now_ns: nanoseconds_each(iterated, iterations as u64),
    })
}
