//! Interest that changes and changes back before anybody looks.

mod common;

use criterion::{Criterion, criterion_group, criterion_main};
use nioselect_bench::engine::Job;

fn interest_toggle(criterion: &mut Criterion) {
    common::bench(criterion, "interest toggle", Job::InterestToggle, 2000, 0);
}

criterion_group!(benches, interest_toggle);
criterion_main!(benches);
