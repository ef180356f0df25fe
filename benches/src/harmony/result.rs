//! What is shown of the benchmark.

use nioselect::Backend;
use serde_json::{Value, json};

use crate::measure::Spread;
use crate::table::{Table, number};

/// What each engine has to do.
pub(super) struct Workload {
    pub(super) channels: usize,
    pub(super) iterations: usize,
    pub(super) rounds: usize,
}

/// What one engine took for it.
pub(super) struct Row {
    pub(super) backend: Backend,
    pub(super) connect_ms: f64,
    pub(super) register_ms: f64,
    pub(super) select_now_ns: Spread,
}

impl Row {
    fn total_ms(&self, iterations: usize) -> f64 {
        self.select_now_ns.median * iterations as f64 / 1e6
    }

    fn to_json(&self) -> Value {
        json!({
            "engine": "rust",
            "provider": "nioselect",
            "java": null,
            "backend": self.backend.name(),
            "connect_ms": self.connect_ms,
            "register_ms": self.register_ms,
            "select_now_ns": self.select_now_ns.to_json(),
        })
    }
}

/// The table and what its columns mean.
pub(super) fn table(workload: &Workload, rows: &[Row]) -> String {
    let &Workload {
        channels,
        iterations,
        rounds,
    } = workload;
    let medians = rows.iter().map(|row| row.select_now_ns.median);
    let slowest = medians.fold(0.0, f64::max);
    let header = [
        "backend",
        "connect ms",
        "register ms",
        "total ms",
        "ns/call",
        "min",
        "max",
        "speed",
    ];
    let mut table = Table::new(1, header);
    for row in rows {
        let spread = row.select_now_ns;
        table.add([
            row.backend.name().to_owned(),
            number(row.connect_ms),
            number(row.register_ms),
            number(row.total_ms(iterations)),
            number(spread.median),
            number(spread.min),
            number(spread.max),
            format!("{}x", number(slowest / spread.median)),
        ]);
    }
    format!(
        "{channels} silent TCP connections, {iterations} calls of select_now, {rounds} rounds\n\n\
         {table}\n\
         connect: once, for all rows. register: with the first select_now, which tells the kernel.\n\
         total, ns/call: median of the rounds. speed: against the slowest row.\n"
    )
}

/// The same for programs.
pub(super) fn json(workload: &Workload, rows: &[Row]) -> Value {
    json!({
        "benchmark": "harmony",
        "channels": workload.channels,
        "iterations": workload.iterations,
        "rows": rows.iter().map(Row::to_json).collect::<Vec<_>>(),
    })
}
