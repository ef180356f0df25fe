//! Any descriptor: the standard input and a child's output in one selection.
//!
//! ```text
//! cargo run --example descriptors cat         # what you type goes to the command and comes back
//! cargo run --example descriptors ping -c 3 127.0.0.1
//! ```

use std::env;
use std::error::Error;
use std::fs::File;
use std::io::{self, ErrorKind, PipeReader, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Command, ExitCode, Stdio};

use nioselect::{Ops, SelectableChannel, Selector};

/// Which of the two is ready.
#[derive(Clone, Copy)]
enum Source {
    Input,
    Output,
}

/// The standard input without the buffer of [`io::stdin`], which keeps data that no selector knows
/// of. Its open file may be a terminal that the shell has too, so it is put back into the mode
/// that it had.
struct Input(SelectableChannel<File>);

impl Input {
    fn open() -> Result<Self, Box<dyn Error>> {
        let file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        let channel = SelectableChannel::new(file)?;
        channel.configure_blocking(false)?;
        Ok(Self(channel))
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        // It fails as long as it is registered: the selector must be gone.
        let _ = self.0.configure_blocking(true);
    }
}

/// What could be read; `None` at the end.
fn read_some(mut channel: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut buffer = vec![0; 4096];
    match channel.read(&mut buffer) {
        Ok(0) => Ok(None),
        Ok(count) => {
            buffer.truncate(count);
            Ok(Some(buffer))
        }
        Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(Some(Vec::new())),
        Err(error) => Err(error),
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args_os().skip(1);
    let program = arguments
        .next()
        .ok_or("usage: descriptors COMMAND [ARGUMENT ...]")?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut to_child = child.stdin.take();
    let from_child = child.stdout.take().ok_or("the command has no output")?;

    let input = Input::open()?;
    let output = SelectableChannel::new(PipeReader::from(OwnedFd::from(from_child)))?;
    output.configure_blocking(false)?;

    let mut selector = Selector::open()?;
    let typing = input.0.register(&selector, Ops::READ, Source::Input)?;
    output.register(&selector, Ops::READ, Source::Output)?;
    loop {
        selector.select()?;
        for selected in selector.selected_keys().drain() {
            match *selected.attachment() {
                Source::Input => match (read_some(&input.0)?, &mut to_child) {
                    (Some(text), Some(to_child)) => to_child.write_all(&text)?,
                    _ => {
                        // The end of ours is the end of its input.
                        to_child = None;
                        typing.cancel();
                    }
                },
                Source::Output => match read_some(&output)? {
                    Some(text) => io::stdout().write_all(&text)?,
                    None => {
                        child.wait()?;
                        return Ok(());
                    }
                },
            }
        }
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
