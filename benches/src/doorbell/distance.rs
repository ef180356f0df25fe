//! How far two processors are from each other.

use std::hint;
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Instant;

use super::processors::{Pinned, Two};
use crate::measure::nanoseconds_each;

const TRIPS: u32 = 2000;
const ROUNDS: u32 = 20;

/// How many nanoseconds a word in memory takes from one to the other and back, at best.
pub(super) fn between([here, there]: Two) -> io::Result<f64> {
    let word = &AtomicU32::new(0);
    thread::scope(|scope| {
        let partner = thread::Builder::new().spawn_scoped(scope, move || {
            // If it cannot be pinned it must answer all the same.
            let pinned = Pinned::to(there);
            for trip in 0..ROUNDS * TRIPS {
                await_value(word, 2 * trip + 1);
                word.store(2 * trip + 2, Ordering::Release);
            }
            pinned.map(drop)
        })?;
        let pinned = Pinned::to(here);
        let mut best = f64::INFINITY;
        for round in 0..ROUNDS {
            let start = Instant::now();
            for trip in round * TRIPS..(round + 1) * TRIPS {
                word.store(2 * trip + 1, Ordering::Release);
                await_value(word, 2 * trip + 2);
            }
            best = best.min(nanoseconds_each(start.elapsed(), TRIPS.into()));
        }
        partner.join().expect("the partner does not panic")?;
        pinned.map(|_pinned| best)
    })
}

fn await_value(word: &AtomicU32, value: u32) {
    while word.load(Ordering::Acquire) != value {
        hint::spin_loop();
    }
}
