//! The operations that a key is interested in or ready for.

use std::fmt;

use crate::error::{Error, Result};

bitflags::bitflags! {
    /// A set of operations, with the bit values of `java.nio.channels.SelectionKey`.
    ///
    /// ```
    /// use nioselect::Ops;
    ///
    /// let interest = Ops::READ | Ops::WRITE;
    /// assert!(interest.contains(Ops::READ));
    /// assert_eq!(interest.to_string(), "READ | WRITE");
    /// ```
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Ops: u8 {
        /// Data, end of stream or an error can be read (`OP_READ`).
        const READ = 1;
        /// There is room to write, or a write will fail at once (`OP_WRITE`).
        const WRITE = 4;
        /// A pending connect has succeeded or failed (`OP_CONNECT`).
        const CONNECT = 8;
        /// A connection waits to be accepted (`OP_ACCEPT`).
        const ACCEPT = 16;
    }
}

impl Ops {
    /// Whether a channel that allows `valid` allows these.
    pub(crate) fn check_against(self, valid: Self) -> Result<()> {
        if valid.contains(self) {
            return Ok(());
        }
        Err(Error::InvalidOps {
            requested: self,
            valid,
        })
    }
}

impl fmt::Display for Ops {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("none");
        }
        bitflags::parser::to_writer(self, f)
    }
}
