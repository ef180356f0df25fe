//! Watchers that are removed and set again before anybody looks, all 2000 of them.

mod common;

use criterion::{Criterion, criterion_group, criterion_main};
use nioselect_bench::engine::Job;

fn renewal(criterion: &mut Criterion) {
    common::bench(criterion, "renew all watchers", Job::Renewal, 2000, 0);
}

criterion_group!(benches, renewal);
criterion_main!(benches);
