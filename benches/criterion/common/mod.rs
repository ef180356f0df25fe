//! A group of benchmarks: one job, each engine.

use criterion::Criterion;
use nioselect_bench::engine::{self, Job};
use nioselect_bench::{channel, limit, measure};

/// Measures the job with `keys` channels, of which `ready` are ready.
pub(crate) fn bench(criterion: &mut Criterion, name: &str, job: Job, keys: usize, ready: usize) {
    limit::check(keys, 1).unwrap_or_else(|error| panic!("{error}"));
    let channels = channel::open(keys, ready).expect("the channels fit");
    let mut group = criterion.benchmark_group(name);
    for mut engine in engine::all(&channels).expect("every engine can run here") {
        let name = engine.name().to_owned();
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|times| {
                measure::time(&mut *engine, job, times).expect("the job can be done")
            });
        });
    }
    group.finish();
}
