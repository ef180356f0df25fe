//! The lines that the Java side prints.

use crate::harmony::contender::Sample;
use crate::harmony::doorbell::Doorbell;

/// A line of a certain form.
pub(super) trait Reply: Sized {
    /// `None` if the line is of another form.
    fn parse(line: &str) -> Option<Self>;
}

/// The first line, when the JVM is warm: `provider CLASS VERSION`, and after that what the
/// selector says of its doorbell, if it says something: `doorbell ...`.
#[derive(Debug, PartialEq)]
pub(super) struct Hello {
    /// The class of the provider in use.
    pub(super) provider: String,
    /// The version of Java.
    pub(super) java: String,
    /// That of the last selector it was warmed up with.
    pub(super) doorbell: Option<Doorbell>,
}

impl Reply for Hello {
    fn parse(line: &str) -> Option<Self> {
        let (line, doorbell) = doorbell_at_the_end(line);
        let ["provider", provider, java] = words(line)? else {
            return None;
        };
        Some(Self {
            provider: provider.to_owned(),
            java: java.to_owned(),
            doorbell,
        })
    }
}

/// After each round: `round CONNECT_MS REGISTER_MS SELECT_NOW_NS`, and the doorbell as above.
impl Reply for Sample {
    fn parse(line: &str) -> Option<Self> {
        let (line, doorbell) = doorbell_at_the_end(line);
        let ["round", connect, register, select_now] = words(line)? else {
            return None;
        };
        Some(Self {
            connect_ms: time(connect)?,
            register_ms: time(register)?,
            select_now_ns: time(select_now)?,
            doorbell,
        })
    }
}

fn doorbell_at_the_end(line: &str) -> (&str, Option<Doorbell>) {
    match line.split_once(" doorbell ") {
        Some((line, doorbell)) => (line, Doorbell::parse(doorbell)),
        None => (line, None),
    }
}

fn words<const N: usize>(line: &str) -> Option<[&str; N]> {
    let words: Vec<_> = line.split_whitespace().collect();
    words.try_into().ok()
}

fn time(word: &str) -> Option<f64> {
    let time: f64 = word.parse().ok()?;
    (time.is_finite() && time > 0.0).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_tells_provider_and_version() {
        let expected = Hello {
            provider: "sun.nio.ch.EPollSelectorProvider".to_owned(),
            java: "17.0.15".to_owned(),
            doorbell: None,
        };
        let line = "provider sun.nio.ch.EPollSelectorProvider 17.0.15";
        assert_eq!(Hello::parse(line), Some(expected));
    }

    #[test]
    fn a_round_is_three_times() {
        let expected = Sample {
            connect_ms: 93.5,
            register_ms: 1e-3,
            select_now_ns: 250.0,
            doorbell: None,
        };
        assert_eq!(Sample::parse("round 93.5 1.0E-3 250"), Some(expected));
    }

    #[test]
    fn both_may_end_with_a_doorbell() {
        let hello = Hello::parse("provider a 17 doorbell unavailable: it needs Linux 6.1").unwrap();
        assert_eq!(hello.java, "17");
        let state = hello.doorbell.unwrap().state;
        assert_eq!(state, "unavailable: it needs Linux 6.1");

        let sample = Sample::parse("round 1 2 3 doorbell armed: 70 answered, 2 rung").unwrap();
        assert_eq!(sample.select_now_ns, 3.0);
        assert_eq!(
            sample.doorbell,
            Doorbell::parse("armed: 70 answered, 2 rung")
        );
        assert_eq!(
            Sample::parse("round 1 2 3 doorbell off").unwrap().doorbell,
            None
        );
    }

    #[test]
    fn anything_else_is_unexpected() {
        for line in [
            "",
            "provider",
            "provider a",
            "provider a 17 b",
            "round a 17",
        ] {
            assert_eq!(Hello::parse(line), None, "{line:?}");
        }
        for line in [
            "",
            "round",
            "round 1 2",
            "round 1 2 3 4",
            "round 1 2 x",
            "round 1 2 NaN",
            "round 1 2 inf",
            "round 1 2 0",
            "round -1 2 3",
            "rounds 1 2 3",
        ] {
            assert_eq!(Sample::parse(line), None, "{line:?}");
        }
    }
}
