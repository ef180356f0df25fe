//! What most of some values have in common, however far off a few are.

use serde_json::{Value, json};

/// The middle of some values, and between what the middle half of them lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quartiles {
    pub(super) lower: f64,
    pub(super) median: f64,
    pub(super) upper: f64,
}

impl Quartiles {
    /// Those of at least one value.
    pub(super) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().collect();
        values.sort_by(f64::total_cmp);
        Self {
            lower: quantile(&values, 0.25),
            median: quantile(&values, 0.5),
            upper: quantile(&values, 0.75),
        }
    }

    pub(super) fn to_json(self) -> Value {
        json!({ "lower": self.lower, "median": self.median, "upper": self.upper })
    }
}

/// The value below which such a part of the sorted values lies, between two of them if need be.
pub(super) fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = part * (sorted.len() - 1) as f64;
    let (below, above) = (place.floor(), place.ceil());
    let (low, high) = (sorted[below as usize], sorted[above as usize]);
    low + (high - low) * (place - below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_values_lie_between_the_quartiles() {
        let quartiles = Quartiles::of([50.0, 10.0, 40.0, 20.0, 30.0]);
        let found = (quartiles.lower, quartiles.median, quartiles.upper);
        assert_eq!(found, (20.0, 30.0, 40.0));
        let quartiles = Quartiles::of([2.0, 1.0]);
        let found = (quartiles.lower, quartiles.median, quartiles.upper);
        assert_eq!(found, (1.25, 1.5, 1.75));
        assert_eq!(quantile(&[7.0], 0.9), 7.0);
    }
}
