//! Calls that find nothing.

use std::hint::black_box;
use std::io;
use std::time::Instant;

use nioselect::Backend;

use super::Setting;
use super::by_turns::{Side, by_turns};
use super::row::Row;
use super::watched::watch;
use crate::engine::RawEpoll;
use crate::measure::nanoseconds_each;
use crate::mechanism::Mechanism;

/// Many, and yet less than a slice of time, so that most rounds are not interrupted. The arming is
/// in the round that warms up.
const CALLS: u64 = 10_000;

pub(super) fn measure(setting: &Setting) -> io::Result<Vec<Row>> {
    let channels = &setting.channels;
    let mut with_doorbell = watch(&Mechanism::DOORBELL.builder(), channels)?;
    let mut without = watch(&Mechanism::plain(Backend::Epoll).builder(), channels)?;
    let mut raw = RawEpoll::over(channels)?;
    let sides: Vec<Side<'_, f64>> = vec![
        Box::new(|| time_of(|| with_doorbell.select_now().map_err(Into::into))),
        Box::new(|| time_of(|| without.select_now().map_err(Into::into))),
        Box::new(|| time_of(|| raw.wait())),
    ];
    let times = by_turns(sides, setting.rounds)?;
    let name = "idle: select_now, doorbell";
    Ok(vec![
        Row::new(name, &times[0], "epoll_wait(0)", &times[2]).aim(0.02),
        Row::new(name, &times[0], "no doorbell", &times[1]),
        Row::new(
            "idle: select_now, no doorbell",
            &times[1],
            "epoll_wait(0)",
            &times[2],
        ),
    ])
}

fn time_of(mut call: impl FnMut() -> io::Result<usize>) -> io::Result<f64> {
    let start = Instant::now();
    let mut found = 0;
    for _ in 0..CALLS {
        found += black_box(call()?);
    }
    let taken = start.elapsed();
    assert_eq!(found, 0, "nobody writes to silent channels");
    Ok(nanoseconds_each(taken, CALLS))
}
