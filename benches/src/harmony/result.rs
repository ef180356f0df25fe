//! What is shown of the benchmark.

use serde_json::{Value, json};

use super::contender::{Engine, Provider, Sample};
use super::doorbell::Doorbell;
use crate::measure::Spread;
use crate::table::{Table, number};

/// What each contender has to do.
pub(super) struct Workload {
    pub(super) channels: usize,
    pub(super) iterations: usize,
    pub(super) rounds: usize,
}

/// What one contender took for it.
pub(super) struct Row {
    engine: Engine,
    connect_ms: f64,
    register_ms: f64,
    select_now_ns: Spread,
    doorbell: Option<Doorbell>,
}

impl Row {
    /// A row of at least one round.
    pub(super) fn of(engine: Engine, samples: &[Sample]) -> Self {
        Self {
            engine,
            connect_ms: Spread::of(samples.iter().map(|sample| sample.connect_ms)).median,
            register_ms: Spread::of(samples.iter().map(|sample| sample.register_ms)).median,
            select_now_ns: Spread::of(samples.iter().map(|sample| sample.select_now_ns)),
            doorbell: Doorbell::sum(samples.iter().filter_map(|sample| sample.doorbell.as_ref())),
        }
    }

    fn is_unlocked(&self) -> bool {
        let jvm = self.engine.jvm.as_ref();
        jvm.is_some_and(|jvm| jvm.is_unlocked)
    }

    fn total_ms(&self, iterations: usize) -> f64 {
        self.select_now_ns.median * iterations as f64 / 1e6
    }

    /// How many times as fast as one that takes so many nanoseconds.
    fn speed_against(&self, nanoseconds: f64) -> String {
        format!("{}x", number(nanoseconds / self.select_now_ns.median))
    }

    fn speed_against_jdk_default(&self, rows: &[Self]) -> String {
        let jdk = self.engine.jvm.as_ref().map(|jvm| jvm.jdk);
        let default = jdk.and_then(|jdk| {
            let mut rows = rows.iter();
            rows.find(|row| row.engine.is_jdk_default_of(jdk))
        });
        default.map_or_else(
            || "-".to_owned(),
            |default| self.speed_against(default.select_now_ns.median),
        )
    }

    fn to_json(&self) -> Value {
        let jvm = self.engine.jvm.as_ref();
        let provider = jvm.map_or(Provider::Nioselect, |jvm| jvm.provider);
        let mut row = json!({
            "engine": if jvm.is_some() { "jvm" } else { "rust" },
            "provider": match provider {
                Provider::JdkPoll | Provider::JdkDefault => "jdk",
                Provider::Nioselect => "nioselect",
            },
            "java": jvm.map(|jvm| &jvm.version),
            "backend": self.engine.backend,
            "connect_ms": self.connect_ms,
            "register_ms": self.register_ms,
            "select_now_ns": self.select_now_ns.to_json(),
        });
        if let Some(doorbell) = &self.doorbell {
            row["doorbell"] = doorbell.to_json();
        }
        row
    }
}

const HEADER: [&str; 9] = [
    "engine",
    "backend",
    "connect ms",
    "register ms",
    "total ms",
    "ns/call",
    "min",
    "max",
    "speed",
];

const JDK_COLUMN: &str = "to jdk";

/// The table and what its columns mean.
pub(super) fn table(workload: &Workload, rows: &[Row]) -> String {
    let &Workload {
        channels,
        iterations,
        rounds,
    } = workload;
    let medians = rows.iter().map(|row| row.select_now_ns.median);
    let slowest = medians.fold(0.0, f64::max);
    let any_jvm = rows.iter().any(|row| row.engine.jvm.is_some());
    let with_jdk_column = |mut cells: Vec<String>, cell: String| {
        cells.extend(any_jvm.then_some(cell));
        cells
    };
    let header = HEADER.map(str::to_owned).to_vec();
    let mut table = Table::new(2, with_jdk_column(header, JDK_COLUMN.to_owned()));
    for row in rows {
        let spread = row.select_now_ns;
        let cells = vec![
            row.engine.to_string(),
            row.engine.backend.clone(),
            number(row.connect_ms),
            number(row.register_ms),
            number(row.total_ms(iterations)),
            number(spread.median),
            number(spread.min),
            number(spread.max),
            row.speed_against(slowest),
        ];
        table.add(with_jdk_column(cells, row.speed_against_jdk_default(rows)));
    }
    let mut notes = if any_jvm { NOTES_WITH_JVM } else { NOTES }.to_owned();
    if rows.iter().any(|row| row.doorbell.is_some()) {
        notes += NOTES_ON_DOORBELL;
    }
    if rows.iter().any(Row::is_unlocked) {
        notes += NOTES_ON_UNLOCKED;
    }
    format!(
        "{channels} silent TCP connections, {iterations} calls of select_now, {rounds} rounds\n\n\
         {table}\n{notes}"
    )
}

const NOTES: &str = "\
connect: once, for all rows. register: with the first select_now, which tells the kernel.
total, ns/call: median of the rounds. speed: against the slowest row.
";

const NOTES_WITH_JVM: &str = "\
connect: once for all rust rows, in every round of a jvm, by its provider.
register: with the first select_now, which tells the kernel.
All times: median of the rounds. speed: against the slowest row; to jdk: against the default
provider of the same JDK.
";

const NOTES_ON_DOORBELL: &str = "\
epoll+doorbell: with the first calls, which ask the kernel, and the arming. Its thread keeps the
ring for the next selector: setting that up is in the first round (of a jvm, in the warm-up),
so it shows in max and not in the median.
";

const NOTES_ON_UNLOCKED: &str = "\
unlocked: with -Dnioselect.doorbell.unlocked=true. A selectNow that the doorbell answers takes
neither monitor of the selector; without it, it takes both, as java.nio documents.
";

/// The same for programs.
pub(super) fn json(workload: &Workload, rows: &[Row]) -> Value {
    json!({
        "benchmark": "harmony",
        "channels": workload.channels,
        "iterations": workload.iterations,
        "rows": rows.iter().map(Row::to_json).collect::<Vec<_>>(),
    })
}
