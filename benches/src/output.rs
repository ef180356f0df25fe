//! What is printed on standard output.

use std::fmt::Display;
use std::io::{self, Write};

/// Prints a text and ends the line.
///
/// # Errors
///
/// That of the system: whoever has been reading may have left.
pub(crate) fn say(text: impl Display) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{text}")
}

/// Prints a text that ends its lines itself.
///
/// # Errors
///
/// As [`say`].
pub(crate) fn show(text: impl Display) -> io::Result<()> {
    write!(io::stdout().lock(), "{text}")
}
