//! The rows of this crate's selector.

use std::time::Instant;

use nioselect::{Backend, Ops, Selector};

use super::connections::Connections;
use super::contender::{Contender, Engine, Sample};
use super::result::Workload;
use crate::backend::label;
use crate::error::Error;
use crate::measure::{milliseconds, nanoseconds_each};

/// Whether the backend can run here.
pub(super) fn probe(backend: Backend) -> nioselect::Result<()> {
    open(backend).map(drop)
}

fn open(backend: Backend) -> nioselect::Result<Selector<usize>> {
    Selector::builder().backend(backend).open()
}

/// A backend, with connections that it shares with the others.
pub(super) struct Rust<'a> {
    engine: Engine,
    backend: Backend,
    connections: &'a Connections,
}

impl<'a> Rust<'a> {
    pub(super) fn new(backend: Backend, connections: &'a Connections) -> Self {
        let engine = Engine {
            jvm: None,
            backend: label(backend),
        };
        Self {
            engine,
            backend,
            connections,
        }
    }
}

impl Contender for Rust<'_> {
    fn engine(&self) -> &Engine {
        &self.engine
    }

    fn round(&mut self, workload: &Workload) -> Result<Sample, Error> {
        let mut selector = open(self.backend)?;
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
            self.backend
        );
        Ok(Sample {
            connect_ms: milliseconds(self.connections.took),
            register_ms: milliseconds(registered),
            select_now_ns: nanoseconds_each(iterated, workload.iterations as u64),
        })
    }
}
