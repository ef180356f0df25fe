//! Looking at what is ready, without waiting.

mod common;

use criterion::{Criterion, criterion_group, criterion_main};
use nioselect_bench::engine::Job;
use nioselect_bench::limit;
use nioselect_bench::scaling::MOST_UNASKED;

const KEYS: usize = 2000;

fn idle(criterion: &mut Criterion) {
    common::bench(
        criterion,
        &format!("select_now/{KEYS} idle keys"),
        Job::Look,
        KEYS,
        0,
    );
    let most = limit::channels_that_fit(1).min(MOST_UNASKED);
    common::bench(
        criterion,
        &format!("select_now/{most} idle keys"),
        Job::Look,
        most,
        0,
    );
}

fn ready(criterion: &mut Criterion) {
    for ready in [1, 10, 100, 1000] {
        let name = format!("select_now/{ready} of {KEYS} keys ready");
        common::bench(criterion, &name, Job::Look, KEYS, ready);
    }
}

criterion_group!(benches, idle, ready);
criterion_main!(benches);
