//! Who takes part, and how the rounds are shared among them.

use std::fmt;

use super::doorbell::Doorbell;
use super::result::{Row, Workload};
use crate::error::Error;
use crate::progress::Progress;

/// An implementation of a selector that can be asked for rounds.
pub(super) trait Contender {
    fn engine(&self) -> &Engine;

    /// Registers all channels with a new selector and calls `select_now` as often as the workload
    /// says.
    fn round(&mut self, workload: &Workload) -> Result<Sample, Error>;
}

/// What one round of one contender took.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sample {
    pub(super) connect_ms: f64,
    /// To the end of the first `select_now`.
    pub(super) register_ms: f64,
    pub(super) select_now_ns: f64,
    /// Of this round's selector, if it was to have one.
    pub(super) doorbell: Option<Doorbell>,
}

/// What a contender is made of.
#[derive(Clone, Debug)]
pub(super) struct Engine {
    /// `None` for the selector of this crate, in this process.
    pub(super) jvm: Option<Jvm>,
    pub(super) backend: String,
}

/// The Java side of an engine.
#[derive(Clone, Debug)]
pub(super) struct Jvm {
    /// The number of the JDK: two may be of the same version.
    pub(super) jdk: usize,
    pub(super) version: String,
    pub(super) provider: Provider,
    /// Whether selections that the doorbell answers leave the monitors alone.
    pub(super) is_unlocked: bool,
}

/// A `SelectorProvider`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Provider {
    JdkPoll,
    JdkDefault,
    Nioselect,
}

impl Engine {
    pub(super) fn is_jdk_default_of(&self, jdk: usize) -> bool {
        let jvm = self.jvm.as_ref();
        jvm.is_some_and(|jvm| jvm.jdk == jdk && jvm.provider == Provider::JdkDefault)
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(Jvm {
            version, provider, ..
        }) = &self.jvm
        else {
            return f.write_str("rust nioselect");
        };
        write!(f, "jvm {version} {provider}")
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::JdkPoll => "jdk",
            Self::JdkDefault => "jdk default",
            Self::Nioselect => "nioselect",
        })
    }
}

/// A row for each contender. Their rounds take turns, so that what disturbs the machine for a
/// while meets all of them.
pub(super) fn measure(
    workload: &Workload,
    contenders: &mut [Box<dyn Contender + '_>],
    progress: &Progress,
) -> Result<Vec<Row>, Error> {
    let mut samples = vec![Vec::with_capacity(workload.rounds); contenders.len()];
    for round in 1..=workload.rounds {
        for (contender, samples) in contenders.iter_mut().zip(&mut samples) {
            let engine = contender.engine();
            progress.step(format_args!(
                "round {round} of {}: {engine}, {}",
                workload.rounds, engine.backend
            ));
            samples.push(contender.round(workload)?);
        }
    }
    let rows = contenders.iter().zip(&samples);
    Ok(rows
        .map(|(contender, samples)| Row::of(contender.engine().clone(), samples))
        .collect())
}
