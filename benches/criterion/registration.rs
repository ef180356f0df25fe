//! Registering one channel more and letting go of it, each taking effect.

mod common;

use criterion::{Criterion, criterion_group, criterion_main};
use nioselect_bench::engine::Job;

fn registration(criterion: &mut Criterion) {
    common::bench(
        criterion,
        "register and deregister",
        Job::Registration,
        2000,
        0,
    );
}

criterion_group!(benches, registration);
criterion_main!(benches);
