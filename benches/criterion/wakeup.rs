//! A wakeup and the look that uses it up.

mod common;

use criterion::{Criterion, criterion_group, criterion_main};
use nioselect_bench::engine::Job;

fn wakeup(criterion: &mut Criterion) {
    common::bench(criterion, "wakeup", Job::Wakeup, 2000, 0);
}

criterion_group!(benches, wakeup);
criterion_main!(benches);
