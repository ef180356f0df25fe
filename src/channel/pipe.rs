//! Pipes.

use std::io::{PipeReader, PipeWriter};

use super::SelectableChannel;
use crate::error::{Error, Result};
use crate::poller::Kind;

/// The end of a pipe that is read from (`Pipe.SourceChannel`). It is readable also when the last
/// sink is gone and there is nothing left: reading meets the end.
pub type PipeSource = SelectableChannel<PipeReader>;

/// The end of a pipe that is written to (`Pipe.SinkChannel`). It is writable also when the last
/// source is gone: writing fails.
pub type PipeSink = SelectableChannel<PipeWriter>;

/// The two ends of a new pipe (`java.nio.channels.Pipe`).
#[derive(Debug)]
pub struct Pipe {
    /// Where what was written can be read.
    pub source: PipeSource,
    /// Where to write.
    pub sink: PipeSink,
}

impl Pipe {
    /// Opens a pipe, both ends in blocking mode (`Pipe.open`).
    ///
    /// # Errors
    ///
    /// [`Error::System`] if there are not two descriptors left.
    pub fn open() -> Result<Self> {
        let (reader, writer) = std::io::pipe().map_err(|error| Error::system("pipe", error))?;
        Ok(Self {
            source: PipeSource::of_kind(reader, Kind::PipeSource),
            sink: PipeSink::of_kind(writer, Kind::PipeSink),
        })
    }
}
