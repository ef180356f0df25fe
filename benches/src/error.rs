//! How a benchmark can fail.

use std::fmt;
use std::io;

/// What ends a benchmark before its result.
#[derive(Debug)]
pub enum Error {
    /// What was asked for cannot be done here; the message says what can.
    Request(String),
    /// The system failed.
    System(io::Error),
    /// A process that takes part failed; the message says which, and how.
    Child(String),
}

impl Error {
    /// The exit code of the process.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Request(_) => 2,
            Self::System(_) | Self::Child(_) => 1,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(message) | Self::Child(message) => f.write_str(message),
            Self::System(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl From<nioselect::Error> for Error {
    fn from(error: nioselect::Error) -> Self {
        Self::System(error.into())
    }
}

/// Tells what was being done when the system failed.
pub(crate) fn doing(what: impl fmt::Display) -> impl FnOnce(io::Error) -> io::Error {
    move |error| io::Error::new(error.kind(), format!("{what}: {error}"))
}
