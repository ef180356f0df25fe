//! What is being done, for those who watch.

use std::fmt;
use std::io::{self, IsTerminal, Write};

/// One line on the terminal's standard error, which each step replaces; nothing elsewhere.
pub(crate) struct Progress {
    visible: bool,
}

const CLEAR_LINE: &str = "\r\x1b[K";

impl Progress {
    pub(crate) fn new() -> Self {
        let visible = io::stderr().is_terminal();
        Self { visible }
    }

    pub(crate) fn step(&self, what: fmt::Arguments<'_>) {
        self.write(format_args!("{CLEAR_LINE}{what}"));
    }

    fn write(&self, text: fmt::Arguments<'_>) {
        if self.visible {
            let mut terminal = io::stderr().lock();
            // A terminal that has gone away is no reason to stop.
            let _ = terminal.write_fmt(text).and_then(|()| terminal.flush());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.write(format_args!("{CLEAR_LINE}"));
    }
}
