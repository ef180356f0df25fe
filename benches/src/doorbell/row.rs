//! Two sides beside each other.

use serde_json::{Value, json};

use super::quartiles::Quartiles;
use crate::table::number;

/// What two sides took for the same.
pub(super) struct Row {
    name: String,
    beside: &'static str,
    nanoseconds: Quartiles,
    nanoseconds_beside: Quartiles,
    ratio: Quartiles,
    aim: Option<f64>,
}

pub(super) const HEADER: [&str; 7] = [
    "measured",
    "beside",
    "ns",
    "beside ns",
    "ratio",
    "quartiles",
    "aim",
];

impl Row {
    /// Of the times of both sides in the same rounds.
    pub(super) fn new(
        name: impl Into<String>,
        times: &[f64],
        beside: &'static str,
        times_beside: &[f64],
    ) -> Self {
        let pairs = times.iter().zip(times_beside);
        Self {
            name: name.into(),
            beside,
            nanoseconds: Quartiles::of(times.iter().copied()),
            nanoseconds_beside: Quartiles::of(times_beside.iter().copied()),
            ratio: Quartiles::of(pairs.map(|(this, that)| this / that)),
            aim: None,
        }
    }

    /// The ratio is to be at most this.
    pub(super) fn aim(mut self, most: f64) -> Self {
        self.aim = Some(most);
        self
    }

    pub(super) fn cells(&self) -> [String; HEADER.len()] {
        let ratio = self.ratio;
        [
            self.name.clone(),
            self.beside.to_owned(),
            number(self.nanoseconds.median),
            number(self.nanoseconds_beside.median),
            number(ratio.median),
            format!("{} - {}", number(ratio.lower), number(ratio.upper)),
            self.aim.map_or_else(String::new, |most| {
                let missed = if ratio.median > most { ", missed" } else { "" };
                format!("<= {most}{missed}")
            }),
        ]
    }

    pub(super) fn to_json(&self) -> Value {
        json!({
            "name": self.name,
            "ns": self.nanoseconds.to_json(),
            "beside": self.beside,
            "beside_ns": self.nanoseconds_beside.to_json(),
            "ratio": self.ratio.to_json(),
            "aim": self.aim,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ratio_is_that_of_each_round() {
        let row = Row::new("idle", &[10.0, 60.0, 30.0], "epoll", &[100.0, 120.0, 100.0]);
        assert_eq!(row.ratio.median, 0.3);
        assert_eq!(row.nanoseconds.median, 30.0);
        let row = row.aim(0.5);
        assert_eq!(row.cells()[6], "<= 0.5");
        assert_eq!(row.aim(0.2).cells()[6], "<= 0.2, missed");
    }
}
