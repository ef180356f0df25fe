//! Something to do between calls that find nothing, all by one thread.

use std::io;
use std::time::Instant;

use nioselect::Backend;

use super::Setting;
use super::by_turns::{Side, by_turns};
use super::row::Row;
use super::watched::{Ends, Watching, read_byte, watch, write_byte};
use crate::measure::nanoseconds_each;
use crate::mechanism::Mechanism;

/// So many calls that find nothing arm a doorbell, several times over.
const ARMING: u32 = 100;

/// Many, and yet in most cases less than a slice of time, so that most rounds are not interrupted.
const CYCLES: u64 = 200;

/// How many calls find nothing in a cycle, and the aim: too few to settle the doorbell again, few
/// more than it takes to settle it, many more.
const CASES: [(u32, Option<f64>); 3] = [(2, Some(1.1)), (20, None), (100, None)];

pub(super) fn measure(setting: &Setting) -> io::Result<Vec<Row>> {
    CASES
        .into_iter()
        .map(|(idle, aim)| {
            let mut armed = Cycle::over(Mechanism::DOORBELL, setting)?;
            let mut without = Cycle::over(Mechanism::plain(Backend::Epoll), setting)?;
            let sides: Vec<Side<'_, f64>> = vec![
                Box::new(|| armed.round(idle)),
                Box::new(|| without.round(idle)),
            ];
            let times = by_turns(sides, setting.rounds)?;
            let name = format!("cycle: write, find, read, {idle} idle calls");
            let row = Row::new(name, &times[0], "no doorbell", &times[1]);
            Ok(match aim {
                Some(most) => row.aim(most),
                None => row,
            })
        })
        .collect()
}

struct Cycle {
    selector: Watching,
    ends: Ends,
}

impl Cycle {
    fn over(mechanism: Mechanism, setting: &Setting) -> io::Result<Self> {
        let ends = Ends::open()?;
        Ok(Self {
            selector: watch(&mechanism.builder(), &ends.among(&setting.channels)?)?,
            ends,
        })
    }

    fn round(&mut self, idle: u32) -> io::Result<f64> {
        self.find_nothing(ARMING)?;
        let start = Instant::now();
        for _ in 0..CYCLES {
            write_byte(&self.ends.other)?;
            let found = self.selector.select_now()?;
            assert_eq!(found, 1, "what has been written is found");
            self.selector.selected_keys().clear();
            read_byte(&self.ends.watched)?;
            self.find_nothing(idle)?;
        }
        Ok(nanoseconds_each(start.elapsed(), CYCLES))
    }

    fn find_nothing(&mut self, times: u32) -> io::Result<()> {
        for _ in 0..times {
            let found = self.selector.select_now()?;
            assert_eq!(found, 0, "what has been read is gone");
        }
        Ok(())
    }
}
