//! The rows of this crate's selector.

use std::time::Instant;

use nioselect::Ops;

use super::connections::Connections;
use super::contender::{Contender, Engine, Sample};
use super::doorbell::Doorbell;
use super::result::Workload;
use crate::error::Error;
use crate::measure::{milliseconds, nanoseconds_each};
use crate::mechanism::Mechanism;

/// A mechanism, with connections that it shares with the others.
pub(super) struct Rust<'a> {
    engine: Engine,
    mechanism: Mechanism,
    connections: &'a Connections,
}

impl<'a> Rust<'a> {
    pub(super) fn new(mechanism: Mechanism, connections: &'a Connections) -> Self {
        let engine = Engine {
            jvm: None,
            backend: mechanism.to_string(),
        };
        Self {
            engine,
            mechanism,
            connections,
        }
    }
}

impl Contender for Rust<'_> {
    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn round(&mut self, workload: &Workload) -> Result<Sample, Error> {
        let mut selector = self.mechanism.builder().open()?;
        let start = Instant::now();
        for (number, channel) in self.connections.accepted.iter().enumerate() {
            channel.register(&selector, Ops::READ, number)?;
        }
        let mut selected = selector.select_now()?;
        let registered = start.elapsed();

        let start = Instant::now();
        for _ in 0..workload.iterations {
            selected += selector.select_now()?;
        }
        let iterated = start.elapsed();
        assert_eq!(
            selected, 0,
            "{} has selected a channel on which nobody sends",
            self.mechanism
        );
        Ok(Sample {
            connect_ms: milliseconds(self.connections.took),
            register_ms: milliseconds(registered),
            select_now_ns: nanoseconds_each(iterated, workload.iterations as u64),
            doorbell: Doorbell::of(&selector.doorbell()),
        })
    }
}
