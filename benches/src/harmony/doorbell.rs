//! What a doorbell has done.

use nioselect::doorbell::{State, Statistics};
use serde_json::{Value, json};

/// A selector's doorbell after a round, or after several.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Doorbell {
    /// How far it has come, in words.
    pub(super) state: String,
    /// How many calls it has answered in place of the kernel.
    answered: u64,
    /// How often it has ended a stretch of such calls.
    rung: u64,
}

impl Doorbell {
    /// `None` if there is to be none.
    pub(super) fn of(statistics: &Statistics) -> Option<Self> {
        (statistics.state != State::Off).then(|| Self {
            state: statistics.state.to_string(),
            answered: statistics.answered,
            rung: statistics.rung,
        })
    }

    /// What a selector in Java says of it: `STATE: ANSWERED answered, RUNG rung`, or the state
    /// alone.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let with_counts = text.rsplit_once(": ");
        let with_counts = with_counts.and_then(|(state, counts)| Some((state, parse(counts)?)));
        let (state, (answered, rung)) = with_counts.unwrap_or((text, (0, 0)));
        (state != State::Off.name()).then(|| Self {
            state: state.to_owned(),
            answered,
            rung,
        })
    }

    pub(super) fn is_armed(&self) -> bool {
        self.state == State::Armed.name()
    }

    /// What those of some rounds have done together, with the state of the last.
    pub(super) fn sum<'a>(rounds: impl IntoIterator<Item = &'a Self>) -> Option<Self> {
        rounds.into_iter().cloned().reduce(|before, last| Self {
            state: last.state,
            answered: before.answered + last.answered,
            rung: before.rung + last.rung,
        })
    }

    pub(super) fn to_json(&self) -> Value {
        json!({ "state": self.state, "answered": self.answered, "rung": self.rung })
    }
}

fn parse(counts: &str) -> Option<(u64, u64)> {
    let (answered, rung) = counts.split_once(" answered, ")?;
    let rung = rung.strip_suffix(" rung")?;
    Some((answered.parse().ok()?, rung.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn armed(answered: u64, rung: u64) -> Doorbell {
        Doorbell {
            state: "armed".to_owned(),
            answered,
            rung,
        }
    }

    #[test]
    fn counts_and_state_are_understood() {
        let parsed = Doorbell::parse("armed: 1234 answered, 5 rung").unwrap();
        assert_eq!(parsed, armed(1234, 5));
        assert!(parsed.is_armed());
    }

    #[test]
    fn a_reason_is_part_of_the_state() {
        for text in [
            "unavailable: it needs Linux 6.1",
            "unavailable: no: 0 answered, 0 rung",
        ] {
            let parsed = Doorbell::parse(text).unwrap();
            assert!(!parsed.is_armed());
            assert!(parsed.state.starts_with("unavailable: "), "{parsed:?}");
            assert!(!parsed.state.contains("answered"), "{parsed:?}");
        }
    }

    #[test]
    fn one_that_is_off_is_none() {
        assert_eq!(Doorbell::parse("off"), None);
        assert_eq!(Doorbell::of(&Statistics::default()), None);
    }

    #[test]
    fn rounds_are_added_up() {
        assert_eq!(Doorbell::sum(&[]), None);
        assert_eq!(
            Doorbell::sum(&[armed(10, 1), armed(20, 2)]),
            Some(armed(30, 3))
        );
    }
}
